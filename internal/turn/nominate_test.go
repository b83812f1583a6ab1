package turn

import (
	"testing"

	"mindroom/internal/lifecycle"
)

// A list of turns that was read a moment before one of them ended names it still.
// Taken up again it asks nobody anything: the model is paid once.
func TestAListOnlyNominates(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(says("once"), says("twice"))
	id := b.ask("$1", "hello")
	b.ends(id, Answered)
	group := lifecycle.New(t.Context())
	b.engine.mu.Lock()
	b.engine.start(group, id, lane{agent: "watcher", conversation: "late"})
	b.engine.mu.Unlock()
	if err := group.Wait(); err != nil {
		t.Fatal(err)
	}
	if n := len(b.model.asked()); n != 1 {
		t.Errorf("the model was asked %d times", n)
	}
	if b.said(id) != "once" || b.row(id).state != Answered {
		t.Errorf("the turn is %s and reads %q", b.row(id).state, b.said(id))
	}
	b.engine.mu.Lock()
	defer b.engine.mu.Unlock()
	if b.engine.stuck[id] {
		t.Error("an ended turn counts as stuck")
	}
}
