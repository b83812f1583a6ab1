package turn

import (
	"testing"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// What looks on from outside sees a turn and the calls that run in it.
func TestReadFromOutside(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(calls("hold", `{"key":"a"}`), says("It is held."))
	id := b.ask("$1", "hold it")
	b.arrives()
	look := func() (got Turn, open []OpenCall) {
		t.Helper()
		must(t, b.db.Read(t.Context(), func(q *store.Reader) (err error) {
			if got, _, err = Read(q, id); err != nil {
				return err
			}
			open, err = Open(q, id)
			return err
		}))
		return got, open
	}
	got, open := look()
	if got.ID != id || got.State != Dirty || got.Trigger != "$1" || got.Account != ownID || got.Who.Requester != ann || got.Created.IsZero() {
		t.Errorf("the turn reads %+v", got)
	}
	if len(open) != 1 || open[0].Function != "hold" || open[0].Outcome != nil || open[0].Ref.Owner != id || open[0].Ref.Door != tool.DoorTurn {
		t.Errorf("its running calls read %+v", open)
	}
	close(b.tools.release)
	b.ends(id, Answered)
	if got, open := look(); got.State != Answered || len(open) != 0 {
		t.Errorf("after its end it reads %+v with %+v", got, open)
	}
	must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
		_, found, err := Read(q, "turn-none")
		if found {
			t.Error("a turn that never was is found")
		}
		return err
	}))
}
