package turn

import (
	"encoding/json"
	"errors"
	"fmt"

	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// Request is a message that an agent is to answer.
type Request struct {
	// Agent is the configured name; Account is what answers, as journal and
	// outbox name it.
	Agent, Account string
	// Who is the identity every call of the turn is bound to (S42).
	Who identity.Execution
	// Room and ThreadRoot are where the answer goes; no root is the room itself.
	Room, ThreadRoot string
	// TriggerEvent is the event id of the message.
	TriggerEvent string
	// Joined are the files that its sender sent just before it, oldest first, which
	// the turn answers with it; nil for none.
	Joined []string
	// Depth is the number of self-triggers that led here; 0 for a person.
	Depth int
}

// Create records a turn in the caller's transaction; the engine is woken once
// that is durable. A second request of the same agent for the same message is
// known and changes nothing.
func (e *Engine) Create(tx *store.Tx, r Request) error {
	cp := newCheckpoint()
	cp.Joined = r.Joined
	return e.create(tx, r, cp)
}

// create records a turn that begins with a checkpoint.
func (e *Engine) create(tx *store.Tx, r Request, cp Checkpoint) error {
	if r.Agent == "" || r.Account == "" || r.Room == "" || r.TriggerEvent == "" {
		return errors.New("a turn needs an agent, an account, a room and a message to answer")
	}
	who, err := json.Marshal(r.Who)
	if err != nil {
		return fmt.Errorf("write the identity of a turn: %w", err)
	}
	checkpoint, err := cp.encode()
	if err != nil {
		return err
	}
	now := e.Wall.Stamp()
	_, err = tx.Exec(`INSERT INTO turns (turn_id, seq, agent, account, conversation, room_id, thread_root, trigger_event,
			identity, depth, state, reason, cancel_by, attempts, checkpoint, created_at, changed_at)
		SELECT $1, COALESCE(MAX(seq), 0) + 1, $2, $3, $4, $5, $6, $7, $8, $9, $10, '', '', 0, $11, $12, $12 FROM turns WHERE true
		ON CONFLICT (agent, trigger_event) DO NOTHING`,
		string(identity.NewTurnID()), r.Agent, r.Account, identity.SessionID(r.Room, r.ThreadRoot), r.Room, r.ThreadRoot, r.TriggerEvent,
		string(who), r.Depth, string(Clean), checkpoint, now)
	if err != nil {
		return fmt.Errorf("record the turn of %s for %s: %w", r.Agent, r.TriggerEvent, err)
	}
	tx.AfterCommit(e.Wake)
	return nil
}
