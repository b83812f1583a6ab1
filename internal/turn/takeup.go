package turn

import (
	"context"
	"fmt"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// takeUp judges, once at the start, what the last process left: clean turns go
// on from their checkpoint, those with a begun call end interrupted, and so
// does whatever this build cannot read.
func (e *Engine) takeUp(ctx context.Context) error {
	var left []row
	err := e.DB.Read(ctx, func(q *store.Reader) error {
		left = nil
		return store.Each(q, func(rows *store.Rows) error {
			r, err := scanRow(rows.Scan)
			left = append(left, r)
			return err
		}, `SELECT `+columns+` FROM turns WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed') ORDER BY seq`)
	})
	if err != nil {
		return fmt.Errorf("read the turns of the last process: %w", err)
	}
	for _, r := range left {
		cp, err := decodeCheckpoint(r.checkpoint)
		if err == nil && r.state != Dirty && r.state != Claimed {
			continue
		}
		if err := e.interrupt(ctx, r, cp, err); err != nil {
			return err
		}
	}
	return nil
}

// interrupt ends a turn that cannot go on. Known results are kept, nothing is
// run again, and the room is told once.
func (e *Engine) interrupt(ctx context.Context, r row, cp Checkpoint, unread error) error {
	end := ending{state: Interrupted, reason: ReasonRestart, note: noteRestart}
	if unread != nil {
		e.Log.Warn("a turn was left in a form this build cannot read", "turn", r.id, "err", unread)
		end.reason = ReasonVersion
	}
	var begun map[string]*tool.Outcome
	// Nobody works on the turn before the start is over: what is read stays true.
	err := e.DB.Read(ctx, func(q *store.Reader) (err error) {
		begun, err = begunCalls(q, r.id)
		return err
	})
	if err == nil {
		known := cp
		known.View = cp.View.clone()
		known.Calls = append([]batchCall(nil), cp.Calls...)
		for i := range known.Calls {
			result := ended(known.Calls[i].Ref, begun)
			known.Calls[i].Result = &result
			known.View.completed(known.Calls[i].Ref, result.Text, e.Mask)
		}
		err = e.DB.Write(ctx, e.conclude(ctx, r, known, end, ByStart))
	}
	if err != nil {
		return fmt.Errorf("interrupt turn %s: %w", r.id, err)
	}
	e.Log.Info("a response was interrupted by the restart", "turn", r.id, "reason", end.reason)
	return nil
}

// ended is what is known of one call of an open batch.
func ended(ref string, begun map[string]*tool.Outcome) storedResult {
	out, began := begun[ref]
	switch {
	case !began:
		return neverRan
	case out == nil:
		return unknownEnd()
	}
	return resultOf(*out)
}
