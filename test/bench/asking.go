package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/store"
	"mindroom/test/rig"
)

// asker is a script whose every call needs an approval.
const asker = `
from mindroom.script_sdk import MindRoomTools
tools = MindRoomTools()
for n in range(@CALLS@):
    tools.call("bench", "asked", n=n)
`

// asking is how soon an approved call runs, from when somebody decided.
func (b *bench) asking(ctx context.Context) ([]Row, error) {
	return b.withRig(ctx, rig.Options{}, b.askingOf)
}

func (b *bench) askingOf(ctx context.Context, r *rig.Rig) ([]Row, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("not done within two minutes"))
	defer cancel()
	const person = "@bench:example.org"
	calls := b.rounds(300)
	run, err := r.Launch(ctx, person, strings.ReplaceAll(asker, "@CALLS@", strconv.Itoa(calls)))
	if err != nil {
		return nil, err
	}
	var took sample
	for range calls {
		card, err := question(ctx, r)
		if err != nil {
			return nil, err
		}
		start := time.Now()
		err = r.DB.Write(ctx, func(tx *store.Tx) error {
			_, _, _, err := r.Cards.Decide(tx, card, approval.Approved, person, "")
			return err
		})
		if err != nil {
			return nil, err
		}
		select {
		case began := <-r.Kit.Asked:
			took = append(took, milliseconds(began.Sub(start)))
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	if _, err := r.Finish(ctx, run.ID); err != nil {
		return nil, err
	}
	return []Row{spread("an approved call of a script begins, from the decision", "ms", took).
		note("storing the decision, looking at everything again, and BEGIN included")}, nil
}

// question waits for the one card that waits.
func question(ctx context.Context, r *rig.Rig) (id string, err error) {
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for {
		err := r.DB.Read(ctx, func(q *store.Reader) error {
			cards, err := approval.AllWaiting(q)
			if len(cards) > 0 {
				id = cards[0].ID
			}
			return err
		})
		if err != nil || id != "" {
			return id, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}
