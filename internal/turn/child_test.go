package turn

import (
	"slices"
	"strings"
	"testing"

	"mindroom/internal/model"
	"mindroom/internal/tool"
)

// A subagent answers its caller and nobody else: it has its own agent's prompt and
// tools, its calls are its own, and the room sees of it what it called.
func TestSubagent(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(
		calls("run_subagent", `{"task":"Look there.","agent":"helper"}`),
		calls("echo", `{"key":"k"}`), says("Found it."),
		says("The helper found it."))
	id := b.ask("$1", "please look")
	b.ends(id, Answered)
	r := b.report()
	if r.State != SubagentCompleted || r.Agent != "helper" || r.Result != "Found it." || !strings.HasPrefix(r.ID, "sub-") {
		t.Errorf("the report is %+v", r)
	}
	asked := b.model.asked()
	if got := asked[1].System; !strings.Contains(got, "You help.") || !strings.Contains(got, "subagent of the agent watcher") || strings.Contains(got, "You watch.") {
		t.Errorf("the subagent's prompt is %q", got)
	}
	if asked[1].Agent != "helper" || len(asked[1].Messages) != 1 || asked[1].Messages[0].Text() != "Look there." {
		t.Errorf("the subagent was asked %+v", asked[1].Messages)
	}
	if got := b.result(3, 0); got != "helper completed: Found it." {
		t.Errorf("the caller reads %q", got)
	}
	for key := range deliveries(t, b.db) {
		if !strings.Contains(key, id) {
			t.Errorf("the subagent said something in the room: %s", key)
		}
	}
	if text := b.said(id); !strings.Contains(text, "`helper: echo`") {
		t.Errorf("the room reads %q", text)
	}
	var mine []string
	for _, e := range b.audit.all() {
		mine = append(mine, e.Call.Who.Agent+" "+e.Call.Name.Function)
		if e.Call.Who.Agent == "helper" && (e.Call.Who.Requester != ann || e.Call.Who.Room != roomID || e.Call.Owner != b.subagent(r.ID).turn) {
			t.Errorf("the call is recorded as %+v", e.Call)
		}
	}
	if !slices.Equal(mine, []string{"helper echo", "watcher run_subagent"}) {
		t.Errorf("the audit has %v", mine)
	}
}

// A continued subagent goes on from all it said and did, and its caller alone can
// continue it.
func TestContinueSubagent(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(
		calls("run_subagent", `{"task":"First.","agent":"helper","model":"small"}`), calls("echo", `{"key":"k"}`), says("One."), says("So."))
	first := b.ask("$1", "begin")
	b.ends(first, Answered)
	sub := b.report().ID
	b.model.plays(calls("continue_subagent", args(map[string]string{"id": sub, "message": "Second."})), says("Two."), says("So."))
	b.ends(b.ask("$2", "go on"), Answered)
	if r := b.report(); r.Result != "Two." || r.ID != sub {
		t.Errorf("the report is %+v", r)
	}
	var said []string
	for _, m := range b.model.asked()[5].Messages {
		said = append(said, string(m.Role)+" "+m.Text())
	}
	if want := []string{"user First.", "assistant ", "tool ", "assistant One.", "user Second."}; !slices.Equal(said, want) {
		t.Errorf("it was asked %q", said)
	}
	b.model.plays(calls("continue_subagent", args(map[string]string{"id": sub, "message": "Third."})), says("So."))
	b.ends(b.askIn("$elsewhere", "$3", "and here?"), Answered)
	if got := b.result(8, 0); !strings.HasPrefix(got, "refused: There is no subagent") {
		t.Errorf("another conversation reads %q", got)
	}
}

// Whatever cannot be is answered with why, and nothing is started.
func TestRefusedSubagents(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ args, want string }{
		"an agent that is not listed": {`{"task":"x","agent":"stranger"}`, "You may hand work to: helper, watcher."},
		"no agent of that name":       {`{"task":"x","agent":"nobody"}`, "You may hand work to"},
		"no task":                     {`{"task":"  "}`, "needs a task"},
		"a model that is not there":   {`{"task":"x","model":"huge"}`, "model huge is not in the configuration"},
		"another agent, authored":     {`{"task":"x","agent":"helper","prompt":"Be me."}`, "make a subagent out of yourself"},
		"another agent's tools":       {`{"task":"x","agent":"helper","tools":["probe"]}`, "make a subagent out of yourself"},
		"tools it does not have":      {`{"task":"x","tools":["probe.echo","shell","probe.none"]}`, "shell, probe.none. An entry is a toolkit"},
		"too long a prompt":           {args(map[string]string{"task": "x", "prompt": strings.Repeat("p", maxPrompt+1)}), "at most 65536"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFamily(t)
			b.model.plays(calls("run_subagent", c.args), says("So."))
			b.ends(b.ask("$1", "please"), Answered)
			if got := b.result(1, 0); !strings.HasPrefix(got, "refused: ") || !strings.Contains(got, c.want) {
				t.Errorf("the caller reads %q", got)
			}
			if n := len(b.model.asked()); n != 2 {
				t.Errorf("%d questions were asked", n)
			}
		})
	}
}

