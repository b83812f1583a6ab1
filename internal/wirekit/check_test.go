package wirekit

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"strings"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/test/forward"
)

func echo(_ context.Context, arguments canonical.Doc) (json.RawMessage, *ReceiptError) {
	return arguments.Canonical(), nil
}

func newTarget(t *testing.T) (*FakeGateway, Target) {
	t.Helper()
	target := Target{
		RunID: "script-one", Token: "token-one", ForeignRunID: "script-two", ForeignToken: "token-two",
		Toolkit: "kit", Function: "echo", Args: json.RawMessage(`{"a":1}`), OtherArgs: json.RawMessage(`{"a":1.0}`),
	}
	tools := map[string]Tool{"kit.echo": echo}
	g := NewFakeGateway(Run{ID: target.RunID, Token: target.Token, Tools: tools, Limit: NewCalls}, Run{ID: target.ForeignRunID, Token: target.ForeignToken, Tools: tools})
	t.Cleanup(g.Close)
	target.BaseURL = g.URL()
	return g, target
}

func TestFakeGatewayPassesTheChecks(t *testing.T) {
	t.Parallel()
	_, target := newTarget(t)
	CheckGateway(t, target)
}

func TestFakeGatewayThatHoldsPassesTheChecks(t *testing.T) {
	t.Parallel()
	g, target := newTarget(t)
	g.Hold = 10 * time.Second
	CheckGateway(t, target)
}

// Each check must fail for a gateway that breaks just its rule; a check that cannot fail proves nothing.
func TestChecksNoticeViolations(t *testing.T) {
	t.Parallel()
	status := func(from, to int) func(*http.Response, *[]byte) {
		return func(r *http.Response, _ *[]byte) {
			if r.StatusCode == from {
				r.StatusCode = to
			}
		}
	}
	replace := func(old, replacement string) func(*http.Response, *[]byte) {
		return func(r *http.Response, body *[]byte) {
			*body = bytes.ReplaceAll(*body, []byte(old), []byte(replacement))
		}
	}
	created := 0
	for _, c := range []struct {
		check  string
		answer func(*http.Response, *[]byte)
	}{
		{"new call is accepted and completes", replace(`"completed"`, `"failed"`)},
		{"new call is accepted and completes", status(202, 201)},
		{"new call is accepted and completes", status(202, 200)},
		{"receipt has nine fields", replace(`"error":null`, `"error":null,"requester":"x"`)},
		{"receipt has nine fields", replace(`,"error":null`, ``)},
		{"receipt has nine fields", replace(`"created_at":"2`, `"created_at":"later 2`)},
		{"digest is canonical", replace(`"arguments_digest":"`, `"arguments_digest":"0`)},
		{"absent arguments are an empty object", replace(canonical.EmptyObject.Digest(), strings.Repeat("0", 64))},
		{"identical submission joins", func(_ *http.Response, body *[]byte) {
			created++
			*body = bytes.ReplaceAll(*body, []byte(`"created_at":"`), fmt.Appendf(nil, `"created_at":"%d`, created))
		}},
		{"other arguments conflict", status(409, 200)},
		{"refusals of a capability are uniform", status(404, 403)},
		{"refusals of a capability are uniform", func(r *http.Response, body *[]byte) {
			if r.StatusCode == 404 && r.Request.Method == http.MethodGet {
				*body = []byte(`{"detail":"no such call"}`)
			}
		}},
		{"refusals of a capability are uniform", func(r *http.Response, _ *[]byte) {
			if r.StatusCode == 404 && r.Request.Header.Get("Authorization") == "" {
				r.Header.Set("WWW-Authenticate", "Bearer")
			}
		}},
		{"body of 65,537 bytes is refused", status(413, 422)},
		{"malformed bodies are refused", status(422, 500)},
		{"malformed bodies are refused", replace(`"detail"`, `"error"`)},
		{"refused bodies leave no call", status(404, 200)},
		{"call outlives its submitter", replace(`"completed"`, `"indeterminate"`)},
	} {
		_, target := newTarget(t)
		target.BaseURL = spoil(t, target.BaseURL, c.answer)
		noticed := false
		for _, result := range Examine(t.Context(), target) {
			noticed = noticed || result.Name == c.check && result.Err != nil
		}
		if !noticed {
			t.Errorf("%q did not notice its violation", c.check)
		}
	}
}

// spoil puts a server in front of another that changes every answer.
func spoil(t *testing.T, base string, change func(*http.Response, *[]byte)) string {
	t.Helper()
	target, err := url.Parse(base)
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{}
	proxy := &httputil.ReverseProxy{
		Transport: transport,
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(&url.URL{Scheme: target.Scheme, Host: target.Host})
		},
		ErrorHandler: func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusBadGateway) },
		ModifyResponse: func(r *http.Response) error {
			body, err := io.ReadAll(r.Body)
			if err != nil {
				return err
			}
			change(r, &body)
			r.Body = io.NopCloser(bytes.NewReader(body))
			r.ContentLength = int64(len(body))
			r.Header.Set("Content-Length", fmt.Sprint(len(body)))
			return nil
		},
	}
	server := httptest.NewServer(forward.Whole(proxy))
	t.Cleanup(func() {
		server.Close()
		transport.CloseIdleConnections()
	})
	return server.URL + target.Path
}
