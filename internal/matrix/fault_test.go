package matrix

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"maunium.net/go/mautrix"
)

func TestRetryAfter(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	body := func(v any) *mautrix.RespError {
		return &mautrix.RespError{ExtraData: map[string]any{"retry_after_ms": v}}
	}
	cases := []struct {
		name   string
		header string
		body   *mautrix.RespError
		want   time.Duration
	}{
		{"nothing said", "", nil, 0},
		{"header in seconds", "7", body(1500.0), 7 * time.Second},
		{"header as a date", now.Add(90 * time.Second).Format(http.TimeFormat), nil, 90 * time.Second},
		{"body only", "", body(1500.0), 1500 * time.Millisecond},
		{"header unreadable", "soon", body(1500.0), 1500 * time.Millisecond},
		{"header in the past", now.Add(-time.Hour).Format(http.TimeFormat), body(20.0), 20 * time.Millisecond},
		{"body absurd", "", body(1e300), maxAfter},
		{"header absurd", "99999999", nil, maxAfter},
		{"body of another type", "", body("1500"), 0},
		{"body negative", "", body(-5.0), 0},
	}
	for _, c := range cases {
		h := http.Header{}
		if c.header != "" {
			h.Set("Retry-After", c.header)
		}
		if got := retryAfter(h, c.body, now); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	t.Parallel()
	answer := func(status int, code string) error {
		h := mautrix.HTTPError{Response: &http.Response{StatusCode: status, Header: http.Header{}}}
		if code != "" {
			h.RespError = &mautrix.RespError{ErrCode: code, StatusCode: status}
		}
		return h
	}
	cases := []struct {
		err       error
		want      Kind
		retryable bool
	}{
		{answer(429, "M_LIMIT_EXCEEDED"), KindRateLimited, true},
		{answer(429, ""), KindRateLimited, true},
		{answer(500, "M_UNKNOWN"), KindServer, true},
		{answer(502, ""), KindServer, true},
		{answer(200, ""), KindServer, true},
		{answer(408, ""), KindServer, true},
		{answer(401, "M_UNKNOWN_TOKEN"), KindTokenInvalid, false},
		{answer(403, "M_USER_DEACTIVATED"), KindDeactivated, false},
		{answer(403, "M_FORBIDDEN"), KindForbidden, false},
		{answer(413, "M_BAD_JSON"), KindTooLarge, false},
		{answer(400, "M_BAD_JSON"), KindRefused, false},
		{answer(404, "M_NOT_FOUND"), KindNotFound, false},
		{mautrix.HTTPError{WrappedError: errors.New("connection refused")}, KindUnreachable, true},
		{errors.New("anything else"), KindUnreachable, true},
	}
	for _, c := range cases {
		err := judge(t.Context(), "try", c.err)
		if KindOf(err) != c.want || c.want.Retryable() != c.retryable {
			t.Errorf("%v: %s, want %s", c.err, KindOf(err), c.want)
		}
	}
	if judge(t.Context(), "try", nil) != nil {
		t.Error("no error became one")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if err := judge(ended, "try", answer(500, "")); KindOf(err) != "" || !errors.Is(err, context.Canceled) {
		t.Errorf("our own end was told as %v", err)
	}
}

// The library keeps the request, token included, inside its error.
func TestFaultHoldsNoToken(t *testing.T) {
	t.Parallel()
	req, err := http.NewRequest(http.MethodGet, "http://localhost/", nil)
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer very-secret-token")
	got := judge(t.Context(), "try", mautrix.HTTPError{Request: req, WrappedError: errors.New("cut")})
	for e := got; e != nil; e = errors.Unwrap(e) {
		if _, ok := errors.AsType[mautrix.HTTPError](e); ok || strings.Contains(e.Error(), "very-secret") {
			t.Fatalf("%T %v still holds the request", e, e)
		}
	}
}

func TestBackoff(t *testing.T) {
	t.Parallel()
	for tried := -1; tried < 80; tried++ {
		want := maxBackoff
		if tried < 8 {
			want = firstBackoff << max(tried-1, 0)
		}
		for range 50 {
			if d := backoff(tried, 0); d < want/2 || d > want {
				t.Fatalf("try %d: %s, want between half and all of %s", tried, d, want)
			}
			if d := backoff(tried, 40*time.Second); d < 40*time.Second || d > 56*time.Second {
				t.Fatalf("try %d: %s although 40 s were asked for", tried, d)
			}
		}
	}
}

func TestNextStage(t *testing.T) {
	t.Parallel()
	flow := func(stages ...mautrix.AuthType) mautrix.UIAFlow { return mautrix.UIAFlow{Stages: stages} }
	captcha := mautrix.AuthType("m.login.recaptcha")
	cases := []struct {
		name  string
		flows []mautrix.UIAFlow
		done  []string
		token bool
		want  mautrix.AuthType
	}{
		{"open", []mautrix.UIAFlow{flow(mautrix.AuthTypeDummy)}, nil, false, mautrix.AuthTypeDummy},
		{"shortest first", []mautrix.UIAFlow{flow(tokenStage, mautrix.AuthTypeDummy), flow(mautrix.AuthTypeDummy)}, nil, true, mautrix.AuthTypeDummy},
		{"token needed, none", []mautrix.UIAFlow{flow(tokenStage)}, nil, false, ""},
		{"token", []mautrix.UIAFlow{flow(tokenStage)}, nil, true, tokenStage},
		{"token, then dummy", []mautrix.UIAFlow{flow(tokenStage, mautrix.AuthTypeDummy)}, []string{string(tokenStage)}, true, mautrix.AuthTypeDummy},
		{"captcha beside dummy", []mautrix.UIAFlow{flow(captcha), flow(mautrix.AuthTypeDummy)}, nil, false, mautrix.AuthTypeDummy},
		{"captcha only", []mautrix.UIAFlow{flow(captcha, mautrix.AuthTypeDummy)}, nil, true, ""},
		{"nothing", nil, nil, true, ""},
	}
	for _, c := range cases {
		if got, ok := nextStage(c.flows, c.done, c.token); got != c.want || ok != (c.want != "") {
			t.Errorf("%s: %q %v, want %q", c.name, got, ok, c.want)
		}
	}
}

func TestLocalPart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ key, namespace, want string }{
		{"router", "", "mindroom_router"}, {"news", "home", "mindroom_news_home"},
		{"Big", "", "mindroom_big"}, {"", "", ""}, {"a b", "", ""}, {"a", "x:y", ""}, {strings.Repeat("a", 200), "", ""},
	} {
		got, err := LocalPart(c.key, c.namespace)
		if got != c.want || (err == nil) != (c.want != "") || err != nil && KindOf(err) != KindBadName {
			t.Errorf("%q %q: %q %v", c.key, c.namespace, got, err)
		}
	}
}

func TestAsked(t *testing.T) {
	t.Parallel()
	slow := func(d time.Duration) error {
		return fmt.Errorf("room: %w", &Fault{Kind: KindRateLimited, After: d})
	}
	for _, c := range []struct {
		err  error
		want time.Duration
	}{
		{nil, 0},
		{errors.New("no fault"), 0},
		{slow(time.Second), time.Second},
		{errors.Join(slow(time.Second), errors.New("other"), fmt.Errorf("rooms: %w", errors.Join(slow(time.Minute), slow(0)))), time.Minute},
	} {
		if got := Asked(c.err); got != c.want {
			t.Errorf("%v: %s, want %s", c.err, got, c.want)
		}
	}
}
