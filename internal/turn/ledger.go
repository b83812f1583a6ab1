package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// errOver is why a call cannot begin any more: its turn was cancelled or ended.
var errOver = errors.New("the response is over")

// ledger keeps the calls of one batch beside its turn's row. The first Begin
// writes the batch's checkpoint and makes the turn dirty in one transaction, so
// that whoever finds the turn dirty also finds what had been asked for.
type ledger struct {
	e  *Engine
	id string
	// checkpoint is the turn as it stands before the batch.
	checkpoint string

	mu    sync.Mutex
	begun int
}

var _ tool.Ledger = (*ledger)(nil)

// Begin makes it durable that the call is about to run.
func (l *ledger) Begin(ctx context.Context, ref tool.Ref) error {
	err := l.e.DB.Write(ctx, func(tx *store.Tx) error {
		r, err := load(tx, l.id)
		if err != nil {
			return err
		}
		if r.cancelBy != "" || r.state.Terminal() {
			return errOver
		}
		if r.state != Dirty {
			if err := l.e.move(tx, l.id, Dirty, ByWork, ""); err != nil {
				return err
			}
			if err := saveCheckpoint(tx, l.id, l.checkpoint); err != nil {
				return err
			}
		}
		_, err = tx.Exec(`INSERT INTO turn_calls (turn_id, ref, outcome) VALUES ($1, $2, '') ON CONFLICT (turn_id, ref) DO NOTHING`, l.id, ref.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("begin %s: %w", ref, err)
	}
	step.Reached(step.TurnCallBegun)
	l.mu.Lock()
	l.begun++
	l.mu.Unlock()
	return nil
}

// anyBegun reports whether a call of the batch began.
func (l *ledger) anyBegun() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.begun > 0
}

// storedOutcome is an outcome as kept between a call's end and the batch's.
type storedOutcome struct {
	State   tool.State      `json:"state"`
	Value   json.RawMessage `json:"value,omitempty"`
	Media   []media.Ref     `json:"media,omitempty"`
	Fault   *tool.Fault     `json:"fault,omitempty"`
	Control tool.Control    `json:"control,omitempty"`
	Then    tool.State      `json:"then,omitempty"`
}

// End keeps the outcome of a begun call; the first one wins. A call that never
// began leaves no row: its result is part of the batch's checkpoint, and if the
// process dies before that it still never ran.
func (l *ledger) End(ctx context.Context, ref tool.Ref, out tool.Outcome, also func(*store.Tx) error) (tool.Outcome, error) {
	raw, err := json.Marshal(storedOutcome(out))
	if err != nil {
		return out, fmt.Errorf("write the outcome of %s: %w", ref, err)
	}
	won := out
	err = l.e.DB.Write(ctx, func(tx *store.Tx) error {
		won = out
		fresh, err := tx.Exec(`UPDATE turn_calls SET outcome = $3 WHERE turn_id = $1 AND ref = $2 AND outcome = ''`, l.id, ref.ID, string(raw))
		if err != nil {
			return err
		}
		if fresh == 0 {
			earlier, ok, err := outcome(tx, l.id, ref.ID)
			if err != nil {
				return err
			}
			if ok {
				won = earlier
			}
		}
		if also == nil {
			return nil
		}
		return also(tx)
	})
	if err != nil {
		return out, fmt.Errorf("end %s: %w", ref, err)
	}
	step.Reached(step.TurnCallEnded)
	return won, nil
}

// outcome is the recorded end of a begun call; false when there is none.
func outcome(q store.Queryer, turn, ref string) (tool.Outcome, bool, error) {
	var text string
	err := q.QueryRow(`SELECT outcome FROM turn_calls WHERE turn_id = $1 AND ref = $2`, turn, ref).Scan(&text)
	if errors.Is(err, store.ErrNoRows) || err == nil && text == "" {
		return tool.Outcome{}, false, nil
	}
	if err != nil {
		return tool.Outcome{}, false, err
	}
	var s storedOutcome
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return tool.Outcome{}, false, fmt.Errorf("read the outcome of %s: %w", ref, err)
	}
	return tool.Outcome(s), true, nil
}

// begunCalls lists the begun calls of a turn's open batch.
func begunCalls(q store.Queryer, turn string) (map[string]*tool.Outcome, error) {
	calls := map[string]*tool.Outcome{}
	err := store.Each(q, func(rows *store.Rows) error {
		var ref, text string
		if err := rows.Scan(&ref, &text); err != nil {
			return err
		}
		calls[ref] = nil
		if text == "" {
			return nil
		}
		var s storedOutcome
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			return fmt.Errorf("read the outcome of %s: %w", ref, err)
		}
		out := tool.Outcome(s)
		calls[ref] = &out
		return nil
	}, `SELECT ref, outcome FROM turn_calls WHERE turn_id = $1`, turn)
	if err != nil {
		return nil, fmt.Errorf("read the calls of turn %s: %w", turn, err)
	}
	return calls, nil
}

func dropCalls(tx *store.Tx, turn string) error {
	if _, err := tx.Exec(`DELETE FROM turn_calls WHERE turn_id = $1`, turn); err != nil {
		return fmt.Errorf("drop the calls of turn %s: %w", turn, err)
	}
	return nil
}
