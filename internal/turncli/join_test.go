package turncli

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"mindroom/internal/audit"
	"mindroom/internal/tool"
)

// The same id with the same function and arguments joins the call, at any time;
// with others it conflicts (C08).
func TestJoining(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	scope, c := h.window(h.open(nil), "toolu_1")
	c.submit(1, "kit.block", `{}`)
	<-h.kit.entered
	c.call(2, "kit.echo", `{"text":"x"}`)
	if a := c.submit(1, "kit.block", `{}`); a.text("status") != "running" {
		t.Errorf("joined while it runs: %s", a.raw)
	}
	if a := c.submit(2, "kit.echo", ` { "text" : "\u0078" } `); a.body["outcome"] != "x" {
		t.Errorf("the same arguments in another spelling: %d %s", a.status, a.raw)
	}
	h.kit.release <- struct{}{}
	c.until(1, "completed")
	scope.Close(t.Context())
	for _, other := range []struct{ name, args string }{
		{"kit.echo", `{"text":"y"}`}, {"kit.echo", `{"text":"x","list":[]}`}, {"kit.fail", `{"text":"x"}`}, {"wide.echo", `{"text":"x"}`},
	} {
		if a := c.submit(2, other.name, other.args); a.status != 409 || a.text("code") != string(CodeConflict) {
			t.Errorf("%s %s: %d %s", other.name, other.args, a.status, a.raw)
		}
	}
	if a := c.submit(2, "kit.echo", `{"text":"x"}`); a.text("status") != "completed" {
		t.Errorf("joined after the window: %d %s", a.status, a.raw)
	}
	if h.kit.count("echo") != 1 || h.kit.count("block") != 1 || h.kit.count("fail") != 0 {
		t.Errorf("ran %v", h.kit.seen)
	}
}

// noting hooks remember what they see, and decline one text.
type noting struct {
	mu   sync.Mutex
	seen []string
}

func (n *noting) note(s string) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.seen = append(n.seen, s)
}

func (n *noting) Before(_ context.Context, c tool.Call) *tool.Fault {
	n.note("before " + c.Name.Function)
	if strings.Contains(string(c.Args.Canonical()), "decline") {
		return tool.Faultf(tool.FaultDeclined, "a hook declined it")
	}
	return nil
}

func (n *noting) After(_ context.Context, c tool.Call, out tool.Outcome, _ time.Duration) {
	n.note("after " + c.Name.Function + " " + string(out.State))
}

// Calls of commands pass the same hooks, rules and records as the model's own,
// under the response's identity, whatever a request says (C23, C24).
func TestCallsAreLikeDirectOnes(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	seen := &noting{}
	h.Room.Hooks = seen
	var events []string
	var mu sync.Mutex
	o := h.open(func(open *Opening) {
		open.Depth = 2
		open.Observe = func(s Seen) {
			mu.Lock()
			defer mu.Unlock()
			events = append(events, fmt.Sprintf("%s %s%s", s.Call.ID[len(s.Call.ID)-1:], s.Event, s.Outcome.State))
		}
	})
	_, c := h.window(o, "toolu_1")
	c.call(1, "kit.echo", `{"text":"x","list":["a"]}`)
	if a := c.call(2, "kit.echo", `{"text":"decline"}`); a.outcome("code") != string(tool.FaultDeclined) {
		t.Errorf("a hook declined: %s", a.raw)
	}
	c.call(3, "kit.nothing", `{}`)
	if got := strings.Join(seen.seen, ", "); got != "before echo, after echo completed, before echo, after echo failed, after nothing failed" {
		t.Errorf("hooks saw %s", got)
	}
	mu.Lock()
	if got := strings.Join(events, ", "); got != "1 queued, 1 began, 1 endedcompleted, 2 queued, 2 endedfailed, 3 queued, 3 endedfailed" {
		t.Errorf("the trace is %s", got)
	}
	mu.Unlock()
	records, err := audit.Of(t.Context(), h.db, o.turn)
	must(t, err)
	if len(records) != 3 {
		t.Fatalf("%d records", len(records))
	}
	for _, r := range records {
		if r.Requester != "@anna:x" || r.Agent != "helper" || r.Room != "!ops:x" || r.Ref.Door != tool.DoorCLI {
			t.Errorf("a record of %+v", r)
		}
	}
}
