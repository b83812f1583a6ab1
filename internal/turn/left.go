package turn

import (
	"context"
	"fmt"

	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// lostCommand is how a command ends that a restart interrupted while calls it made
// waited for people: they are still made when that is decided, and it is not.
func lostCommand() storedOutcome {
	out := tool.Indeterminate("The command was interrupted by a restart of the service and is not run again; calls that it had made and that waited for approval are told below.")
	return storedOutcome{State: tool.StatePaused, Then: tool.StateIndeterminate, Fault: out.Fault}
}

// holdOn lets a turn wait that the last process left in the middle of a command,
// where calls of that command wait for people: the questions stand, and each call
// is made once when it is decided (M28). It reports false where nothing waits.
func (e *Engine) holdOn(ctx context.Context, r row, cp Checkpoint) (holds bool, err error) {
	err = e.DB.Write(ctx, func(tx *store.Tx) error {
		holds = false
		held, err := waits(tx, r)
		if err != nil || !anyOpen(held) {
			return err
		}
		begun, err := begunCalls(tx, r.id)
		if err != nil {
			return err
		}
		left := cp.leftWaiting(r, held, begun)
		if !left.pauses() {
			return nil
		}
		if err := e.recordLost(tx, r, left, held, begun); err != nil {
			return err
		}
		if _, err := tx.Exec(`DELETE FROM turn_waits WHERE turn_id = $1 AND begun = TRUE`, r.id); err != nil {
			return err
		}
		checkpoint, err := left.encode()
		if err != nil {
			return err
		}
		cards, err := e.heldCards(tx, r.id)
		if err != nil {
			return err
		}
		holds = true
		return e.parkRow(tx, r, left, checkpoint, ByStart, cards)
	})
	if err != nil {
		return false, fmt.Errorf("let turn %s wait on: %w", r.id, err)
	}
	if holds {
		e.Log.Info("a command was interrupted by the restart; its calls still wait for a decision", "turn", r.id)
	}
	return holds, nil
}

// anyOpen reports whether a held call was not begun.
func anyOpen(held []wait) bool {
	for _, w := range held {
		if !w.begun {
			return true
		}
	}
	return false
}

// leftWaiting is the checkpoint of a turn whose process died in an open batch:
// commands with held calls wait on, everything else has ended as far as is known.
func (c Checkpoint) leftWaiting(r row, held []wait, begun map[string]*tool.Outcome) Checkpoint {
	c.View = c.View.clone()
	c.Calls = append([]batchCall(nil), c.Calls...)
	waiting, known := map[string]bool{}, false
	for _, call := range c.Calls {
		out, began := begun[call.Ref]
		for _, w := range held {
			if w.maker() == call.Ref && began && out == nil {
				waiting[call.Ref], known = true, true
			}
		}
	}
	for i, call := range c.Calls {
		out, began := begun[call.Ref]
		switch {
		case call.Result != nil || call.Paused != nil:
		case began && out == nil && (waiting[call.Ref] || !known):
			known = true // where it is not known which command asked, the first tells of it
			c.Calls[i].Paused = &paused{Outcome: lostCommand(), Began: r.changed}
		default:
			result := ended(call.Ref, begun)
			c.Calls[i].Result = &result
			c.View.completed(call.Ref, result.Text, nil)
		}
	}
	for _, w := range held {
		if p := c.pausedBy(w.maker()); p != nil && w.begun {
			p.Told = append(p.Told, tell(w, "was decided and begun", lostCall()))
		}
	}
	return c
}

// recordLost writes the audit records of begun calls whose end the last process
// took with it: nothing else would ever tell of them. Commands that wait on are
// recorded at their end. A call that had not begun was nobody's yet and has none.
func (e *Engine) recordLost(tx *store.Tx, r row, cp Checkpoint, held []wait, begun map[string]*tool.Outcome) error {
	made, err := clock.ParseStamp(r.changed)
	if err != nil {
		return fmt.Errorf("turn %s: %w", r.id, err)
	}
	lost := func(c tool.Call) error {
		return e.Room.Audit.Record(tx, tool.AuditEntry{Call: c, Outcome: lostCall(), Began: true, At: made, Duration: max(e.Wall.Now().Sub(made), 0)})
	}
	for _, c := range cp.Calls {
		if out, began := begun[c.Ref]; !began || out != nil || c.Paused != nil {
			continue
		}
		if err := lost(e.callOf(r, cp, c)); err != nil {
			return err
		}
	}
	for _, w := range held {
		if !w.begun {
			continue
		}
		if err := lost(w.call); err != nil {
			return err
		}
	}
	return nil
}
