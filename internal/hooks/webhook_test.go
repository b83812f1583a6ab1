package hooks

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/tool"
)

func webhook(t testing.TB, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func asking(url, more string) string {
	return fmt.Sprintf("  - {event: \"tool:before_call\", url: %q, timeout_seconds: 60%s}\n", url, more)
}

func TestWebhookDecides(t *testing.T) {
	t.Parallel()
	answer := func(status int, body string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}
	}
	stranger := webhook(t, answer(200, `{"decision":"allow"}`))
	for name, c := range map[string]struct {
		handle http.HandlerFunc
		says   string // of the decline; empty: the call goes on
		logs   string
	}{
		"allows":          {answer(200, `{"decision":"allow"}`), "", ""},
		"created":         {answer(201, `{"decision":"allow"}`), "", ""},
		"denies":          {answer(200, `{"decision":"deny","reason":"no"}`), "told: no", ""},
		"an error":        {answer(500, `{"decision":"allow"}`), "gave no answer", "status 500"},
		"forbidden":       {answer(403, `{"decision":"allow"}`), "gave no answer", "status 403"},
		"no content":      {answer(204, ``), "gave no answer", "it did not answer"},
		"too much":        {answer(200, `{"decision":"allow","x":"`+strings.Repeat("x", maxAnswer)+`"}`), "gave no answer", "more than"},
		"a page":          {answer(200, `<html>`), "gave no answer", "it did not answer"},
		"hangs up":        {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "gave no answer", "EOF"},
		"moved to itself": {moved(http.StatusTemporaryRedirect, ""), "", ""},
		"moved for good":  {moved(http.StatusPermanentRedirect, ""), "", ""},
		"moved as a GET":  {moved(http.StatusSeeOther, ""), "gave no answer", "loses the event"},
		"moved elsewhere": {moved(http.StatusTemporaryRedirect, stranger.URL), "gave no answer", "another host"},
		"moved in a circle": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "/told", http.StatusTemporaryRedirect)
		}, "gave no answer", "more than 3 times"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := open(t, asking(webhook(t, c.handle).URL+"/told?key=a-key-in-the-query", ", name: told"))
			fault := r.Before(t.Context(), call(t, "send", `{}`))
			if (fault == nil) != (c.says == "") || fault != nil && (fault.Kind != tool.FaultDeclined || !strings.Contains(fault.Message, c.says)) {
				t.Fatalf("%+v", fault)
			}
			if !strings.Contains(r.log.String(), c.logs) || strings.Contains(r.log.String(), "a-key-in-the-query") {
				t.Errorf("log: %s", r.log)
			}
		})
	}
}

// moved sends to another path, which answers when the whole event came there.
func moved(status int, host string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var e Event
		if err := json.NewDecoder(r.Body).Decode(&e); r.URL.Path == "/new" && r.Method == http.MethodPost && err == nil && e.Function == "send" {
			_, _ = io.WriteString(w, `{"decision":"allow"}`)
			return
		}
		http.Redirect(w, r, host+"/new", status)
	}
}

// A signed request can be checked by whoever holds the secret.
func TestWebhookIsSigned(t *testing.T) {
	t.Parallel()
	s := webhook(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		mac := hmac.New(sha256.New, []byte("a secret of the test"))
		fmt.Fprintf(mac, "%s.%s", r.Header.Get(TimestampHeader), body)
		if r.Header.Get(SignatureHeader) != "v1="+hex.EncodeToString(mac.Sum(nil)) || r.Header.Get("Content-Type") != "application/json" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = io.WriteString(w, `{"decision":"allow"}`)
	})
	r := open(t, asking(s.URL, ", secret_env: HOOK_SECRET"))
	if fault := r.Before(t.Context(), call(t, "send", `{"to":"ben"}`)); fault != nil {
		t.Errorf("%v, %s", fault, r.log)
	}
	if err := publish(t, r, asking(s.URL, ", secret_env: NOT_SET")); err != nil {
		t.Fatal(err)
	}
	if fault := r.Before(t.Context(), call(t, "send", `{}`)); fault == nil || !strings.Contains(r.log.String(), "NOT_SET") {
		t.Errorf("without the variable: %v, %s", fault, r.log)
	}
	if strings.Contains(r.log.String(), "a secret of the test") {
		t.Error("the secret is in the log")
	}
}

// An address that does not answer holds a call no longer than the timeout.
func TestWebhookThatHangs(t *testing.T) {
	t.Parallel()
	var reached atomic.Bool
	gone := make(chan struct{})
	s := webhook(t, func(w http.ResponseWriter, r *http.Request) {
		reached.Store(true)
		_, _ = io.Copy(io.Discard, r.Body)
		w.WriteHeader(200)
		_, _ = io.WriteString(w, `{"decision":`)
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		close(gone)
	})
	r := open(t, fmt.Sprintf("  - {event: \"tool:before_call\", url: %q, timeout_seconds: 0.2}\n", s.URL))
	fault := r.Before(t.Context(), call(t, "send", `{}`))
	if fault == nil || !strings.Contains(fault.Message, "not within 200ms") {
		t.Errorf("%v", fault)
	}
	if !reached.Load() {
		return // on a busy machine the time was over before it came there
	}
	select {
	case <-gone:
	case <-time.After(patience):
		t.Error("the connection was kept")
	}
}
