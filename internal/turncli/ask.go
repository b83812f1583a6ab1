package turncli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// retry is how long a decision that could not be read is left alone.
const retry = time.Second

// errUsed is why a call is not asked about whose id a call of an earlier process
// had.
var errUsed = errors.New("its call id was used before the service was restarted; leave --call-id out to make a new call")

// mayAsk reports whether a person can be asked for this response now.
func (o *Owner) mayAsk() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.reg.Cards != nil && o.work.Holds != nil && o.phase == live
}

// ask puts a call before its requester, together with what it needs to be made in
// a later process, and waits for the end of the question. It holds no place in the
// lane meanwhile. parked reports that it was let go.
func (o *Owner) ask(ctx context.Context, c *call, plan tool.Plan, terms tool.Terms) (d *tool.Decision, fault *tool.Fault, parked bool) {
	card, fault := o.reg.Cards.Draw(ctx, plan)
	if fault != nil {
		return nil, fault, false
	}
	ended, stop := o.reg.Cards.Watch(c.Ref)
	defer stop()
	holds := terms.Ledger.(*ledger).holds
	err := o.reg.DB.Write(context.WithoutCancel(ctx), func(tx *store.Tx) error {
		// What was decided under this id before a restart is no word about this call.
		if _, known, err := approval.Of(tx, c.Ref); err != nil || known {
			return cmp.Or(err, errUsed)
		}
		if err := o.reg.Cards.Put(tx, card); err != nil {
			return err
		}
		return holds.Hold(tx, c.Call)
	})
	if errors.Is(err, errUsed) {
		return nil, tool.Faultf(tool.FaultUnavailable, "nobody was asked about %s and it was not run: %v", c.Name, err), false
	}
	if err != nil {
		return nil, &tool.Fault{Kind: tool.FaultUnavailable, Retryable: true,
			Message: fmt.Sprintf("the question about %s could not be put, so nobody was asked and it was not run: %v", c.Name, err)}, false
	}
	if parked = o.waits(c); parked {
		return nil, nil, true
	}
	o.observe(Seen{Call: c.Call, Event: tool.EventWaiting})
	for {
		made, over, err := o.decision(ctx, c)
		switch {
		case over && o.taken(c):
			return &made, nil, false
		case over:
			return nil, nil, true
		case err != nil && ctx.Err() == nil:
			// The question stands, and whoever decides is to be heard.
			o.reg.Log.Error("a decision cannot be read; trying again", "call", c.Ref.String(), "error", err)
			pause(ctx, retry)
			continue
		}
		select {
		case <-ended:
		case <-c.parked:
			return nil, nil, true
		case <-ctx.Done():
			if !o.taken(c) {
				return nil, nil, true
			}
			return nil, o.live(c), false
		}
	}
}

func (o *Owner) decision(ctx context.Context, c *call) (d tool.Decision, over bool, err error) {
	err = o.reg.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
		d, over, err = o.reg.Cards.Decision(q, c.Ref)
		return err
	})
	return d, over, err
}

// waits makes a call a waiting one. It reports whether it was let go at once,
// because it was told to end, in a way that keeps it, while it was put.
func (o *Owner) waits(c *call) (parked bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	c.status, c.held, c.asking = waiting, true, true
	if c.window != nil {
		c.window.asking++
	}
	if why, told := context.Cause(c.ctx).(stopped); told && why.keep && !o.discard {
		c.letGo()
	}
	o.wake()
	return !c.asking
}

// taken makes a waiting call one that goes on. It reports false when the call was
// let go meanwhile: its word is then for whoever resumes it.
func (o *Owner) taken(c *call) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !c.asking {
		return false
	}
	c.asking, c.status = false, queued
	if c.window != nil {
		c.window.asking--
	}
	return true
}

func pause(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
