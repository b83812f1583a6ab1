package interactive

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// Asked is a question that was asked.
type Asked struct {
	Question
	// Turn is the turn whose answer asks; it names the question.
	Turn string
	// Conversation is where, by which of our accounts.
	chat.Conversation
	// Message is the delivery that shows the answer.
	Message string
	// Who is the identity of that turn. Its requester is who may choose.
	Who identity.Execution

	// What follows is the desk's own.

	State State
	// Chosen is the option that was chosen, from 0; -1 while there is none. ByEvent
	// is the event that chose it.
	Chosen  int
	ByEvent string
	At      time.Time // when it was asked
}

const columns = `turn_id, account, room_id, thread_root, message_delivery, identity, question, state, chosen, chosen_by_event, asked_at`

func scan(from func(...any) error) (Asked, error) {
	var a Asked
	var who, question, at string
	if err := from(&a.Turn, &a.Account, &a.Room, &a.ThreadRoot, &a.Message, &who, &question, &a.State, &a.Chosen, &a.ByEvent, &at); err != nil {
		return Asked{}, err
	}
	err := errors.Join(json.Unmarshal([]byte(who), &a.Who), json.Unmarshal([]byte(question), &a.Question))
	if err == nil {
		a.At, err = clock.ParseStamp(at)
	}
	if err != nil {
		return Asked{}, fmt.Errorf("the question of turn %s is damaged in the database: %w", a.Turn, err)
	}
	return a, nil
}

// insert adds an open question; false when the turn has one.
func insert(tx *store.Tx, a Asked) (fresh bool, err error) {
	who, err := json.Marshal(a.Who)
	if err != nil {
		return false, err
	}
	question, err := json.Marshal(a.Question)
	if err != nil {
		return false, err
	}
	n, err := tx.Exec(`INSERT INTO interactive_questions (seq, agent, requester, `+columns+`, ended_at)
		SELECT COALESCE(MAX(seq), 0) + 1, $1, $2, $3, $4, $5, $6, $7, $8, $9, 'open', -1, '', $10, '' FROM interactive_questions WHERE true
		ON CONFLICT (turn_id) DO NOTHING`,
		a.Who.Agent, a.Who.Requester, a.Turn, a.Account, a.Room, a.ThreadRoot, a.Message, string(who), string(question), clock.Stamp(a.At))
	return n > 0, err
}

// end moves a question along the table; false when it had ended. But for Restore
// it is the only write of a state.
func end(tx *store.Tx, a Asked, next State, chosen int, event string, now time.Time) (first bool, err error) {
	if !allowed[Open][next] {
		return false, fmt.Errorf("the question of turn %s cannot become %s", a.Turn, next)
	}
	n, err := tx.Exec(`UPDATE interactive_questions SET state = $2, chosen = $3, chosen_by_event = $4, ended_at = $5 WHERE turn_id = $1 AND state = 'open'`,
		a.Turn, string(next), chosen, event, clock.Stamp(now))
	if err != nil {
		return false, fmt.Errorf("the question of turn %s becomes %s: %w", a.Turn, next, err)
	}
	return n > 0, nil
}

// Of is the question of a turn's answer; false when it asks none.
func Of(q store.Queryer, turn string) (Asked, bool, error) {
	return one(q, `WHERE turn_id = $1`, turn)
}

// shownBy is the question whose message a delivery is.
func shownBy(q store.Queryer, delivery string) (Asked, bool, error) {
	return one(q, `WHERE message_delivery = $1`, delivery)
}

// meant is the question that a message by itself chooses an option of: the one
// that this very event chose, else the newest open one for the person there.
func meant(q store.Queryer, event, room, thread, person string) (Asked, bool, error) {
	a, found, err := one(q, `WHERE chosen_by_event = $1 AND room_id = $2`, event, room)
	if err != nil || found {
		return a, found, err
	}
	return one(q, `WHERE state = 'open' AND room_id = $1 AND thread_root = $2 AND requester = $3 ORDER BY seq DESC LIMIT 1`, room, thread, person)
}

func one(q store.Queryer, where string, args ...any) (Asked, bool, error) {
	all, err := list(q, where, args...)
	if err != nil || len(all) == 0 {
		return Asked{}, false, err
	}
	return all[0], true, nil
}

func list(q store.Queryer, where string, args ...any) (all []Asked, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		a, err := scan(rows.Scan)
		all = append(all, a)
		return err
	}, `SELECT `+columns+` FROM interactive_questions `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("read questions: %w", err)
	}
	return all, nil
}

// Forget deletes the question of a turn that is no longer kept.
func Forget(tx *store.Tx, turn string) error {
	if _, err := tx.Exec(`DELETE FROM interactive_questions WHERE turn_id = $1`, turn); err != nil {
		return fmt.Errorf("forget the question of turn %s: %w", turn, err)
	}
	return nil
}

// Restore closes every open question of a database that was restored from a
// backup at an instant: what the lost process heard since, nobody can tell, and
// a choice that it took must not start a second turn. Nothing is said about it
// in the rooms.
func Restore(tx *store.Tx, at time.Time) error {
	if _, err := tx.Exec(`UPDATE interactive_questions SET state = 'closed', ended_at = $1 WHERE state = 'open'`, clock.Stamp(at)); err != nil {
		return fmt.Errorf("close the questions of the backup: %w", err)
	}
	return nil
}
