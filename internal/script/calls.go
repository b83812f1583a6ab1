package script

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// maxReceipt bounds a receipt, result and error together, in bytes (S35).
const maxReceipt = 64 << 10

// receipt is the durable record of one call.
type receipt struct {
	Run     identity.RunID
	ID      string
	Name    tool.Name
	Digest  string
	State   tool.State
	Begun   bool
	Result  json.RawMessage
	Fault   *tool.Fault
	Created time.Time

	createdText string
}

func (r receipt) terminal() bool { return r.State != tool.StatePending }

func (r receipt) outcome() tool.Outcome {
	return tool.Outcome{State: r.State, Value: r.Result, Fault: r.Fault}
}

const callColumns = `call_id, toolkit, function, digest, state, begun, result, fault, created_at`

// insertCall stores a claim. It reports false, and stores nothing, when the id
// is taken or the run is not active any more.
func insertCall(tx *store.Tx, r receipt) (fresh bool, err error) {
	n, err := tx.Exec(`INSERT INTO script_calls (run_id, `+callColumns+`, ended_at)
		SELECT run_id, $2, $3, $4, $5, $6, $7, NULL, NULL, $8, '' FROM script_runs WHERE run_id = $1 AND nonterminal = 1 AND cancel_at = ''
		ON CONFLICT (run_id, call_id) DO NOTHING`,
		string(r.Run), r.ID, r.Name.Toolkit, r.Name.Function, r.Digest, string(tool.StatePending), number(r.Begun), stamp(r.Created))
	if err != nil {
		return false, fmt.Errorf("call %s: %w", r.ID, err)
	}
	return n > 0, nil
}

func beginCall(tx *store.Tx, run identity.RunID, id string) (bool, error) {
	n, err := tx.Exec(`UPDATE script_calls SET begun = 1 WHERE run_id = $1 AND call_id = $2 AND state = 'pending'`, string(run), id)
	return n > 0, err
}

// endCall writes a terminal receipt unless there is one; the first wins. It
// reports whether this call wrote it.
func endCall(tx *store.Tx, run identity.RunID, id string, out tool.Outcome, now time.Time) (bool, error) {
	var fault any
	if out.Fault != nil {
		raw, err := json.Marshal(out.Fault)
		if err != nil {
			return false, fmt.Errorf("call %s: %w", id, err)
		}
		fault = string(raw)
	}
	var result any
	if out.State == tool.StateCompleted {
		result = string(out.Value)
	}
	n, err := tx.Exec(`UPDATE script_calls SET state = $1, result = $2, fault = $3, ended_at = $4
		WHERE run_id = $5 AND call_id = $6 AND state = 'pending'`, string(out.State), result, fault, stamp(now), string(run), id)
	return n > 0, err
}

// getCall finds a call's receipt; nil when there is none.
func getCall(q store.Queryer, run identity.RunID, id string) (*receipt, error) {
	r, err := scanCall(run, q.QueryRow(`SELECT `+callColumns+` FROM script_calls WHERE run_id = $1 AND call_id = $2`, string(run), id).Scan)
	switch {
	case errors.Is(err, store.ErrNoRows):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("call %s: %w", id, err)
	}
	return r, nil
}

func scanCall(run identity.RunID, scan func(...any) error) (*receipt, error) {
	var (
		r             = receipt{Run: run}
		state         string
		begun         int
		result, fault sql.NullString
	)
	if err := scan(&r.ID, &r.Name.Toolkit, &r.Name.Function, &r.Digest, &state, &begun, &result, &fault, &r.createdText); err != nil {
		return nil, err
	}
	r.State, r.Begun = tool.State(state), begun != 0
	if result.Valid {
		r.Result = json.RawMessage(result.String)
	}
	if fault.Valid {
		r.Fault = new(tool.Fault)
		if err := json.Unmarshal([]byte(fault.String), r.Fault); err != nil {
			return nil, fmt.Errorf("it is damaged in the database: %w", err)
		}
	}
	return &r, nil
}

// CallCounts says how a run's calls stand.
type CallCounts struct {
	Pending       int `json:"pending"`
	Completed     int `json:"completed"`
	Failed        int `json:"failed"`
	Indeterminate int `json:"indeterminate"`
}

func countCalls(q store.Queryer, run identity.RunID) (CallCounts, error) {
	var c CallCounts
	err := store.Each(q, func(rows *store.Rows) error {
		var state string
		var n int
		if err := rows.Scan(&state, &n); err != nil {
			return err
		}
		switch tool.State(state) {
		case tool.StatePending:
			c.Pending = n
		case tool.StateCompleted:
			c.Completed = n
		case tool.StateFailed:
			c.Failed = n
		case tool.StateIndeterminate:
			c.Indeterminate = n
		}
		return nil
	}, `SELECT state, COUNT(*) FROM script_calls WHERE run_id = $1 GROUP BY state`, string(run))
	return c, wrap(run, err)
}
