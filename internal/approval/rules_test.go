package approval

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

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
	return tool.Question{Call: tool.Call{Name: name}, Function: &tool.Function{Name: name}, Snapshot: snap}
}

// matrix is the whole decision: every rule that may match, what the function
// itself declares and the default, against every context of a door. declared
// stands for an Ask of the function itself.
const matrix = `
rule     function  default | attended  preapproved  unattended
none     plain     auto    | allow     allow        ask
none     plain     require | ask       allow        ask
none     confirm   auto    | declared  declared     declared
none     confirm   require | declared  declared     declared
auto     plain     auto    | allow     allow        allow
auto     plain     require | allow     allow        allow
auto     confirm   auto    | declared  declared     declared
auto     confirm   require | declared  declared     declared
require  plain     auto    | ask       ask          ask
require  plain     require | ask       ask          ask
require  confirm   auto    | declared  declared     declared
require  confirm   require | declared  declared     declared
deny     plain     auto    | deny      deny         deny
deny     plain     require | deny      deny         deny
deny     confirm   auto    | deny      deny         deny
deny     confirm   require | deny      deny         deny
script   plain     auto    | ask       ask          ask
script   plain     require | ask       ask          ask
script   confirm   auto    | declared  declared     declared
script   confirm   require | declared  declared     declared
`

var rules = map[string]string{
	"none":    `[]`,
	"auto":    `[{match: do_it, action: auto_approve}]`,
	"require": `[{match: do_it, action: require_approval}]`,
	"deny":    `[{match: do_it, action: deny}]`,
	"script":  `[{match: do_it, script: /etc/mindroom/check.py}]`,
}

var defaults = map[string]string{"auto": "auto_approve", "require": "require_approval"}

func TestMatrix(t *testing.T) {
	t.Parallel()
	rows := strings.Split(strings.TrimSpace(matrix), "\n")
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		f := strings.Fields(row)
		seen[strings.Join(f[:3], " ")] = true
		snap := snapshot(t, fmt.Sprintf("{default: %s, rules: %s}", defaults[f[2]], rules[f[0]]))
		for i, context := range []struct {
			name                    string
			unattended, preapproved bool
		}{{"attended", false, false}, {"preapproved", true, true}, {"unattended", true, false}} {
			q := question(snap, "do_it")
			q.Function.Confirm = f[1] == "confirm"
			q.Unattended, q.Preapproved = context.unattended, context.preapproved
			v := Rules{}.Evaluate(t.Context(), q)
			got := string(v.Kind)
			if v.Declared {
				got = map[tool.VerdictKind]string{tool.Ask: "declared"}[v.Kind]
			}
			if want := f[4+i]; got != want {
				t.Errorf("%s, %s: %+v, want %s", row, context.name, v, want)
			}
			if v.Rule == "" || (v.Kind == tool.Deny) != (v.Reason != "") || (v.Kind == tool.Ask) != (v.Timeout > 0) {
				t.Errorf("%s, %s: a person cannot tell why from %+v", row, context.name, v)
			}
		}
	}
	if want := len(rules) * len(defaults) * 2; len(seen) != want {
		t.Errorf("the table has %d rows, want every one of %d", len(seen), want)
	}
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
		"no function, listed": {Snapshot: snap, Unattended: true, Preapproved: true, Call: tool.Call{Name: tool.Name{Toolkit: "kit", Function: "do_it"}}},
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
		{`{timeout_days: 3, rules: [{match: a, script: /c.py, timeout_days: 2}]}`, "a", false, 2 * day},
	} {
		q := question(snapshot(t, c.approval), c.function)
		q.Function.Confirm = c.confirm
		if v := (Rules{}).Evaluate(t.Context(), q); v.Kind != tool.Ask || v.Timeout != c.want {
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
