package matrix

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"maunium.net/go/mautrix/id"

	"mindroom/internal/lifecycle"
	"mindroom/internal/message"
)

// maxSends bounds the rooms one account writes to at the same time.
const maxSends = 8

// pumping is the outbox pump of one account while it runs. Everything in it
// belongs to the pump's own goroutine.
type pumping struct {
	n     *Network
	a     *Account
	sends *lifecycle.Group
	busy  map[string]bool // rooms with a send in flight
	done  chan string     // a room whose send ended
}

// pump sends what the outbox holds for an account until ctx ends: in order
// within a room, rooms apart from each other. A row whose send was cut by the
// end keeps its transaction id and is sent again at the next start, as the
// same event.
func (n *Network) pump(ctx context.Context, a *Account) error {
	p := &pumping{n: n, a: a, sends: lifecycle.New(ctx), busy: map[string]bool{}, done: make(chan string, maxSends)}
	err := p.run(ctx)
	// Sends in flight hold ctx and leave with it.
	if waited := p.sends.Wait(); err == nil {
		err = waited
	}
	return err
}

func (p *pumping) run(ctx context.Context) error {
	wake := p.n.cfg.Outbox.Wake(p.a.Key)
	var waiting []chan struct{} // callers of Drain
	for tried := 1; ; {
		rows, next, err := p.n.cfg.Outbox.Next(ctx, p.a.Key)
		idle := err == nil
		if err != nil {
			if ctx.Err() != nil {
				return nil
			}
			p.a.log.Error("outbox not read; trying again", "error", err)
			next = time.Now().Add(backoff(tried, 0))
			tried++
		} else {
			tried = 1
		}
		for _, d := range rows {
			if len(p.busy) < maxSends && !p.busy[d.Room] {
				p.start(d)
			}
			idle = false
		}
		if idle && len(p.busy) == 0 {
			for _, w := range waiting {
				close(w)
			}
			waiting = nil
		}
		timer := time.NewTimer(untilNext(next, p.n.cfg.Wall.Now()))
		select {
		case <-wake:
		case room := <-p.done:
			delete(p.busy, room)
		case w := <-p.a.drain:
			waiting = append(waiting, w)
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
			return nil
		}
		timer.Stop()
	}
}

// repair is how often the pump looks without being woken, for what an event
// lost.
const repair = 30 * time.Second

func untilNext(next, now time.Time) time.Duration {
	if next.IsZero() {
		return repair
	}
	return min(max(next.Sub(now), time.Millisecond), repair)
}

func (p *pumping) start(d Delivery) {
	started := p.sends.Go("send to "+d.Room, func(ctx context.Context) error {
		defer func() { p.done <- d.Room }()
		// A panic over one row must not end the account's pump.
		if err := lifecycle.Call(func() error { return p.deliver(ctx, d) }); err != nil && ctx.Err() == nil {
			p.a.log.Error("delivery not settled; it is tried again", "delivery", d.ID, "error", err)
			pause(ctx, firstBackoff)
		}
		return nil
	})
	if started {
		p.busy[d.Room] = true
	}
}

// deliver sends one row and writes down what became of it.
func (p *pumping) deliver(ctx context.Context, d Delivery) error {
	o, err := outgoingOf(d)
	if err != nil {
		p.a.log.Error("delivery given up", "delivery", d.ID, "room", d.Room, "error", err)
		return p.n.cfg.Outbox.Fail(ctx, d.ID, KindRefused)
	}
	eventID, err := p.n.send(ctx, p.a, o)
	switch {
	case err == nil:
		return p.n.cfg.Outbox.Sent(ctx, d.ID, eventID)
	case ctx.Err() != nil:
		return nil // the row stays as it is
	}
	kind := KindOf(err)
	// The sync loop renews a lost token.
	if kind.Retryable() || kind == KindTokenInvalid || kind == "" {
		wait := backoff(d.Attempts+1, after(err))
		p.a.log.Warn("delivery failed; trying again", "delivery", d.ID, "room", d.Room, "kind", kind, "wait", wait)
		return p.n.cfg.Outbox.Retry(ctx, d.ID, kind, p.n.cfg.Wall.Now().Add(wait))
	}
	p.a.log.Error("delivery given up", "delivery", d.ID, "room", d.Room, "kind", kind, "error", err)
	return p.n.cfg.Outbox.Fail(ctx, d.ID, kind)
}

// outgoingOf turns a row into what is sent. Rows are written before the event
// id of what they edit is known, so the relation is filled in here.
func outgoingOf(d Delivery) (outgoing, error) {
	o := outgoing{room: id.RoomID(d.Room), kind: d.Type, content: d.Content, txn: d.Txn}
	switch d.Kind {
	case Redaction:
		o.redacts = id.EventID(d.Target)
		if d.Target == "" {
			return o, fmt.Errorf("a redaction of nothing")
		}
	case Edit:
		if d.Target == "" {
			return o, fmt.Errorf("an edit of nothing")
		}
		var c message.Content
		if err := json.Unmarshal(d.Content, &c); err != nil || c == nil {
			return o, fmt.Errorf("content that is no JSON object: %w", err)
		}
		o.content = message.Replace(c, d.Target).Raw()
	}
	return o, nil
}

// Drain returns when everything due in the outbox of every ready account was
// sent or put off, or with ctx's error. It is the last pass before the
// transports close; Start's goroutines must still run.
func (n *Network) Drain(ctx context.Context) error {
	n.mu.RLock()
	var accounts []*Account
	for _, a := range n.accounts {
		accounts = append(accounts, a)
	}
	n.mu.RUnlock()
	for _, a := range accounts {
		idle := make(chan struct{})
		select {
		case a.drain <- idle:
		case <-ctx.Done():
			return fmt.Errorf("drain the outbox of %s: %w", a.Key, context.Cause(ctx))
		}
		select {
		case <-idle:
		case <-ctx.Done():
			return fmt.Errorf("drain the outbox of %s: %w", a.Key, context.Cause(ctx))
		}
	}
	return nil
}
