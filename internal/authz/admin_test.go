package authz

import (
	"context"
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/tool"
)

// governors say who governs which room.
type governors map[string]tool.Answer

func (g governors) Governs(_ context.Context, room, user string) tool.Answer {
	if a, ok := g[room+" "+user]; ok {
		return a
	}
	return tool.No
}

func TestRoomAdmin(t *testing.T) {
	t.Parallel()
	snap := &config.Snapshot{Config: &config.Config{Authorization: config.Authorization{
		GlobalUsers: []string{"@glo:x"}, Aliases: map[string]string{"@ghost:x": "@glo:x"}}}}
	powers := governors{"!a:x @dora:x": tool.Yes, "!b:x @dora:x": tool.CannotTell}
	for name, c := range map[string]struct {
		powers Powers
		user   string
		room   string
		want   tool.Answer
		global bool
	}{
		"a global user":         {powers, "@glo:x", "!a:x", tool.Yes, true},
		"one without powers":    {nil, "@glo:x", "!a:x", tool.Yes, true},
		"its ghost":             {powers, "@ghost:x", "!a:x", tool.Yes, true},
		"who governs":           {powers, "@dora:x", "!a:x", tool.Yes, false},
		"who may govern":        {powers, "@dora:x", "!b:x", tool.CannotTell, false},
		"who governs elsewhere": {powers, "@dora:x", "!c:x", tool.No, false},
		"nobody is asked":       {nil, "@dora:x", "!a:x", tool.No, false},
	} {
		a := Authority{Powers: c.powers}
		if got := a.RoomAdmin(t.Context(), c.user, c.room, snap); got != c.want || a.Global(c.user, snap) != c.global {
			t.Errorf("%s: %v, global %v", name, got, a.Global(c.user, snap))
		}
	}
}
