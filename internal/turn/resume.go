package turn

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Settled says that a question of a parked turn has ended. It is a hint and
// never blocks: the rows say whether the turn can go on.
func (e *Engine) Settled(turn string) {
	e.mu.Lock()
	e.hinted[turn] = true
	e.mu.Unlock()
	e.Wake()
}

// resume makes parked turns ready whose questions have all ended, and ends those
// that can no longer go on.
func (e *Engine) resume(ctx context.Context) error {
	e.mu.Lock()
	hinted, review := e.hinted, e.review
	e.hinted, e.review = map[string]bool{}, false
	e.mu.Unlock()
	err := e.ready(ctx, hinted)
	if err == nil && review {
		err = errors.Join(e.reviewParked(ctx), e.reviewAsking(ctx))
	}
	if err != nil { // what was not looked at is looked at again
		e.mu.Lock()
		for turn := range hinted {
			e.hinted[turn] = true
		}
		e.review = e.review || review
		e.mu.Unlock()
	}
	return err
}

func (e *Engine) ready(ctx context.Context, hinted map[string]bool) error {
	for turn := range hinted {
		moved := false
		err := e.DB.Write(ctx, func(tx *store.Tx) error {
			r, err := load(tx, turn)
			if err != nil || r.state != Parked {
				return err
			}
			for _, door := range []tool.Door{tool.DoorTurn, tool.DoorCLI} {
				if open, err := approval.Waiting(tx, door, turn); err != nil || len(open) > 0 {
					return err
				}
			}
			moved = true
			return e.move(tx, turn, Ready, ByWork, "")
		})
		if err != nil {
			return fmt.Errorf("resume turn %s: %w", turn, err)
		}
		if moved {
			step.Reached(step.TurnReady)
		}
	}
	return nil
}

// reviewParked ends parked turns whose agent is gone or whose requester may not
// use it any more; their questions are withdrawn with them (S19).
func (e *Engine) reviewParked(ctx context.Context) error {
	var parked []row
	err := e.DB.Read(ctx, func(q *store.Reader) (err error) {
		parked, err = inState(q, Parked)
		return err
	})
	if err != nil {
		return err
	}
	snap := e.Config.Current()
	var errs []error
	for _, r := range parked {
		reason, lost := e.lost(ctx, snap, r)
		if !lost {
			continue
		}
		end := ending{state: Failed, reason: reason, note: noteError("you may not use this agent here any more, so its calls cannot be approved.")}
		if reason == ReasonAgentRemoved {
			end.note = noteError("the agent is no longer configured, so its calls cannot be approved.")
		}
		cp, err := decodeCheckpoint(r.checkpoint)
		if err != nil {
			err = e.interrupt(ctx, r, cp, err)
		} else {
			err = e.DB.Write(ctx, e.conclude(ctx, r, cp, end, ByWork))
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("end parked turn %s: %w", r.id, err))
			continue
		}
		e.closeCLI(ctx, r.id, true)
	}
	return errors.Join(errs...)
}

// reviewAsking withdraws the questions of turns that are being worked on, as a
// command's call and a subagent's wait in place, where the agent is gone or the
// requester may not use it any more: nobody could decide them. What becomes of the
// turn is said by its work, which hears that the question is over.
func (e *Engine) reviewAsking(ctx context.Context) error {
	if e.Cards == nil {
		return nil
	}
	var asking []row
	err := e.DB.Read(ctx, func(q *store.Reader) error {
		asking = nil
		for _, s := range []State{Clean, Dirty, Claimed} {
			rows, err := inState(q, s)
			if err != nil {
				return err
			}
			asking = append(asking, rows...)
		}
		return nil
	})
	if err != nil {
		return err
	}
	snap := e.Config.Current()
	var errs []error
	for _, r := range asking {
		reason, lost := e.lost(ctx, snap, r)
		if !lost {
			continue
		}
		err := e.DB.Write(ctx, func(tx *store.Tx) error {
			for _, door := range []tool.Door{tool.DoorTurn, tool.DoorCLI} {
				if _, err := e.Cards.Withdraw(tx, door, r.id, ending{reason: reason}.withdrawal()); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			errs = append(errs, fmt.Errorf("withdraw the questions of turn %s: %w", r.id, err))
		}
	}
	return errors.Join(errs...)
}

// lost reports whether nobody could decide about calls of a turn any more, and
// why: its agent is gone, or its requester may definitely not use it.
func (e *Engine) lost(ctx context.Context, snap *config.Snapshot, r row) (Reason, bool) {
	if _, configured := snap.Config.Agents[r.agent]; !configured {
		return ReasonAgentRemoved, true
	}
	return ReasonNoAccess, e.Room.Authority.May(ctx, r.who, snap) == tool.No
}

// doubted has a turn whose questions were put just now looked at, if its requester
// lost the agent while they were drawn: the look that followed the loss did not
// find them yet.
func (e *Engine) doubted(ctx context.Context, r row) {
	if _, lost := e.lost(ctx, e.Config.Current(), r); lost {
		e.News()
	}
}
