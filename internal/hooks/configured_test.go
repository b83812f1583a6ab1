package hooks

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"mindroom/internal/config/format"
	"mindroom/internal/tool"
)

// Hooks are asked in the order of the file, those that match, until one declines; a change of the file reaches the next call.
func TestOrderMatchAndReload(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var asked []string
	s := webhook(t, func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		asked = append(asked, r.URL.Path)
		_, _ = io.WriteString(w, map[bool]string{true: `{"decision":"deny"}`, false: `{"decision":"allow"}`}[r.URL.Path == "/no"])
	})
	r := open(t, asking(s.URL+"/first", ", match: [read_*, send_*]")+asking(s.URL+"/no", `, match: ["send_*"]`)+asking(s.URL+"/last", ""))
	heard := func(function string, declined bool, want ...string) {
		t.Helper()
		asked = nil
		if fault := r.Before(t.Context(), call(t, function, `{}`)); (fault != nil) != declined {
			t.Errorf("%s: %v", function, fault)
		}
		if diff := cmp.Diff(want, asked); diff != "" {
			t.Errorf("%s: %s", function, diff)
		}
	}
	heard("send_mail", true, "/first", "/no")
	heard("read_mail", false, "/first", "/last")
	heard("other", false, "/last")
	if err := publish(t, r, asking(s.URL+"/no", "")); err != nil {
		t.Fatal(err)
	}
	heard("other", true, "/no")
	if err := publish(t, r, "  []\n"); err != nil {
		t.Fatal(err)
	}
	heard("other", false)
}

// A hook sees the call whatever its door, without what is secret.
func TestWhatAHookSees(t *testing.T) {
	t.Parallel()
	bodies := make(chan []byte, 10)
	s := webhook(t, func(w http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body)
		bodies <- b
		_, _ = io.WriteString(w, `{"decision":"allow"}`)
	})
	r := open(t, asking(s.URL, "")+fmt.Sprintf("  - {event: \"tool:after_call\", url: %q}\n", s.URL))
	r.Redactor.Add("capability-of-the-run")
	for _, door := range []tool.Door{tool.DoorScript, tool.DoorTurn, tool.DoorCLI} {
		c := call(t, "send", `{"to":"ben","n":9007199254740993,"token":"abc","note":"it is capability-of-the-run"}`)
		c.Door = door
		c.Parent = &tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: "p"}
		if fault := r.Before(t.Context(), c); fault != nil {
			t.Fatal(fault)
		}
		want := `{"version":1,"event":"tool:before_call","call":"` + string(door) + `:script-1:call-1","door":"` + string(door) +
			`","owner":"script-1","call_id":"call-1","parent":"turn:turn-1:p","toolkit":"mail","function":"send",` +
			`"arguments":{"n":9007199254740993,"note":"it is [redacted]","to":"ben","token":"[redacted]"},"arguments_digest":"` + c.Args.Digest() +
			`","agent":"watcher","requester":"@anna:example.org","room":"!ops:example.org","thread":"$root","session":"!ops:example.org:$root","depth":0`
		if got := string(<-bodies); got != want+"}\n" {
			t.Errorf("before:\n%s\nwant\n%s", got, want+"}")
		}
		r.After(t.Context(), c, tool.Completed(json.RawMessage(`{"sent":true,"api_key":"k","said":"capability-of-the-run"}`)), 1500*time.Millisecond)
		want = strings.Replace(want, format.BeforeCall, format.AfterCall, 1)
		end := `,"outcome":{"state":"completed","result":{"api_key":"[redacted]","said":"[redacted]","sent":true},"seconds":1.5}}` + "\n"
		if got := string(<-bodies); got != want+end {
			t.Errorf("after:\n%s\nwant\n%s", got, want+end)
		}
		r.After(t.Context(), c, tool.Failed(tool.Faultf(tool.FaultDenied, "no capability-of-the-run")), 0)
		end = `,"outcome":{"state":"failed","kind":"approval_denied","message":"no [redacted]","result":null,"seconds":0}}` + "\n"
		if got := string(<-bodies); got != want+end {
			t.Errorf("a refusal:\n%s\nwant\n%s", got, want+end)
		}
		r.After(t.Context(), c, tool.Completed(json.RawMessage(`"`+strings.Repeat("x", maxResult)+`"`)), 0)
		end = `,"outcome":{"state":"completed","result":null,"result_omitted":true,"seconds":0}}` + "\n"
		if got := string(<-bodies); got != want+end {
			t.Errorf("a long result:\n%.300s\nwant\n%s", got, want+end)
		}
	}
}

// Telling of an end holds nobody up; a stop waits for what is still to be told.
func TestAfterIsBesideTheReceipt(t *testing.T) {
	t.Parallel()
	hold := make(chan struct{})
	var mu sync.Mutex
	told := 0
	s := webhook(t, func(_ http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		<-hold
		mu.Lock()
		defer mu.Unlock()
		told++
	})
	r := open(t, fmt.Sprintf("  - {event: \"tool:after_call\", url: %q, timeout_seconds: 60}\n", s.URL))
	for range tellMost + 3 {
		r.After(t.Context(), call(t, "send", `{}`), tool.Completed(nil), 0)
	}
	if n := strings.Count(r.log.String(), "ends wait to be told already"); n != 3 {
		t.Errorf("%d were dropped and logged, want the 3 that were too many", n)
	}
	close(hold)
	if err := r.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	mu.Lock()
	defer mu.Unlock()
	if told != tellMost {
		t.Errorf("%d were told, want %d", told, tellMost)
	}
}

// What a hook that is told answers or how it fails changes nothing, and is logged.
func TestAfterThatFails(t *testing.T) {
	t.Parallel()
	r := open(t, `  - {event: "tool:after_call", run: [./hook], timeout_seconds: 60}`+"\n")
	r.program(t, "hook", `cat >told; echo '{"decision":"deny"}'; exit 7`)
	r.After(t.Context(), call(t, "send", `{}`), tool.Completed(nil), 0)
	if err := r.Drain(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(r.read(t, "told"), `"event":"tool:after_call"`) || !strings.Contains(r.log.String(), "exit status 7") {
		t.Errorf("%s, %s", r.read(t, "told"), r.log)
	}
}

// FuzzParseAnswer holds that nothing but the exact word lets a call pass.
func FuzzParseAnswer(f *testing.F) {
	for _, body := range []string{`{"decision":"allow"}`, `{"decision":"deny","reason":"r"}`, `{"decision":"deny","decision":"allow"}`, `{}`, `[]`, "\xff", `{"DECISION":"allow"}`} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		allow, reason, err := parseAnswer(body)
		var exact map[string]any
		decided := json.Unmarshal(body, &exact) == nil && exact["decision"] == "allow"
		if allow && (err != nil || !decided) || err == nil && !allow && reason == "" {
			t.Errorf("%q: %v, %q, %v", body, allow, reason, err)
		}
	})
}
