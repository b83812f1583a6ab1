package approval

import (
	"context"
	"strings"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// kits is a catalog of one toolkit that declares nothing.
type kits struct{}

func (kits) Names() []string                      { return []string{"kit"} }
func (kits) Fields(string) ([]config.Field, bool) { return nil, true }

// snapshot reads a tool_approval section as the runtime would.
func snapshot(t *testing.T, approval string) *config.Snapshot {
	t.Helper()
	text := "models: {default: {provider: scripted, id: demo}}\n" +
		"agents: {watcher: {display_name: Watcher, rooms: [operations]}}\n" +
		"authorization: {default_room_access: true}\n" +
		"tool_approval: " + approval + "\n"
	cfg, _, err := config.Parse("/etc/mindroom/config.yaml", []byte(text), kits{}, config.Env{})
	if err != nil {
		t.Fatalf("%s: %v", approval, err)
	}
	return &config.Snapshot{Number: 1, Config: cfg}
}

func question(snap *config.Snapshot, function string) tool.Question {
	name := tool.Name{Toolkit: "kit", Function: function}
	call := tool.Call{Ref: tool.Ref{Door: tool.DoorTurn}, Name: name, Args: canonical.EmptyObject}
	return tool.Question{Call: call, Function: &tool.Function{Name: name}, Snapshot: snap}
}

// Preapproval is a matter of unattended doors: alone it allows nothing.
func TestPreapprovedIsNothingToAttendedDoors(t *testing.T) {
	t.Parallel()
	q := question(snapshot(t, "{default: require_approval}"), "do_it")
	q.Preapproved = true
	if v := (Rules{}).Evaluate(t.Context(), q); v.Kind != tool.Ask {
		t.Errorf("an attended call was decided by a launch's list: %+v", v)
	}
}

// A context that is not known denies, whatever the rules would say.
func TestUnknownContextDenies(t *testing.T) {
	t.Parallel()
	snap := snapshot(t, "{rules: [{match: '*', action: auto_approve}]}")
	for name, q := range map[string]tool.Question{
		"nothing at all":      {},
		"no configuration":    question(nil, "do_it"),
		"no function":         {Snapshot: snap, Preapproved: true},
		"no function, listed": {Snapshot: snap, Unattended: true, Preapproved: true, Call: question(snap, "do_it").Call},
		"no door":             {Snapshot: snap, Function: question(snap, "do_it").Function, Call: tool.Call{}},
		"a door nobody knows": {Snapshot: snap, Function: question(snap, "do_it").Function, Call: tool.Call{Ref: tool.Ref{Door: "window"}}},
	} {
		if v := (Rules{}).Evaluate(t.Context(), q); v.Kind != tool.Deny || v.Reason == "" {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

// The first rule that matches decides, by the function's bare name.
func TestFirstMatchWins(t *testing.T) {
	t.Parallel()
	const list = `[{match: read_secret, action: deny, reason: "ask the owner"}, {match: "read_*", action: auto_approve},
		{match: "[!r]*", action: require_approval}, {match: "*", action: deny}]`
	snap := snapshot(t, "{rules: "+list+"}")
	for function, want := range map[string]struct {
		kind         tool.VerdictKind
		rule, reason string
	}{
		"read_secret": {tool.Deny, `"read_secret" (deny)`, "ask the owner"},
		"read_url":    {tool.Allow, `"read_*" (auto_approve)`, ""},
		"send_email":  {tool.Ask, `"[!r]*" (require_approval)`, ""},
		"run_shell":   {tool.Deny, `"*" (deny)`, "an operator's rule denies kit.run_shell"},
		"Read_url":    {tool.Ask, `"[!r]*" (require_approval)`, ""},
	} {
		v := Rules{}.Evaluate(t.Context(), question(snap, function))
		if v.Kind != want.kind || v.Reason != want.reason || !strings.Contains(v.Rule, want.rule) || !strings.Contains(v.Rule, "config.yaml:") {
			t.Errorf("%s: %+v", function, v)
		}
	}
}

// A rule with a slip in its pattern still holds what it names.
func TestRuleWithASlip(t *testing.T) {
	t.Parallel()
	snap := snapshot(t, `{rules: [{match: "*[do_it", action: deny}]}`)
	if v := (Rules{}).Evaluate(t.Context(), question(snap, "x[do_it")); v.Kind != tool.Deny {
		t.Errorf("it was judged as if there were no rule: %+v", v)
	}
}

func TestTimeouts(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	for _, c := range []struct {
		approval, function string
		confirm            bool
		want               time.Duration
	}{
		{`{default: require_approval}`, "a", false, 7 * day},
		{`{default: require_approval, timeout_days: 0.5}`, "a", false, day / 2},
		{`{timeout_days: 3, rules: [{match: a, action: require_approval}]}`, "a", false, 3 * day},
		{`{timeout_days: 3, rules: [{match: a, action: require_approval, timeout_days: 1}]}`, "a", false, day},
		{`{timeout_days: 3, rules: [{match: b, action: require_approval, timeout_days: 1}]}`, "a", true, 3 * day},
		{`{timeout_days: 3, rules: [{match: a, action: auto_approve, timeout_days: 1}]}`, "a", true, day},
		{`{timeout_days: 3, rules: [{match: a, script: ` + star(t, "True") + `, timeout_days: 2}]}`, "a", false, 2 * day},
	} {
		q := question(snapshot(t, c.approval), c.function)
		q.Function.Confirm = c.confirm
		if v := (Rules{Scripts: scripts(t)}).Evaluate(t.Context(), q); v.Kind != tool.Ask || v.Timeout != c.want {
			t.Errorf("%s: %s for %s, want ask for %s", c.approval, v.Kind, v.Timeout, c.want)
		}
	}
}

// Rules apply live: the answer is of the snapshot that comes with the question.
func TestRulesApplyLive(t *testing.T) {
	t.Parallel()
	before, after := snapshot(t, "{}"), snapshot(t, "{rules: [{match: do_it, action: require_approval}]}")
	var one tool.Policy = Rules{}
	for i, c := range []struct {
		snap *config.Snapshot
		want tool.VerdictKind
	}{{before, tool.Allow}, {after, tool.Ask}, {before, tool.Allow}} {
		if v := one.Evaluate(context.Background(), question(c.snap, "do_it")); v.Kind != c.want {
			t.Errorf("question %d: %s, want %s", i, v.Kind, c.want)
		}
	}
}
