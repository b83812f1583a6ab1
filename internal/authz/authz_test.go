package authz

import (
	"context"
	"slices"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
)

// world is a membership written down.
type world struct {
	joined  map[string][]string // room → users
	loading map[string]bool
	names   map[string][]string
	ids     map[string]string
}

func (w world) Joined(_ context.Context, room, user string) tool.Answer {
	switch {
	case w.loading[room]:
		return tool.CannotTell
	case slices.Contains(w.joined[room], user):
		return tool.Yes
	}
	return tool.No
}
func (w world) RoomNames(room string) []string   { return append([]string{room}, w.names[room]...) }
func (w world) RoomID(key string) (string, bool) { id, ok := w.ids[key]; return id, ok }
func (w world) Own(user string) bool             { return user == "@mindroom_watcher:x" }

func TestMay(t *testing.T) {
	t.Parallel()
	const room, grants = "!ops:x", "!lobby:x"
	w := world{
		joined: map[string][]string{room: {"@anna:x", "@ben:x", "@ghost:x", "@mindroom_watcher:x"}, grants: {"@ben:x"}},
		names:  map[string][]string{room: {"#operations:x", "operations"}},
		ids:    map[string]string{"operations": room, "lobby": grants},
	}
	lobbyOnly := map[string]config.ReplyPolicy{"watcher": {JoinedRooms: []string{"lobby"}}}
	for name, c := range map[string]struct {
		auth    config.Authorization
		user    string
		room    string
		agent   string
		loading string
		unknown bool
		want    tool.Answer
	}{
		"nobody is let in by default":         {user: "@anna:x", want: tool.No},
		"default room access":                 {auth: config.Authorization{DefaultRoomAccess: true}, user: "@anna:x", want: tool.Yes},
		"global user":                         {auth: config.Authorization{GlobalUsers: []string{"@anna:x"}}, user: "@anna:x", want: tool.Yes},
		"room entry by key":                   {auth: config.Authorization{RoomPermissions: map[string][]string{"operations": {"@anna:x"}}}, user: "@anna:x", want: tool.Yes},
		"room entry by alias":                 {auth: config.Authorization{RoomPermissions: map[string][]string{"#operations:x": {"@anna:x"}}}, user: "@anna:x", want: tool.Yes},
		"a room entry ends the search":        {auth: config.Authorization{DefaultRoomAccess: true, RoomPermissions: map[string][]string{"operations": {"@anna:x"}}}, user: "@ben:x", want: tool.No},
		"alias acts as its person":            {auth: config.Authorization{GlobalUsers: []string{"@anna:x"}, Aliases: map[string]string{"@ghost:x": "@anna:x"}}, user: "@ghost:x", want: tool.Yes},
		"is in the room as a ghost":           {auth: config.Authorization{GlobalUsers: []string{"@carl:x"}, Aliases: map[string]string{"@ghost:x": "@carl:x"}}, user: "@carl:x", want: tool.Yes},
		"left the room":                       {auth: config.Authorization{DefaultRoomAccess: true}, user: "@carl:x", want: tool.No},
		"membership still loading":            {auth: config.Authorization{DefaultRoomAccess: true}, user: "@anna:x", loading: room, want: tool.CannotTell},
		"a definite no beats loading":         {user: "@anna:x", loading: room, want: tool.No},
		"reply policy by pattern":             {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: map[string]config.ReplyPolicy{"*": {Users: []string{"@a*:x"}}}}, user: "@anna:x", want: tool.Yes},
		"reply policy refuses":                {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: map[string]config.ReplyPolicy{"*": {Users: []string{"@a*:x"}}}}, user: "@ben:x", want: tool.No},
		"own policy beats the one for all":    {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: map[string]config.ReplyPolicy{"*": {Users: []string{"*"}}, "watcher": {}}}, user: "@ben:x", want: tool.No},
		"membership grant":                    {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: lobbyOnly}, user: "@ben:x", want: tool.Yes},
		"membership grant missing":            {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: lobbyOnly}, user: "@anna:x", want: tool.No},
		"membership grant loading":            {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: lobbyOnly}, user: "@anna:x", loading: grants, want: tool.CannotTell},
		"membership grant of an unknown room": {auth: config.Authorization{DefaultRoomAccess: true, ReplyPermissions: lobbyOnly}, user: "@anna:x", unknown: true, want: tool.CannotTell},
		"agent not configured":                {auth: config.Authorization{DefaultRoomAccess: true}, user: "@anna:x", agent: "gone", want: tool.No},
		"own account":                         {user: "@mindroom_watcher:x", want: tool.Yes},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := w
			m.loading = map[string]bool{c.loading: c.loading != ""}
			if c.unknown {
				m.ids = nil
			}
			agent := c.agent
			if agent == "" {
				agent = "watcher"
			}
			snap := &config.Snapshot{Number: 1, Config: &config.Config{Agents: map[string]*config.Agent{"watcher": {Name: "watcher"}}, Authorization: c.auth}}
			if got := (Authority{Membership: m}).May(t.Context(), identity.InThread(agent, c.user, room, ""), snap); got != c.want {
				t.Errorf("May = %v, want %v", got, c.want)
			}
		})
	}
}
