package wirekit

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
)

func checkScheme(ctx context.Context, p *probe) error {
	id := newCallID()
	if _, err := p.perform(ctx, id, p.Args); err != nil {
		return err
	}
	for _, scheme := range []string{"bearer ", "BEARER ", "bEaReR   "} {
		a, err := p.do(ctx, http.MethodGet, callPath(p.RunID, id), scheme+p.Token, nil)
		if err != nil {
			return err
		}
		if _, err := a.receipt(http.StatusOK); err != nil {
			return fmt.Errorf("scheme %q: %w", scheme, err)
		}
	}
	return nil
}

func checkUniformRefusals(ctx context.Context, p *probe) error {
	id := newCallID()
	if _, err := p.perform(ctx, id, p.Args); err != nil {
		return err
	}
	body := func(run, call, function string) []byte {
		return encode(map[string]any{"run_id": run, "call_id": call, "toolkit_name": p.Toolkit, "function_name": function, "arguments": p.Args})
	}
	own, fresh := body(p.RunID, id, p.Function), newCallID()
	cases := []struct {
		name, method, path, authorization string
		body                              []byte
	}{
		{"POST without a header", "POST", "/calls", "", own},
		{"POST with another scheme", "POST", "/calls", "Basic " + p.Token, own},
		{"POST with an empty token", "POST", "/calls", "Bearer ", own},
		{"POST with the bare token", "POST", "/calls", p.Token, own},
		{"POST with an unknown token", "POST", "/calls", "Bearer " + strings.Repeat("x", 43), own},
		{"POST with another run's token", "POST", "/calls", "Bearer " + p.ForeignToken, own},
		{"POST to another run", "POST", "/calls", p.bearer(), body(p.ForeignRunID, fresh, p.Function)},
		{"POST to an unknown run", "POST", "/calls", p.bearer(), body("script-unknown", fresh, p.Function)},
		{"POST of a function that is not granted", "POST", "/calls", p.bearer(), body(p.RunID, fresh, "not_granted_"+p.Function)},
		{"GET without a header", "GET", callPath(p.RunID, id), "", nil},
		{"GET with an unknown token", "GET", callPath(p.RunID, id), "Bearer " + strings.Repeat("x", 43), nil},
		{"GET with another run's token", "GET", callPath(p.RunID, id), "Bearer " + p.ForeignToken, nil},
		{"GET of another run", "GET", callPath(p.ForeignRunID, id), p.bearer(), nil},
		{"GET of an unknown run", "GET", callPath("script-unknown", id), p.bearer(), nil},
		{"GET of an unknown call", "GET", callPath(p.RunID, fresh), p.bearer(), nil},
	}
	var first answer
	for i, c := range cases {
		var reader io.Reader
		if c.body != nil {
			reader = bytes.NewReader(c.body)
		}
		a, err := p.do(ctx, c.method, c.path, c.authorization, reader)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if err := a.refused(http.StatusNotFound); err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		if i == 0 {
			first = a
		}
		if !bytes.Equal(a.body, first.body) {
			return fmt.Errorf("%s: body %q differs from %q (%s)", c.name, a.body, first.body, cases[0].name)
		}
		if got, want := headers(a), headers(first); got != want {
			return fmt.Errorf("%s: headers %s differ from %s (%s)", c.name, got, want, cases[0].name)
		}
	}
	return nil
}

// headers spells an answer's headers in a fixed order, without the one that must differ.
func headers(a answer) string {
	h := a.header.Clone()
	h.Del("Date")
	return fmt.Sprint(h) // fmt prints maps sorted
}

func checkNoTrace(ctx context.Context, p *probe) error {
	id := newCallID()
	body := bytes.Replace(p.body(id, p.Args), []byte(`{`), []byte(`{"unknown":1,`), 1)
	a, err := p.post(ctx, body)
	if err != nil {
		return err
	}
	if err := a.refused(http.StatusUnprocessableEntity); err != nil {
		return err
	}
	if a, err = p.get(ctx, id); err != nil {
		return err
	}
	if err := a.refused(http.StatusNotFound); err != nil {
		return errors.Join(errors.New("a malformed submission left a receipt"), err)
	}
	return nil
}
