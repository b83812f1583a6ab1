package script

import (
	"fmt"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// kits is a catalog of toolkits without settings.
type kits []string

func (k kits) Names() []string { return k }
func (k kits) Fields(name string) ([]config.Field, bool) {
	for _, n := range k {
		if n == name {
			return []config.Field{{Name: "allowed_tools", Kind: config.KindStrings}, {Name: "max_concurrent_runs", Kind: config.KindInt, Default: int64(3)}}, true
		}
	}
	return nil, false
}

func parsed(t *testing.T, agents, more string) *config.Config {
	t.Helper()
	text := "models: {default: {provider: scripted, id: one}, other: {provider: scripted, id: two}}\ndefaults: {tools: []}\n" +
		"agents:\n" + agents + more
	c, _, err := config.Parse("/etc/config.yaml", []byte(text), kits{"script", "website", "file"}, config.Env{})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

// The table of spec/scripts.md 6.9 under the seed's rules (S16, S65, S79, S87).
func TestFate(t *testing.T) {
	t.Parallel()
	const (
		plain  = "  w: {display_name: W, tools: [script, website]}\n"
		other  = "  v: {display_name: V}\n"
		open   = "authorization: {default_room_access: true}\n"
		closed = "authorization: {global_users: ['@ann:x']}\n"
	)
	private := func(per, root string) string {
		return fmt.Sprintf("  w: {display_name: W, tools: [script, website], private: {per: %s, root: %s}}\n", per, root)
	}
	for _, c := range []struct {
		name                      string
		old, next, oldMore, newly string
		may                       tool.Answer
		want                      Reason
	}{
		{"nothing", plain, plain, open, open, tool.Yes, ""},
		{"another agent added", plain, plain + other, open, open, tool.Yes, ""},
		{"another agent removed", plain + other, plain, open, open, tool.Yes, ""},
		{"role, instructions, model", plain, "  w: {display_name: New, role: r, instructions: [i], model: other, tools: [script, website]}\n", open, open, tool.Yes, ""},
		{"limits and allowed_tools", plain, "  w: {display_name: W, tools: [{script: {max_concurrent_runs: 1, allowed_tools: [website]}}, website]}\n", open, open, tool.Yes, ""},
		{"delegation", plain + other, "  w: {display_name: W, tools: [script, website], delegate_to: [v]}\n" + other, open, open, tool.Yes, ""},
		{"a tool added, a tool removed", plain, "  w: {display_name: W, tools: [script, file]}\n", open, open, tool.Yes, ""},
		{"rules", plain, plain, open, open + "tool_approval: {rules: [{match: read_url, action: deny}]}\n", tool.Yes, ""},
		{"the agent removed", plain, other, open, open, tool.No, ReasonAgentRemoved},
		{"the agent renamed", plain, "  w2: {display_name: W, tools: [script, website]}\n", open, open, tool.No, ReasonAgentRemoved},
		{"the script tool removed", plain, "  w: {display_name: W, tools: [website]}\n", open, open, tool.Yes, ReasonToolRemoved},
		{"the script tool only by defaults now", plain, "  w: {display_name: W, tools: [website]}\n", open, open + "#", tool.Yes, ReasonToolRemoved},
		{"made private", plain, private("user", "d"), open, open, tool.Yes, ReasonIsolation},
		{"no longer private", private("user", "d"), plain, open, open, tool.Yes, ReasonIsolation},
		{"private for another scope", private("user", "d"), private("user_agent", "d"), open, open, tool.Yes, ReasonIsolation},
		{"private elsewhere", private("user", "d"), private("user", "e"), open, open, tool.Yes, ReasonIsolation},
		{"private as before", private("user", "d"), private("user", "d"), open, open, tool.Yes, ""},
		{"authorization changed, still allowed", plain, plain, open, closed, tool.Yes, ""},
		{"authorization changed, not allowed", plain, plain, open, closed, tool.No, ReasonAuthorisation},
		{"authorization changed, cannot tell", plain, plain, open, closed, tool.CannotTell, ReasonAuthorisation},
		{"authorization as before, cannot tell", plain, plain, open, open, tool.CannotTell, ""},
		{"authorization as before, no: a pass says so", plain, plain, open, open, tool.No, ""},
		{"authorization comes first", plain, other, open, closed, tool.No, ReasonAuthorisation},
	} {
		old, next := parsed(t, c.old, c.oldMore), parsed(t, c.next, c.newly)
		r := &Run{Who: identity.InThread("w", "@ann:x", "!r:x", ""), Isolation: old.Isolation("w")}
		if got, must := fate(r, old, next, c.may); got != c.want || must != (c.want != "") {
			t.Errorf("%s: %q %v, want %q", c.name, got, must, c.want)
		}
	}
}
