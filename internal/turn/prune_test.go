package turn

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
)

// past writes a turn that was made and changed some days ago.
func past(t *testing.T, db *store.DB, id, conversation string, state State, days int) {
	t.Helper()
	at := clock.Stamp(time.Now().Add(-time.Duration(days) * 24 * time.Hour))
	must(t, db.Write(t.Context(), func(tx *store.Tx) error {
		if _, err := tx.Exec(`INSERT INTO turns (turn_id, seq, agent, account, conversation, room_id, thread_root, trigger_event,
				identity, depth, state, reason, cancel_by, attempts, checkpoint, created_at, changed_at)
			SELECT $1, COALESCE(MAX(seq), 0) + 1, 'watcher', '@w:x', $2, $2, '', $1, '{}', 0, $3, '', '', 0, '{}', $4, $4 FROM turns WHERE true`,
			id, conversation, string(state), at); err != nil {
			return err
		}
		if _, err := tx.Exec(`INSERT INTO interactive_questions (turn_id, seq, agent, requester, account, room_id, thread_root, message_delivery,
				identity, question, state, chosen, chosen_by_event, asked_at, ended_at)
			SELECT $1, COALESCE(MAX(seq), 0) + 1, 'watcher', $1, '@w:x', $2, '', $1, '{}', '{}', 'open', -1, '', $3, '' FROM interactive_questions WHERE true`,
			id, conversation, at); err != nil {
			return err
		}
		_, err := tx.Exec(`INSERT INTO turn_calls (turn_id, ref, outcome) VALUES ($1, '1', '')`, id)
		return err
	}))
}

// Turns go once they ended long ago, unless their conversation goes on: then the
// newest stay that an answer looks back to.
func TestPrune(t *testing.T) {
	t.Parallel()
	db := storetest.Open(t, schemas...)
	for i, state := range []State{Answered, Failed, Cancelled, Interrupted} {
		past(t, db, fmt.Sprint("ended", i), "!silent", state, 100)
	}
	for i, state := range []State{Clean, Dirty, Parked, Ready, Claimed} {
		past(t, db, fmt.Sprint("live", i), fmt.Sprint("!live", i), state, 100)
	}
	for i := range ownAnswers + 150 {
		past(t, db, fmt.Sprintf("long%03d", i), "!long", Answered, 95)
	}
	past(t, db, "long-now", "!long", Answered, 1)
	past(t, db, "recent", "!recent", Answered, 80)
	busy := map[chat.Place]bool{}
	must(t, db.Read(t.Context(), func(r *store.Reader) (err error) { busy, err = Busy(r); return err }))
	if len(busy) != 5 || !busy[chat.Place{Account: "@w:x", Room: "!live3"}] {
		t.Errorf("busy: %v", busy)
	}
	n, err := Prune(t.Context(), db, time.Now().Add(-90*24*time.Hour))
	if err != nil || n != 4+151 {
		t.Errorf("%d turns went, %v", n, err)
	}
	count := func(what string) (n int) {
		must(t, db.Read(t.Context(), func(r *store.Reader) error { return r.QueryRow(`SELECT count(*) FROM ` + what).Scan(&n) }))
		return n
	}
	left := map[string]int{
		"turns WHERE turn_id LIKE 'ended%'": 0, "turns WHERE turn_id LIKE 'live%'": 5, "turns WHERE turn_id = 'recent'": 1,
		"turns WHERE conversation = '!long'": ownAnswers, "turns WHERE turn_id = 'long150'": 0, "turns WHERE turn_id = 'long151'": 1,
		"turn_calls": 5 + 1 + ownAnswers, "interactive_questions": 5 + 1 + ownAnswers,
	}
	for what, want := range left {
		if got := count(what); got != want {
			t.Errorf("%s: %d, want %d", strings.TrimSpace(what), got, want)
		}
	}
	if again, err := Prune(t.Context(), db, time.Now().Add(-90*24*time.Hour)); err != nil || again != 0 {
		t.Errorf("again: %d, %v", again, err)
	}
}

// Whoever reads a conversation must find what retention promises to leave.
func TestHistoryIsKept(t *testing.T) {
	t.Parallel()
	if historyEntries > chat.Kept {
		t.Errorf("an answer reads %d messages, retention leaves %d", historyEntries, chat.Kept)
	}
}
