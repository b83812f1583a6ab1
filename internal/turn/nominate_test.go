package turn

import (
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/lifecycle"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// A list of turns that was read a moment before one of them ended names it still.
// Taken up again it asks nobody anything: the model is paid once.
func TestAListOnlyNominates(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(says("once"), says("twice"))
	id := b.ask("$1", "hello")
	b.ends(id, Answered)
	b.nominates(id)
	if n := len(b.model.asked()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	if b.said(id) != "once" || b.row(id).state != Answered {
		t.Errorf("the turn is %s and reads %q", b.row(id).state, b.said(id))
	}
}

// A turn that was parked between the reading of the list and its start is left as
// it is, in whichever way it waits; its decision has it worked on.
func TestAListNamesAParkedTurn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		lay func(t *testing.T) *bundle
		ask string
	}{
		"a call of the turn":  {func(t *testing.T) *bundle { return newAsking(t, "", nil) }, `{"key":"a"}`},
		"a call of a command": {func(t *testing.T) *bundle { return newMinimal(t, mode.Minimal, nil) }, bash(`& probe.gated {"key":"a"}`)},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := c.lay(t)
			function, door := "gated", tool.DoorTurn
			if strings.Contains(c.ask, "command") {
				function, door = "bash", tool.DoorCLI
			}
			b.model.plays(calls(function, c.ask), says("Done."))
			id := b.ask("$1", "do it")
			b.parks(id)
			before := b.row(id)
			b.nominates(id)
			if after := b.row(id); after != before {
				t.Fatalf("it was %s (attempts %d) and is %s (%d), or its checkpoint changed", before.state, before.attempts, after.state, after.attempts)
			}
			var card approval.Card
			must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
				cards, err := approval.Waiting(q, door, id)
				card = cards[0]
				return err
			}))
			b.decides(card.Ref, approval.Approved, "")
			b.ends(id, Answered)
			if b.tools.times("a") != 1 {
				t.Errorf("ran %v", b.tools.ran)
			}
		})
	}
}

// nominates has a turn worked on that an old list named.
func (b *bundle) nominates(id string) {
	b.t.Helper()
	group := lifecycle.New(b.t.Context())
	b.engine.mu.Lock()
	b.engine.start(group, id, lane{agent: "watcher", conversation: "late"})
	b.engine.mu.Unlock()
	must(b.t, group.Wait())
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.engine.stuck[id] {
		b.t.Error("the turn counts as stuck")
	}
}
