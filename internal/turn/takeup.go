package turn

import (
	"context"
	"fmt"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// takeUp judges, once at the start, what the last process left: clean turns go
// on from their checkpoint, those with a begun call end interrupted unless calls
// inside it wait for people, and so do those of subagents, for whom nobody waits any
// more, and whatever this build cannot read.
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
		if err == nil && r.subagent == "" && r.state != Dirty && r.state != Claimed {
			if r.state == Parked {
				e.Settled(r.id) // it may have been decided while nobody could hear it
			}
			continue
		}
		if err == nil && r.subagent == "" && r.state == Dirty && r.cancelBy == "" {
			holds, err := e.holdOn(ctx, r, cp)
			if err != nil {
				return err
			}
			if holds {
				continue
			}
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
	// Nobody works on the turn before the start is over: what is read stays true.
	err := e.DB.Read(ctx, func(q *store.Reader) (err error) {
		cp, err = e.known(q, r, cp)
		return err
	})
	if err == nil {
		err = e.DB.Write(ctx, e.recordingLost(r, cp, e.conclude(ctx, r, cp, end, ByStart)))
	}
	if err != nil {
		return fmt.Errorf("interrupt turn %s: %w", r.id, err)
	}
	e.Log.Info("a response was interrupted by the restart", "turn", r.id, "reason", end.reason)
	return nil
}

// known completes the calls of an open batch with what is known of them: those
// that never began, those that ended, and those of which nobody can tell.
func (e *Engine) known(q store.Queryer, r row, cp Checkpoint) (Checkpoint, error) {
	begun, err := begunCalls(q, r.id)
	if err != nil {
		return cp, err
	}
	held, err := waits(q, r)
	if err != nil {
		return cp, err
	}
	cp.View = cp.View.clone()
	cp.Calls = append([]batchCall(nil), cp.Calls...)
	for i, c := range cp.Calls {
		if c.Result != nil {
			continue
		}
		result := ended(c.Ref, begun)
		if c.Paused != nil {
			result = c.Paused.broken(held)
			cp.Calls[i].Paused = nil
		}
		cp.Calls[i].Result = &result
		cp.View.completed(c.Ref, result.Text, e.Mask)
	}
	return cp, nil
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
