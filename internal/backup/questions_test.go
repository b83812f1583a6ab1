package backup

import (
	"errors"
	"testing"

	"mindroom/internal/clock"
	"mindroom/internal/interactive"
	"mindroom/internal/store"
)

// A question that was open in the backup is closed: the process that was lost may
// have taken its choice.
func TestQuestionsOfABackupAreClosed(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	with := func(path string, fn func(tx *store.Tx) error) {
		t.Helper()
		db, err := store.Open(t.Context(), path, schemas...)
		if err == nil {
			err = errors.Join(db.Write(t.Context(), fn), db.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	with(h.database(), func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO interactive_questions (turn_id, seq, agent, requester, account, room_id, thread_root, message_delivery,
				identity, question, state, chosen, chosen_by_event, asked_at, ended_at)
			VALUES ($1, 1, 'watcher', '@anna:x', '@w:x', '!r:x', '', 'turn:t:0', '{}', '{"question":"Q?","options":[{"emoji":"a","label":"A","value":"A"}]}', 'open', -1, '', $2, '')`,
			h.story.Turn, clock.Wall(nil).Stamp())
		return err
	})
	from, _ := h.backup(t)
	to := elsewhere(t)
	restore(t, from, to)
	with(to.database(), func(tx *store.Tx) error {
		a, found, err := interactive.Of(tx, h.story.Turn)
		if !found || a.State != interactive.Closed || a.Chosen != -1 {
			t.Errorf("the question is %+v", a)
		}
		return err
	})
}
