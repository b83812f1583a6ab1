package config

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReplyPolicies(t *testing.T) {
	t.Parallel()
	c, _ := mustParse(t, toolkits(), `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: W, rooms: [operations]}, helper: {display_name: H}, closed: {display_name: C}}
authorization:
  default_room_access: true
  agent_reply_permissions:
    "*": ["@a:example.org"]
    watcher: {users: ["@b:*"], joined_rooms: [operations]}
    router: ["*"]
    closed:
`)
	for entity, want := range map[string]ReplyPolicy{
		"helper":  {Users: []string{"@a:example.org"}},
		"watcher": {Users: []string{"@b:*"}, JoinedRooms: []string{"operations"}},
		"router":  {Users: []string{"*"}},
		"closed":  {},
	} {
		got, ok := c.Authorization.PolicyFor(entity)
		if diff := cmp.Diff(want, got); diff != "" || !ok {
			t.Errorf("%s: %v %s", entity, ok, diff)
		}
	}
	if _, ok := (Authorization{}).PolicyFor("helper"); ok {
		t.Error("no policy at all must be told apart from an empty one")
	}
}

func TestWarnsWhenNobodyMayTalk(t *testing.T) {
	t.Parallel()
	base := "models: {default: {provider: scripted, id: demo}}\nagents: {watcher: {display_name: W, rooms: [ops]}}\n"
	tests := []struct {
		authorization string
		want          string // in the only warning; empty: no warning
	}{
		{"", "nobody may talk to the agents"},
		{"authorization: {}", "nobody may talk to the agents"},
		{"authorization: {room_permissions: {ops: []}}", "nobody may talk to the agents"},
		{"authorization: {room_permissions: {ops: ['@a:x.org']}}", ""},
		{"authorization: {global_users: ['@a:x.org']}", ""},
		{"authorization: {default_room_access: true}", ""},
		{"authorization: {default_room_access: true, agent_reply_permissions: {watcher: []}}", "answers nobody"},
	}
	for _, tt := range tests {
		_, warnings := mustParse(t, toolkits(), base+tt.authorization)
		switch {
		case tt.want == "" && len(warnings) > 0:
			t.Errorf("%s: %v", tt.authorization, warnings)
		case tt.want != "" && (len(warnings) != 1 || !strings.Contains(warnings[0].Message, tt.want)):
			t.Errorf("%s: %v", tt.authorization, warnings)
		}
	}
}

func TestNobodyWarningPointsAtTheSection(t *testing.T) {
	t.Parallel()
	_, warnings := mustParse(t, toolkits(), strings.Replace(minimal, "true", "false", 1))
	if len(warnings) != 1 || warnings[0].Pos.Line != 3 {
		t.Errorf("%v", warnings)
	}
}