// Three may stand above one another; the fourth is explained away.
func TestDepthOfDelegation(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	down := func(agent string) answer {
		return calls("run_subagent", args(map[string]string{"task": "deeper", "agent": agent}))
	}
	b.model.plays(down("helper"), down("deeper"), down("deepest"), down("helper"), says("3"), says("2"), says("1"), says("0"))
	id := b.ask("$1", "down")
	b.ends(id, Answered)
	if got := b.result(4, 0); !strings.Contains(got, "at most 3 above one another") {
		t.Errorf("the deepest reads %q", got)
	}
	if got := b.result(7, 0); got != "helper completed: 1" {
		t.Errorf("the first reads %q", got)
	}
	if text := b.said(id); !strings.HasSuffix(text, "0") {
		t.Errorf("the room reads %q", text)
	}
}

// An authored subagent is its caller with other words and fewer tools, and cannot
// hand on what it was not given.
func TestAuthoredSubagent(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	names := func(req model.Request) (all []string) {
		for _, tl := range req.Tools {
			all = append(all, tl.Name)
		}
		return all
	}
	b.model.plays(
		calls("run_subagent", `{"task":"x","prompt":"You are {nobody}.","tools":["probe.echo","delegate"]}`),
		calls("hold", `{"key":"h"}`, "run_subagent", `{"task":"y"}`),
		says("inner"), says("outer"), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	asked := b.model.asked()
	if got := asked[1].System; !strings.Contains(got, "You are {nobody}.") || strings.Contains(got, "You watch.") {
		t.Errorf("its prompt is %q", got)
	}
	want := []string{"echo", "run_subagent", "continue_subagent", "stop_subagent", "list_subagents"}
	if !slices.Equal(names(asked[1]), want) || !slices.Equal(names(asked[2]), want) {
		t.Errorf("it has %v, its own subagent %v", names(asked[1]), names(asked[2]))
	}
	if got := b.result(3, 0); !strings.HasPrefix(got, "unknown_function") && !strings.HasPrefix(got, "not_available") {
		t.Errorf("a tool it was not given answers %q", got)
	}
	if b.tools.times("h") != 0 {
		t.Error("a tool it was not given ran")
	}
}

// No tools at all is something else than all of them.
func TestAuthoredSubagentWithoutTools(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(calls("run_subagent", `{"task":"x","tools":[]}`), says("mine"), says("So."))
	b.ends(b.ask("$1", "please"), Answered)
	if tools := b.model.asked()[1].Tools; len(tools) != 0 {
		t.Errorf("it has %d tools", len(tools))
	}
	if r := b.subagent(b.report().ID); r.tools == nil || len(r.tools) != 0 {
		t.Errorf("it is kept with the tools %#v", r.tools)
	}
}

// The end of a caller is the end of its subagents.
func TestCancelledCaller(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("hold", `{"key":"h"}`))
	id := b.ask("$1", "please")
	b.arrives()
	b.cancels(id, true)
	b.ends(id, Cancelled)
	s := b.only()
	if s.state != SubagentCancelled || b.row(s.turn).state != Cancelled {
		t.Errorf("the subagent is %s, its turn %s", s.state, b.row(s.turn).state)
	}
	if n := len(s.transcript); s.transcript[n-1].Role != model.RoleAssistant || s.transcript[n-2].Role != model.RoleTool {
		t.Errorf("it cannot go on from %+v", s.transcript)
	}
	for _, e := range b.audit.all() {
		if e.Call.Name == (tool.Name{Toolkit: "probe", Function: "hold"}) && e.Outcome.State != tool.StateIndeterminate {
			t.Errorf("the call ended %s", e.Outcome.State)
		}
	}
}

// What worked when the process died ends interrupted and runs nothing again; it can
// be continued.
func TestRestartWithSubagent(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("hold", `{"key":"h"}`))
	id := b.ask("$1", "please")
	b.arrives()
	next := b.fork()
	next.start()
	next.ends(id, Interrupted)
	next.ends(next.only().turn, Interrupted)
	s := next.only()
	if s.state != SubagentInterrupted || next.row(s.turn).state != Interrupted || next.tools.times("h") != 0 {
		t.Errorf("the subagent is %s, its turn %s", s.state, next.row(s.turn).state)
	}
	next.model.plays(calls("list_subagents", `{}`, "continue_subagent", args(map[string]string{"id": s.id, "message": "And?"})), says("Later."), says("So."))
	next.ends(next.ask("$2", "and?"), Answered)
	if got := next.result(2, 0); !strings.HasPrefix(got, "helper ") {
		t.Errorf("the list reads %q", got)
	}
	if r := next.report(); r.State != SubagentCompleted || r.Result != "Later." {
		t.Errorf("continued it is %+v", r)
	}
	close(b.tools.release)
}
