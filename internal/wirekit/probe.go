package wirekit

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// Bounds on one exchange and on a call that is expected to complete by itself.
const (
	exchangeTimeout = 30 * time.Second
	settleTimeout   = 60 * time.Second
	maxAnswerBytes  = 1 << 20
)

// probe is a client that sends what it is told and judges nothing.
type probe struct {
	Target
	client *http.Client
}

// answer is a complete HTTP answer.
type answer struct {
	status int
	header http.Header
	body   []byte
}

func newProbe(target Target) *probe {
	target.BaseURL = strings.TrimRight(target.BaseURL, "/")
	return &probe{Target: target, client: &http.Client{
		Transport:     &http.Transport{}, // its own: no proxy, no connections shared with other tests
		Timeout:       exchangeTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

func newCallID() string {
	var raw [16]byte
	rand.Read(raw[:])
	return hex.EncodeToString(raw[:])
}

func (p *probe) do(ctx context.Context, method, path, authorization string, body io.Reader) (answer, error) {
	request, err := http.NewRequestWithContext(ctx, method, p.BaseURL+path, body)
	if err != nil {
		return answer{}, err
	}
	if authorization != "" {
		request.Header.Set("Authorization", authorization)
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	response, err := p.client.Do(request)
	if err != nil {
		return answer{}, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes))
	if err != nil {
		return answer{}, fmt.Errorf("%s %s: read the answer: %w", method, path, err)
	}
	return answer{status: response.StatusCode, header: response.Header, body: text}, nil
}

func (p *probe) bearer() string { return "Bearer " + p.Token }

func (p *probe) post(ctx context.Context, body []byte) (answer, error) {
	return p.do(ctx, http.MethodPost, "/calls", p.bearer(), bytes.NewReader(body))
}

func (p *probe) get(ctx context.Context, callID string) (answer, error) {
	return p.do(ctx, http.MethodGet, callPath(p.RunID, callID), p.bearer(), nil)
}

func callPath(runID, callID string) string {
	return "/runs/" + url.PathEscape(runID) + "/calls/" + url.PathEscape(callID)
}

// body is a well-formed submission of the target's function.
func (p *probe) body(callID string, arguments json.RawMessage) []byte {
	return encode(map[string]any{
		"run_id": p.RunID, "call_id": callID, "toolkit_name": p.Toolkit, "function_name": p.Function, "arguments": arguments,
	})
}

// submit posts a body and demands a receipt with the status that belongs to its state.
func (p *probe) submit(ctx context.Context, body []byte) (Receipt, error) {
	a, err := p.post(ctx, body)
	if err != nil {
		return Receipt{}, err
	}
	receipt, err := a.receipt(http.StatusOK, http.StatusAccepted)
	if err != nil {
		return Receipt{}, fmt.Errorf("submission: %w", err)
	}
	if receipt.Terminal() != (a.status == http.StatusOK) {
		return Receipt{}, fmt.Errorf("submission answered %d with a receipt in state %s; 202 belongs to pending and 200 to the others", a.status, receipt.State)
	}
	return receipt, nil
}

// settle polls until the call is final.
func (p *probe) settle(ctx context.Context, callID string) (Receipt, error) {
	ctx, cancel := context.WithTimeout(ctx, settleTimeout)
	defer cancel()
	pause := time.NewTicker(50 * time.Millisecond) // for gateways that do not hold their answers
	defer pause.Stop()
	for {
		a, err := p.get(ctx, callID)
		if err != nil {
			return Receipt{}, err
		}
		receipt, err := a.receipt(http.StatusOK)
		if err != nil || receipt.Terminal() {
			return receipt, err
		}
		select {
		case <-pause.C:
		case <-ctx.Done():
			return Receipt{}, fmt.Errorf("call %s is still pending: %w", callID, ctx.Err())
		}
	}
}

// perform submits a new call and returns its final receipt.
func (p *probe) perform(ctx context.Context, callID string, arguments json.RawMessage) (Receipt, error) {
	receipt, err := p.submit(ctx, p.body(callID, arguments))
	if err != nil || receipt.Terminal() {
		return receipt, err
	}
	return p.settle(ctx, callID)
}

func (a answer) String() string { return fmt.Sprintf("HTTP %d %.200q", a.status, a.body) }

func (a answer) receipt(statuses ...int) (Receipt, error) {
	ok := false
	for _, status := range statuses {
		ok = ok || a.status == status
	}
	if !ok {
		return Receipt{}, fmt.Errorf("want a receipt with status %v, got %s", statuses, a)
	}
	var receipt Receipt
	if err := json.Unmarshal(a.body, &receipt); err != nil {
		return Receipt{}, fmt.Errorf("want a receipt, got %s: %w", a, err)
	}
	return receipt, nil
}

// refused demands a status and a JSON detail with it.
func (a answer) refused(status int) error {
	var body map[string]json.RawMessage
	if a.status != status {
		return fmt.Errorf("want HTTP %d, got %s", status, a)
	}
	if err := json.Unmarshal(a.body, &body); err != nil || len(body["detail"]) == 0 {
		return fmt.Errorf("want a JSON object with a detail, got %s", a)
	}
	return nil
}
