package turn

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"mindroom/internal/canonical"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/turncli"
)

// errHeldOver is why a call that waited for a person cannot begin: it began
// already, or nothing is known of it.
var errHeldOver = errors.New("the call was begun or given up already")

// wait is a call of mindroom-agent that waits for a person, with what is needed to
// make it in another process.
type wait struct {
	// call has the reference, the name and the arguments; who makes it is the turn's.
	call tool.Call
	// begun: it was decided and made, and whoever made it has not told how it ended.
	begun bool
}

// holds keeps the calls of one response that wait for a person (M28, C22).
type holds struct {
	e    *Engine
	turn string
}

var _ turncli.Holds = holds{}

// Hold records a call with its question. The turn is dirty then: the command that
// makes the call runs, or goes on after a decision.
func (h holds) Hold(tx *store.Tx, c tool.Call) error {
	r, err := load(tx, h.turn)
	if err != nil {
		return err
	}
	if r.cancelBy != "" || r.state != Dirty && r.state != Claimed {
		return errOver
	}
	parent, err := json.Marshal(c.Parent)
	if err != nil {
		return fmt.Errorf("hold %s: %w", c.Ref, err)
	}
	_, err = tx.Exec(`INSERT INTO turn_waits (turn_id, call_id, seq, parent, toolkit, function, arguments, begun)
		SELECT $1, $2, COALESCE(MAX(seq), 0) + 1, $3, $4, $5, $6, FALSE FROM turn_waits WHERE turn_id = $1`,
		h.turn, c.ID, string(parent), c.Name.Toolkit, c.Name.Function, string(c.Args.Raw()))
	if err != nil {
		return fmt.Errorf("hold %s: %w", c.Ref, err)
	}
	tx.AfterCommit(func() {
		step.Reached(step.HeldAsked)
		h.e.doubted(context.Background(), r)
	})
	return nil
}

// Begin records that the call is about to run.
func (h holds) Begin(tx *store.Tx, ref tool.Ref) error {
	r, err := load(tx, h.turn)
	if err != nil {
		return err
	}
	if r.cancelBy != "" || r.state != Dirty && r.state != Claimed {
		return errOver
	}
	n, err := tx.Exec(`UPDATE turn_waits SET begun = TRUE WHERE turn_id = $1 AND call_id = $2 AND begun = FALSE`, h.turn, ref.ID)
	if err != nil {
		return fmt.Errorf("begin %s: %w", ref, err)
	}
	if n == 0 {
		return fmt.Errorf("begin %s: %w", ref, errHeldOver)
	}
	tx.AfterCommit(func() { step.Reached(step.HeldBegun) })
	return nil
}

// End forgets the call.
func (h holds) End(tx *store.Tx, ref tool.Ref) error {
	n, err := tx.Exec(`DELETE FROM turn_waits WHERE turn_id = $1 AND call_id = $2`, h.turn, ref.ID)
	if err != nil {
		return fmt.Errorf("end %s: %w", ref, err)
	}
	if n > 0 {
		tx.AfterCommit(func() { step.Reached(step.HeldEnded) })
	}
	return nil
}

// maker is the id of the call inside which it was made: one of the turn's own, or
// a held one that was made later; empty where that is not known.
func (w wait) maker() string {
	if w.call.Parent == nil {
		return ""
	}
	return w.call.Parent.ID
}

// waits are the held calls of a turn in the order in which they were asked about.
func waits(q store.Queryer, r row) ([]wait, error) {
	var all []wait
	err := store.Each(q, func(rows *store.Rows) error {
		w := wait{call: tool.Call{Ref: tool.Ref{Door: tool.DoorCLI, Owner: r.id}, Who: r.who, Depth: r.depth}}
		var parent, args string
		if err := rows.Scan(&w.call.ID, &parent, &w.call.Name.Toolkit, &w.call.Name.Function, &args, &w.begun); err != nil {
			return err
		}
		if err := json.Unmarshal([]byte(parent), &w.call.Parent); err != nil {
			return fmt.Errorf("read the parent of %s: %w", w.call.Ref, err)
		}
		doc, err := canonical.Parse([]byte(args), canonical.Limits{})
		if err != nil {
			return fmt.Errorf("read the arguments of %s: %w", w.call.Ref, err)
		}
		w.call.Args = doc
		all = append(all, w)
		return nil
	}, `SELECT call_id, parent, toolkit, function, arguments, begun FROM turn_waits WHERE turn_id = $1 ORDER BY seq`, r.id)
	if err != nil {
		return nil, fmt.Errorf("read what turn %s waits for: %w", r.id, err)
	}
	return all, nil
}

func dropWaits(tx *store.Tx, turn string) error {
	if _, err := tx.Exec(`DELETE FROM turn_waits WHERE turn_id = $1`, turn); err != nil {
		return fmt.Errorf("drop what turn %s waited for: %w", turn, err)
	}
	return nil
}
