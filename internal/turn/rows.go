package turn

import (
	"encoding/json"
	"errors"
	"fmt"

	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// ErrUnknown is returned for a turn id that names no turn.
var ErrUnknown = errors.New("there is no such turn")

// row is a turn as stored.
type row struct {
	id, agent, account, conversation string
	room, threadRoot, trigger        string
	who                              identity.Execution
	depth, attempts                  int
	state                            State
	reason, cancelBy, checkpoint     string
	// subagent is whose turn this is; empty for an answer to a message. Of a
	// subagent's turn trigger is the call that made it.
	subagent         string
	created, changed string
}

const columns = `turn_id, agent, account, conversation, room_id, thread_root, trigger_event, identity, depth, attempts,
	state, reason, cancel_by, checkpoint, subagent, created_at, changed_at`

func scanRow(scan func(...any) error) (row, error) {
	var r row
	var who string
	err := scan(&r.id, &r.agent, &r.account, &r.conversation, &r.room, &r.threadRoot, &r.trigger, &who, &r.depth, &r.attempts,
		&r.state, &r.reason, &r.cancelBy, &r.checkpoint, &r.subagent, &r.created, &r.changed)
	if err != nil {
		return row{}, err
	}
	if err := json.Unmarshal([]byte(who), &r.who); err != nil {
		return row{}, fmt.Errorf("read the identity of turn %s: %w", r.id, err)
	}
	return r, nil
}

func load(q store.Queryer, id string) (row, error) {
	r, err := scanRow(q.QueryRow(`SELECT `+columns+` FROM turns WHERE turn_id = $1`, id).Scan)
	if errors.Is(err, store.ErrNoRows) {
		return row{}, fmt.Errorf("turn %q: %w", id, ErrUnknown)
	}
	if err != nil {
		return row{}, fmt.Errorf("read turn %s: %w", id, err)
	}
	return r, nil
}

// inState lists the turns of one state, oldest first.
func inState(q store.Queryer, s State) ([]row, error) {
	var all []row
	err := store.Each(q, func(rows *store.Rows) error {
		r, err := scanRow(rows.Scan)
		all = append(all, r)
		return err
	}, `SELECT `+columns+` FROM turns WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed') AND state = $1 ORDER BY seq`, string(s))
	if err != nil {
		return nil, fmt.Errorf("list %s turns: %w", s, err)
	}
	return all, nil
}

// queued is what the scheduler reads of a turn that can be worked on.
type queued struct {
	id, agent, conversation string
	cancelled               bool
}

// runnable lists the turns an engine may work on, oldest first.
func runnable(q store.Queryer) ([]queued, error) {
	var all []queued
	err := store.Each(q, func(rows *store.Rows) error {
		var t queued
		if err := rows.Scan(&t.id, &t.agent, &t.conversation, &t.cancelled); err != nil {
			return err
		}
		all = append(all, t)
		return nil
	}, `SELECT turn_id, agent, conversation, cancel_by <> '' FROM turns
		WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed') AND subagent = '' AND (state IN ('clean', 'ready') OR state = 'parked' AND cancel_by <> '')
		ORDER BY seq`)
	if err != nil {
		return nil, fmt.Errorf("list turns: %w", err)
	}
	return all, nil
}

// move changes the state along the table, or leaves the row and says why not.
func (e *Engine) move(tx *store.Tx, id string, next State, by Cause, reason string) error {
	r, err := load(tx, id)
	if err != nil {
		return err
	}
	if !r.state.mayBecome(next, by) {
		return &TransitionError{Turn: id, From: r.state, To: next}
	}
	if _, err := tx.Exec(`UPDATE turns SET state = $2, reason = $3, changed_at = $4 WHERE turn_id = $1`,
		id, string(next), reason, e.Wall.Stamp()); err != nil {
		return fmt.Errorf("turn %s becomes %s: %w", id, next, err)
	}
	if next.Terminal() {
		tx.AfterCommit(e.announce)
	}
	return nil
}

func saveCheckpoint(tx *store.Tx, id, checkpoint string) error {
	if _, err := tx.Exec(`UPDATE turns SET checkpoint = $2 WHERE turn_id = $1`, id, checkpoint); err != nil {
		return fmt.Errorf("write the checkpoint of turn %s: %w", id, err)
	}
	return nil
}
