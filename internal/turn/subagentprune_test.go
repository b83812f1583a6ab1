package turn

import (
	"slices"
	"testing"
	"time"

	"mindroom/internal/media"
	"mindroom/internal/store"
)

// Subagents are kept as long as somebody may come back to them: while they work, and
// while their conversation goes on.
func TestOldSubagentsGo(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), says("One."), says("So."))
	b.ends(b.ask("$1", "begin"), Answered)
	id := b.report().ID
	later := time.Now().Add(time.Hour)
	touch := func(statement string, args ...any) {
		must(t, b.db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(statement, args...); return err }))
	}
	for _, c := range []struct {
		name   string
		before time.Time
		do     func()
		stays  int
	}{
		{"it is young", time.Now().Add(-time.Hour), func() {}, 1},
		{"it works", later, func() { touch(`UPDATE subagents SET state = 'running'`) }, 1},
		{"its conversation goes on", later, func() {
			touch(`UPDATE subagents SET state = 'completed'`)
			touch(`UPDATE turns SET changed_at = '2999-01-01T00:00:00.000000000Z' WHERE agent = 'watcher'`)
		}, 1},
		{"everything is over", later, func() { touch(`UPDATE turns SET changed_at = '2020-01-01T00:00:00.000000000Z'`) }, 0},
	} {
		c.do()
		must(t, pruneSubagents(t.Context(), b.db, c.before))
		if ids := b.subagentIDs(); len(ids) != c.stays {
			t.Errorf("%s: %v is left of %s", c.name, ids, id)
		}
	}
}

// Files in what a subagent goes on from are not deleted under it.
func TestFilesOfSubagentsAreHeld(t *testing.T) {
	t.Parallel()
	b := newBundleOf(t, family, func(p *Parts) {
		files, err := media.Open(media.Options{Folder: t.TempDir(), DB: p.DB})
		must(t, err)
		p.Media, p.Room.Keep = files, files.Keep
	})
	b.model.plays(calls("run_subagent", `{"task":"draw","agent":"helper"}`), calls("picture", `{}`), says("Drawn."), says("So."))
	b.ends(b.ask("$1", "begin"), Answered)
	s := b.subagent(b.report().ID)
	want := s.transcript[2].Results()[0].Media[0].Digest
	must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
		held, err := Held(q)
		if !slices.Contains(held, want) {
			t.Errorf("%s is not among %v", want, held)
		}
		return err
	}))
}

// After a restore no subagent works, because nobody knows how far it came.
func TestRestoredSubagents(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("hold", `{"key":"h"}`))
	b.ask("$1", "begin")
	b.arrives()
	next := b.fork()
	must(t, next.db.Write(t.Context(), func(tx *store.Tx) error { return Restore(tx, time.Now()) }))
	if s := next.only(); s.state != SubagentInterrupted || next.row(s.turn).state != Interrupted {
		t.Errorf("it is %s, its turn %s", s.state, next.row(s.turn).state)
	}
	close(b.tools.release)
}
