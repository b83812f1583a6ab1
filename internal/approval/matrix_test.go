package approval

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/tool"
)

// doors are the contexts a call can come from, with what their Terms say.
var doors = []struct {
	name        string
	door        tool.Door
	unattended  bool
	launchMayOK bool // a launch's list may preapprove
}{
	{"turn", tool.DoorTurn, false, false},
	{"cli", tool.DoorCLI, false, false},
	{"script", tool.DoorScript, true, false},
	{"listed", tool.DoorScript, true, true},
	{"unknown", "", false, false},
}

// kinds of functions. Whether a list preapproves one is the launch's decision, which never makes it for an ambiguous name or a toolkit that is never
// preapproved (internal/script.TestAmbiguousNamesStayGated, TestConformanceThreeToolkitsAreNeverPreapproved).
var kinds = map[string]struct{ confirm, listed bool }{
	"plain":     {false, true},
	"confirm":   {true, true},
	"never":     {false, false},
	"ambiguous": {false, false},
}

// matrix is the whole decision: every kind of rule that may match, every default and every kind of function against every door. A cell for the kinds never and
// ambiguous is that of plain, except for listed, which is that of script. declared is an Ask of the function itself.
const matrix = `
rule     default function | turn     cli      script   listed   unknown
none     auto    plain    | allow    allow    ask      allow    deny
none     require plain    | ask      ask      ask      allow    deny
none     auto    confirm  | declared declared declared declared deny
none     require confirm  | declared declared declared declared deny
auto     auto    plain    | allow    allow    allow    allow    deny
auto     require plain    | allow    allow    allow    allow    deny
auto     auto    confirm  | declared declared declared declared deny
auto     require confirm  | declared declared declared declared deny
require  auto    plain    | ask      ask      ask      ask      deny
require  require plain    | ask      ask      ask      ask      deny
require  auto    confirm  | declared declared declared declared deny
require  require confirm  | declared declared declared declared deny
deny     auto    plain    | deny     deny     deny     deny     deny
deny     require plain    | deny     deny     deny     deny     deny
deny     auto    confirm  | deny     deny     deny     deny     deny
deny     require confirm  | deny     deny     deny     deny     deny
true     auto    plain    | ask      ask      ask      ask      deny
true     require plain    | ask      ask      ask      ask      deny
true     auto    confirm  | declared declared declared declared deny
true     require confirm  | declared declared declared declared deny
false    auto    plain    | allow    allow    allow    allow    deny
false    require plain    | allow    allow    allow    allow    deny
false    auto    confirm  | declared declared declared declared deny
false    require confirm  | declared declared declared declared deny
raises   auto    plain    | deny     deny     deny     deny     deny
raises   require plain    | deny     deny     deny     deny     deny
raises   auto    confirm  | deny     deny     deny     deny     deny
raises   require confirm  | deny     deny     deny     deny     deny
hangs    auto    plain    | deny     deny     deny     deny     deny
hangs    require plain    | deny     deny     deny     deny     deny
hangs    auto    confirm  | deny     deny     deny     deny     deny
hangs    require confirm  | deny     deny     deny     deny     deny
missing  auto    plain    | deny     deny     deny     deny     deny
missing  require plain    | deny     deny     deny     deny     deny
missing  auto    confirm  | deny     deny     deny     deny     deny
missing  require confirm  | deny     deny     deny     deny     deny
`

// TestMatrix holds the table for Starlark and Python alike.
func TestMatrix(t *testing.T) {
	t.Parallel()
	for _, language := range []string{"star", "py"} {
		t.Run(language, func(t *testing.T) {
			t.Parallel()
			testMatrix(t, language)
		})
	}
}

func testMatrix(t *testing.T, language string) {
	hang := map[string]string{"star": "len([x for x in range(10000) for y in range(10000)])", "py": "__import__('time').sleep(1000)"}[language]
	rules := map[string]string{
		"none": `[]`, "auto": `[{match: do_it, action: auto_approve}]`,
		"require": `[{match: do_it, action: require_approval}]`, "deny": `[{match: do_it, action: deny}]`,
		"missing": `[{match: do_it, script: /nowhere/check.` + language + `}]`,
	}
	for kind, returns := range map[string]string{"true": "True", "false": "False", "raises": "{}['to']", "hangs": hang} {
		rules[kind] = `[{match: do_it, script: ` + file(t, language, "def check(tool_name, arguments, agent_name):\n    return "+returns+"\n") + `}]`
	}
	evaluator := Rules{Scripts: scripts(t)}
	hasty := Rules{Scripts: scriptsWithin(t, 100*time.Millisecond)}
	defaults := map[string]string{"auto": "auto_approve", "require": "require_approval"}
	rows := strings.Split(strings.TrimSpace(matrix), "\n")
	seen := map[string]bool{}
	for _, row := range rows[1:] {
		f := strings.Fields(row)
		seen[strings.Join(f[:3], " ")] = true
		snap := snapshot(t, fmt.Sprintf("{default: %s, rules: %s}", defaults[f[1]], rules[f[0]]))
		for kind, of := range kinds {
			if (f[2] == "confirm") != of.confirm {
				continue
			}
			for i, d := range doors {
				want := f[4+i]
				if d.launchMayOK && !of.listed {
					want = f[4+i-1]
				}
				q := question(snap, "do_it")
				q.Call.Door, q.Function.Confirm, q.Unattended, q.Preapproved = d.door, of.confirm, d.unattended, d.launchMayOK && of.listed
				asked := evaluator
				if f[0] == "hangs" {
					asked = hasty
				}
				v := asked.Evaluate(t.Context(), q)
				got := string(v.Kind)
				if v.Declared {
					got = map[tool.VerdictKind]string{tool.Ask: "declared"}[v.Kind]
				}
				if got != want {
					t.Errorf("%s, %s, %s: %+v, want %s", row, kind, d.name, v, want)
				}
				if v.Rule == "" || (v.Kind == tool.Deny) != (v.Reason != "") || (v.Kind == tool.Ask) != (v.Timeout > 0) {
					t.Errorf("%s, %s, %s: a person cannot tell why from %+v", row, kind, d.name, v)
				}
			}
		}
	}
	if want := len(rules) * len(defaults) * 2; len(seen) != want {
		t.Errorf("the table has %d rows, want every one of %d", len(seen), want)
	}
}
