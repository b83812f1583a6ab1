package turn

import (
	"encoding/json"
	"errors"
	"fmt"

	"mindroom/internal/mode"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

// subagentTables is a step of Schema: who works for whom. A turn of a subagent
// names it; its trigger is then the call that made the turn, so that no call makes
// two.
const subagentTables = `CREATE TABLE subagents (
		subagent_id TEXT PRIMARY KEY,
		turn_id TEXT NOT NULL,
		caller TEXT NOT NULL,
		parent TEXT NOT NULL,
		conversation TEXT NOT NULL,
		requester TEXT NOT NULL,
		agent TEXT NOT NULL,
		mode TEXT NOT NULL,
		model TEXT NOT NULL,
		prompt TEXT NOT NULL,
		tools TEXT NOT NULL,
		background BIGINT NOT NULL,
		depth BIGINT NOT NULL,
		state TEXT NOT NULL,
		result TEXT NOT NULL,
		transcript TEXT NOT NULL,
		created_at TEXT NOT NULL,
		changed_at TEXT NOT NULL
	);
	CREATE INDEX subagents_of ON subagents (caller, conversation);
	ALTER TABLE turns ADD COLUMN subagent TEXT NOT NULL DEFAULT ''`

// SubagentState is how a subagent stands.
type SubagentState string

// The states of a subagent. From each but Running it can be continued.
const (
	// SubagentRunning: a turn of it has not ended.
	SubagentRunning SubagentState = "running"
	// SubagentCompleted: its last turn was answered.
	SubagentCompleted SubagentState = "completed"
	// SubagentFailed: a bound, the provider or a fault ended its last turn.
	SubagentFailed SubagentState = "failed"
	// SubagentCancelled: its caller's end, stop_subagent or a person ended it.
	SubagentCancelled SubagentState = "cancelled"
	// SubagentInterrupted: the process died while it worked.
	SubagentInterrupted SubagentState = "interrupted"
)

// ofSubagent is how a subagent stands after its turn.
func (s State) ofSubagent() SubagentState {
	switch s {
	case Answered:
		return SubagentCompleted
	case Cancelled:
		return SubagentCancelled
	case Interrupted:
		return SubagentInterrupted
	}
	return SubagentFailed
}

// subagent is one as stored: whom it works for, who it is, and what it has said
// and done so far.
type subagent struct {
	id string
	// turn is its last or only turn.
	turn string
	// caller is the agent that started it, parent the subagent which that agent was;
	// empty when it answered a person.
	caller, parent string
	// conversation and requester are those of the answer that started it.
	conversation, requester string
	// agent is who works; of an authored one it is caller.
	agent string
	mode  mode.Mode
	// model is a configured name; empty is the agent's own.
	model string
	// prompt stands in place of the agent's role and instructions; empty leaves them.
	prompt string
	// tools are what it may call of the agent's; nil all, empty none.
	tools []string
	// background: it goes on after the answer that started it.
	background bool
	depth      int
	state      SubagentState
	result     string
	transcript []model.Message
	created    string
}

const subagentColumns = `subagent_id, turn_id, caller, parent, conversation, requester, agent, mode, model, prompt, tools, background, depth,
	state, result, transcript, created_at`

func scanSubagent(scan func(...any) error) (subagent, error) {
	var s subagent
	var tools, transcript string
	err := scan(&s.id, &s.turn, &s.caller, &s.parent, &s.conversation, &s.requester, &s.agent, &s.mode, &s.model, &s.prompt, &tools, &s.background, &s.depth,
		&s.state, &s.result, &transcript, &s.created)
	if err != nil {
		return s, err
	}
	if err := errors.Join(json.Unmarshal([]byte(tools), &s.tools), json.Unmarshal([]byte(transcript), &s.transcript)); err != nil {
		return s, fmt.Errorf("read subagent %s: %w", s.id, err)
	}
	return s, nil
}

// loadSubagent reads one; false when there is none of that id.
func loadSubagent(q store.Queryer, id string) (subagent, bool, error) {
	s, err := scanSubagent(q.QueryRow(`SELECT `+subagentColumns+` FROM subagents WHERE subagent_id = $1`, id).Scan)
	if errors.Is(err, store.ErrNoRows) {
		return s, false, nil
	}
	if err != nil {
		return s, false, fmt.Errorf("read subagent %s: %w", id, err)
	}
	return s, true, nil
}

// subagentsOf lists the subagents of a caller, oldest first.
func subagentsOf(q store.Queryer, c caller) ([]subagent, error) {
	var all []subagent
	err := store.Each(q, func(rows *store.Rows) error {
		s, err := scanSubagent(rows.Scan)
		all = append(all, s)
		return err
	}, `SELECT `+subagentColumns+` FROM subagents WHERE caller = $1 AND parent = $2 AND conversation = $3 AND requester = $4
		ORDER BY created_at, subagent_id`, c.agent, c.subagent(), c.conversation(), c.who.Requester)
	if err != nil {
		return nil, fmt.Errorf("list the subagents of %s: %w", c.agent, err)
	}
	return all, nil
}

// maxRunning is how many subagents one agent may have at work in a conversation for
// a requester.
const maxRunning = 16

// room is a *Refusal where as many subagents as may be are at work beside s.
func (s subagent) room(q store.Queryer) error {
	var n int
	err := q.QueryRow(`SELECT count(*) FROM subagents WHERE caller = $1 AND conversation = $2 AND requester = $3 AND state = $4 AND subagent_id <> $5`,
		s.caller, s.conversation, s.requester, string(SubagentRunning), s.id).Scan(&n)
	if err != nil {
		return fmt.Errorf("count the subagents of %s: %w", s.caller, err)
	}
	if n >= maxRunning {
		return refusedf("%d subagents of yours are at work in this conversation, and there may be no more. Wait for one to end, or end one with stop_subagent.", n)
	}
	return nil
}

// insertSubagent records a new one.
func (e *Engine) insertSubagent(tx *store.Tx, s subagent) error {
	tools, err := json.Marshal(s.tools)
	if err == nil {
		_, err = tx.Exec(`INSERT INTO subagents (`+subagentColumns+`, changed_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, '', '[]', $15, $15)`,
			s.id, s.turn, s.caller, s.parent, s.conversation, s.requester, s.agent, string(s.mode), s.model, s.prompt, string(tools), s.background, s.depth,
			string(s.state), e.Wall.Stamp())
	}
	if err != nil {
		return fmt.Errorf("record subagent %s: %w", s.id, err)
	}
	return nil
}

// wakeSubagent gives one that rests another turn; false when it runs.
func (e *Engine) wakeSubagent(tx *store.Tx, id, turn string) (bool, error) {
	n, err := tx.Exec(`UPDATE subagents SET state = $2, turn_id = $3, background = 0, result = '', changed_at = $4 WHERE subagent_id = $1 AND state <> $2`,
		id, string(SubagentRunning), turn, e.Wall.Stamp())
	if err != nil {
		return false, fmt.Errorf("continue subagent %s: %w", id, err)
	}
	return n == 1, nil
}

// restSubagent ends a subagent's turn: how it stands, what it said last, and what
// it goes on from.
func (e *Engine) restSubagent(tx *store.Tx, s subagent) error {
	raw, err := json.Marshal(s.transcript)
	if err == nil {
		_, err = tx.Exec(`UPDATE subagents SET state = $2, result = $3, transcript = $4, changed_at = $5 WHERE subagent_id = $1`,
			s.id, string(s.state), s.result, string(raw), e.Wall.Stamp())
	}
	if err != nil {
		return fmt.Errorf("end the turn of subagent %s: %w", s.id, err)
	}
	return nil
}
