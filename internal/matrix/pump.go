package matrix

import (
	"context"
	"errors"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
)

// maxSends bounds the rooms one account writes to at the same time.
const maxSends = 8

// repair is how often the pump looks without being woken, for what an event
// lost.
const repair = 30 * time.Second

// pumping is the outbox pump of one account while it runs. Everything in it
// belongs to the pump's own goroutine.
type pumping struct {
	n       *Network
	a       *Account
	sends   *lifecycle.Group
	backlog []chat.Delivery // taken from the outbox, waiting for a free place
	flying  int
	done    chan struct{}   // a send ended
	waiting []chan struct{} // callers of Drain
}

// pump sends what the outbox holds for an account until ctx ends: in order
// within a room, rooms apart from each other. A row whose send was cut by the
// end keeps its transaction id and is sent again at the next start, as the
// same event.
func (n *Network) pump(ctx context.Context, a *Account) error {
	p := &pumping{n: n, a: a, sends: lifecycle.New(ctx), done: make(chan struct{}, maxSends)}
	if !p.caughtUp(ctx) {
		return nil
	}
	p.run(ctx)
	// Sends in flight hold ctx and leave with it.
	return p.sends.Wait()
}

// caughtUp waits, after a restore from a backup, until the account heard what was
// sent since: what the homeserver tells under a transaction id of ours is not sent
// again. False means that ctx ended first.
func (p *pumping) caughtUp(ctx context.Context) bool {
	for tried := 1; ; tried++ {
		heard := false
		err := p.n.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
			_, heard, err = p.n.cfg.Journal.Restored(r, p.a.UserID)
			return err
		})
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil && heard:
			return true
		case err != nil:
			p.a.log.Error("outbox not read; trying again", "error", err)
			if !pause(ctx, backoff(tried, 0)) {
				return false
			}
			continue
		}
		select {
		case <-p.a.heard:
			return true
		case <-ctx.Done():
			return false
		}
	}
}

func (p *pumping) run(ctx context.Context) {
	wake, unsubscribe := p.n.cfg.Outbox.Wake(p.a.UserID)
	defer unsubscribe()
	p.release(ctx)
	for tried := 1; ctx.Err() == nil; {
		due, next, err := p.n.cfg.Outbox.Next(ctx, p.a.UserID)
		if err != nil && ctx.Err() == nil {
			p.a.log.Error("outbox not read; trying again", "error", err)
			next = p.n.cfg.Wall.Now().Add(backoff(tried, 0))
			tried++
		} else {
			tried = 1
		}
		if len(due) > 0 {
			step.Reached(step.SendTaken)
		}
		p.backlog = append(p.backlog, due...)
		p.fly()
		if err == nil && p.flying == 0 && len(p.backlog) == 0 {
			p.tellIdle()
		}
		timer := time.NewTimer(untilNext(next, p.n.cfg.Wall.Now()))
		select {
		case <-wake:
		case <-p.done:
			p.flying--
		case w := <-p.a.drain:
			p.waiting = append(p.waiting, w)
		case <-timer.C:
		case <-ctx.Done():
		}
		timer.Stop()
	}
}

// release takes back what an earlier pump of this account had in flight.
func (p *pumping) release(ctx context.Context) {
	for tried := 1; ; tried++ {
		err := p.n.cfg.Outbox.Release(ctx, p.a.UserID)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.a.log.Error("outbox not released; trying again", "error", err)
		if !pause(ctx, backoff(tried, 0)) {
			return
		}
	}
}

func (p *pumping) tellIdle() {
	for _, w := range p.waiting {
		close(w)
	}
	p.waiting = nil
}

func untilNext(next, now time.Time) time.Duration {
	if next.IsZero() {
		return repair
	}
	return min(max(next.Sub(now), time.Millisecond), repair)
}

// fly starts as many sends as there are places. The outbox gives one delivery
// a room at a time, so no two of them meet in a room.
func (p *pumping) fly() {
	for len(p.backlog) > 0 && p.flying < maxSends {
		d := p.backlog[0]
		p.backlog = p.backlog[1:]
		started := p.sends.Go("send "+d.ID, func(ctx context.Context) error {
			defer func() { p.done <- struct{}{} }()
			p.carry(ctx, d)
			return nil
		})
		if !started {
			return // stopping
		}
		p.flying++
	}
}

// carry sends one row and writes down what became of it.
func (p *pumping) carry(ctx context.Context, d chat.Delivery) {
	var eventID string
	// A panic over one row must not end the account's pump.
	err := lifecycle.Call(func() (err error) {
		eventID, err = p.n.Send(ctx, d)
		return err
	})
	if err != nil && ctx.Err() != nil {
		return // the row stays in flight and is released at the next start
	}
	log := p.a.log.With("delivery", d.ID, "room", d.Room)
	var kind string
	var retryAt time.Time
	if err != nil {
		f, ok := errors.AsType[*chat.SendError](err)
		if !ok {
			f = &chat.SendError{Kind: string(KindRefused), Err: err}
		}
		kind = f.Kind
		if f.Retryable {
			wait := backoff(d.Attempts, f.RetryAfter)
			retryAt = p.n.cfg.Wall.Now().Add(wait)
			log.Warn("delivery failed; trying again", "kind", kind, "error", err, "wait", wait)
		} else {
			log.Error("delivery given up", "kind", kind, "error", err)
		}
	}
	if err == nil {
		step.Reached(step.SendAccepted)
		defer step.Reached(step.SendRecorded)
	}
	p.settle(ctx, d, func(tx *store.Tx) error {
		var settled error
		if err == nil {
			_, settled = p.n.cfg.Outbox.MarkSent(tx, d.ID, eventID)
		} else {
			_, settled = p.n.cfg.Outbox.MarkFailed(tx, d.ID, kind, retryAt)
		}
		return settled
	})
}

// settle writes the outcome, as often as it takes: a row that is forgotten in
// flight would hold up its room until the next start.
func (p *pumping) settle(ctx context.Context, d chat.Delivery, write func(*store.Tx) error) {
	for tried := 1; ; tried++ {
		err := p.n.cfg.DB.Write(ctx, write)
		if err == nil || ctx.Err() != nil {
			return
		}
		p.a.log.Error("outcome of a delivery not written; trying again", "delivery", d.ID, "error", err)
		if !pause(ctx, backoff(tried, 0)) {
			return
		}
	}
}
