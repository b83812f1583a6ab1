package turn

import (
	"errors"
	"path/filepath"
	"testing"

	"pgregory.net/rapid"

	"mindroom/internal/store"
)

var allStates = []State{Clean, Dirty, Parked, Ready, Claimed, Answered, Failed, Cancelled, Interrupted}

// documented is the table of doc.go, written a second time on purpose.
var documented = map[State]struct{ work, start []State }{
	Clean:   {[]State{Dirty, Parked, Answered, Failed, Cancelled}, []State{Interrupted}},
	Dirty:   {[]State{Clean, Parked, Answered, Failed, Cancelled}, []State{Parked, Interrupted}},
	Parked:  {[]State{Ready, Failed, Cancelled}, []State{Interrupted}},
	Ready:   {[]State{Claimed, Failed, Cancelled}, []State{Interrupted}},
	Claimed: {[]State{Dirty, Clean, Parked, Answered, Failed, Cancelled}, []State{Interrupted}},
}

func TestTransitions(t *testing.T) {
	t.Parallel()
	in := func(list []State, s State) bool {
		for _, x := range list {
			if x == s {
				return true
			}
		}
		return false
	}
	for _, from := range allStates {
		if _, live := documented[from]; live == from.Terminal() {
			t.Errorf("%s is terminal: %v", from, from.Terminal())
		}
		for _, to := range allStates {
			if got := from.mayBecome(to, ByWork); got != in(documented[from].work, to) {
				t.Errorf("by work %s may become %s: %v", from, to, got)
			}
			if got := from.mayBecome(to, ByStart); got != in(documented[from].start, to) {
				t.Errorf("by a start %s may become %s: %v", from, to, got)
			}
		}
	}
}

// Whatever is tried in whatever order, the stored state follows the table, a
// refused change changes nothing, and nothing follows a terminal state.
func TestStatesFollowTheTable(t *testing.T) {
	t.Parallel()
	db, err := store.Open(t.Context(), filepath.Join(t.TempDir(), "m.db"), schemas...)
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	e := New(Parts{DB: db})
	turns := 0
	rapid.Check(t, func(rt *rapid.T) {
		turns++
		trigger := "$" + rapid.StringMatching(`[a-z]{12}`).Draw(rt, "trigger") + string(rune('0'+turns%10))
		create := func(tx *store.Tx) error {
			return e.Create(tx, Request{Agent: "a", Account: "@a:x", Room: "!r:x", TriggerEvent: trigger})
		}
		must(t, db.Write(t.Context(), create))
		var id string
		must(t, db.Read(t.Context(), func(r *store.Reader) error {
			return r.QueryRow(`SELECT turn_id FROM turns WHERE trigger_event = $1`, trigger).Scan(&id)
		}))
		var was State
		must(t, db.Read(t.Context(), func(q *store.Reader) error {
			r, err := load(q, id)
			was = r.state
			return err
		}))
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			to := rapid.SampledFrom(allStates).Draw(rt, "to")
			by := rapid.SampledFrom([]Cause{ByWork, ByStart}).Draw(rt, "by")
			err := db.Write(t.Context(), func(tx *store.Tx) error { return e.move(tx, id, to, by, "") })
			var refused *TransitionError
			if allowed := was.mayBecome(to, by); allowed != (err == nil) || err != nil && !errors.As(err, &refused) {
				rt.Fatalf("%s to %s by %d: %v", was, to, by, err)
			}
			if err == nil {
				was = to
			}
			must(t, db.Read(t.Context(), func(q *store.Reader) error {
				r, err := load(q, id)
				if r.state != was {
					rt.Fatalf("stored %s, want %s", r.state, was)
				}
				return err
			}))
		}
		must(t, db.Write(t.Context(), create)) // known, whatever the state
	})
}
