package turn

import (
	"context"
	"fmt"

	"mindroom/internal/approval"
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
		err = e.reviewParked(ctx)
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
	for _, r := range parked {
		end := ending{state: Failed, reason: ReasonAgentRemoved, note: noteError("the agent is no longer configured, so its calls cannot be approved.")}
		if _, configured := snap.Config.Agents[r.agent]; configured {
			if e.Room.Authority.May(ctx, r.who, snap) != tool.No {
				continue
			}
			end = ending{state: Failed, reason: ReasonNoAccess, note: noteError("you may not use this agent here any more, so its calls cannot be approved.")}
		}
		cp, err := decodeCheckpoint(r.checkpoint)
		if err != nil {
			return fmt.Errorf("end parked turn %s: %w", r.id, err)
		}
		if err := e.DB.Write(ctx, e.conclude(ctx, r, cp, end, ByWork)); err != nil {
			return fmt.Errorf("end parked turn %s: %w", r.id, err)
		}
		e.closeCLI(ctx, r.id, true)
	}
	return nil
}
