package doctor

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mindroom/internal/model"
	"mindroom/internal/runtime"
)

// skew is how far this machine's clock may be from the homeserver's.
const skew = time.Minute

// ask makes one request of the homeserver.
func (p *patient) ask(ctx context.Context, method, path string, body []byte) (*http.Response, []byte, error) {
	req, err := http.NewRequestWithContext(ctx, method, strings.TrimRight(p.set.Matrix.Homeserver, "/")+path, bytes.NewReader(body))
	if err != nil {
		return nil, nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	transport := http.DefaultTransport.(*http.Transport).Clone()
	defer transport.CloseIdleConnections()
	if !p.set.Matrix.VerifyTLS {
		transport.TLSClientConfig = &tls.Config{InsecureSkipVerify: true}
	}
	res, err := (&http.Client{Transport: transport}).Do(req)
	if err != nil {
		return nil, nil, err
	}
	defer res.Body.Close()
	raw, err := io.ReadAll(io.LimitReader(res.Body, 1<<20))
	return res, raw, err
}

// homeserver looks whether the homeserver answers, and how far its clock is from
// ours.
func (p *patient) homeserver(ctx context.Context) []Finding {
	begin := time.Now()
	res, raw, err := p.ask(ctx, http.MethodGet, "/_matrix/client/versions", nil)
	took := time.Since(begin)
	fix := "start it, or name it with MATRIX_HOMESERVER"
	if err != nil {
		return []Finding{{"homeserver", Fail, fmt.Sprintf("%s does not answer (%v)", p.set.Matrix.Homeserver, err), fix}}
	}
	var said struct{ Versions []string }
	if res.StatusCode != http.StatusOK || json.Unmarshal(raw, &said) != nil || len(said.Versions) == 0 {
		return []Finding{{"homeserver", Fail, fmt.Sprintf("%s answers %s, and not as a Matrix homeserver", p.set.Matrix.Homeserver, res.Status), fix}}
	}
	out := []Finding{{"homeserver", OK, fmt.Sprintf("%s answers in %d ms", p.set.Matrix.Homeserver, took.Milliseconds()), ""}}
	if theirs, err := http.ParseTime(res.Header.Get("Date")); err == nil {
		off := time.Until(theirs).Abs()
		if off > skew {
			out = append(out, Finding{"clock", Warn, fmt.Sprintf("this machine and the homeserver are %s apart", off.Round(time.Second)), "let both set their clocks from the network"})
		} else {
			out = append(out, Finding{"clock", OK, "agrees with the homeserver's", ""})
		}
	}
	return out
}

// registration looks whether accounts can be made. It makes none: the first step
// only asks which ways there are.
func (p *patient) registration(ctx context.Context) []Finding {
	if !p.set.Matrix.RegistrationSharedSecret.IsZero() {
		return []Finding{{"registration", OK, "by the homeserver's shared secret", ""}}
	}
	res, raw, err := p.ask(ctx, http.MethodPost, "/_matrix/client/v3/register", []byte("{}"))
	if err != nil {
		return nil // the homeserver's own line says so
	}
	var said struct {
		Flows []struct{ Stages []string }
		Code  string `json:"errcode"`
	}
	if err := json.Unmarshal(raw, &said); err != nil {
		return []Finding{{"registration", Warn, "the homeserver's answer cannot be read (" + res.Status + ")", ""}}
	}
	for _, flow := range said.Flows {
		switch {
		case slices.Equal(flow.Stages, []string{"m.login.dummy"}):
			return []Finding{{"registration", OK, "open", ""}}
		case slices.Contains(flow.Stages, "m.login.registration_token") && !p.set.Matrix.RegistrationToken.IsZero():
			return []Finding{{"registration", OK, "by token", ""}}
		}
	}
	return []Finding{{"registration", Warn, "no new account can be made here; accounts of earlier starts go on",
		"open registration, or set MATRIX_REGISTRATION_TOKEN or MATRIX_REGISTRATION_SHARED_SECRET"}}
}

// models asks each model that an agent uses one short question.
func (p *patient) models(ctx context.Context) []Finding {
	used := map[string]bool{}
	for _, name := range p.cfg.AgentNames() {
		used[p.cfg.Agents[name].Model] = true
	}
	var out []Finding
	for _, name := range slices.Sorted(maps.Keys(used)) {
		out = append(out, p.tryModel(ctx, name))
	}
	return out
}

func (p *patient) tryModel(ctx context.Context, name string) Finding {
	m := p.cfg.Models[name]
	check := "model " + name
	provider, err := runtime.Providers().New(m.Provider, model.Settings{
		ID: m.ID, Host: m.Host, ExtraKwargs: m.ExtraKwargs, Getenv: p.env.Get, Dir: filepath.Dir(p.cfg.Source.Path),
	})
	if err != nil {
		return Finding{check, Fail, err.Error(), "correct models." + name + " in the configuration"}
	}
	begin := time.Now()
	_, err = provider.Stream(ctx, model.Request{Messages: []model.Message{model.UserText("Answer with one word: ready?")}, MaxTokens: 16}, func(model.Event) {})
	var refused *model.Error
	switch {
	case errors.As(err, &refused):
		return Finding{check, Fail, fmt.Sprintf("%s %s does not answer: %s", m.Provider, m.ID, refused.Kind), refused.Sentence()}
	case err != nil:
		return Finding{check, Fail, fmt.Sprintf("%s %s does not answer: %v", m.Provider, m.ID, err), "try again, or choose another model"}
	}
	return Finding{check, OK, fmt.Sprintf("%s %s answers in %d ms", m.Provider, m.ID, time.Since(begin).Milliseconds()), ""}
}
