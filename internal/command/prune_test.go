package command

import (
	"context"
	"fmt"
	"testing"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
)

func TestPrune(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	now := time.Now()
	put := func(n int, state State, at time.Time) {
		w.desk.Wall = clock.Fixed(at)
		must(t, w.db.Write(t.Context(), func(tx *store.Tx) error {
			if err := w.desk.Accept(tx, Request{EventID: fmt.Sprintf("$%d", n), Room: ops, Sender: ann, Person: ann, Text: "!help", Account: router}); err != nil {
				return err
			}
			_, err := tx.Exec(`UPDATE commands SET state = $2 WHERE event_id = $1`, fmt.Sprintf("$%d", n), string(state))
			return err
		}))
	}
	old := now.Add(-time.Hour)
	for i, state := range []State{Answered, Silent, Uncertain, Begun, Accepted} {
		put(i, state, old)
	}
	put(5, Answered, now)
	put(6, Answered, old) // the newest of all
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if n, err := Prune(stopped, w.db, now); n != 0 || err != nil {
		t.Errorf("stopped: %d, %v", n, err)
	}
	if n, err := Prune(t.Context(), w.db, now.Add(-time.Minute)); n != 3 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	for n := range 7 {
		if there := w.state(fmt.Sprintf("$%d", n)) != ""; there != (n >= 3) {
			t.Errorf("%d is there: %v", n, there)
		}
	}
}
