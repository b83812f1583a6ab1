package dispatch

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Pump works on what the accounts heard. Every field up to Authority is needed.
type Pump struct {
	DB        *store.DB
	Journal   Journal
	Outbox    Outbox
	Turns     Turns
	Config    *config.Holder
	Accounts  Accounts
	Rooms     Rooms
	Authority tool.Authority

	// Router is the entity that takes commands in the rooms it is in; empty means
	// that the first entity of each room does.
	Router string
	// Commands takes what is said to the program itself; nil ignores it.
	Commands Commands
	// Reactions and Replies are asked, in this order, about what people do to our
	// messages; what nobody claims is ignored, or a message like any other.
	Reactions, Replies []Taker
	// Words are asked, likewise, about people's messages that reply to nothing. Such
	// a taker is asked by every account that heard the message, says which of them
	// carries it out, and claims it whichever of them asks.
	Words []Taker
	// Signals take events of types of their own that reply to our messages, by
	// their type; any other event that is no message is ignored.
	Signals map[string]Taker
	// Mode is where an agent answers what is said in a room outside of threads;
	// nil is what the configuration says.
	Mode func(agent *config.Agent, room string) config.ThreadMode

	// Log hears of decisions (debug) and faults; nil is slog.Default().
	Log *slog.Logger
	// Repair is how soon deferred rows are looked at again when nothing woke
	// the pump; 0 means five seconds.
	Repair time.Duration

	mu    sync.Mutex
	wakes map[chan struct{}]struct{}
}

// Watch works on an account's journal in a goroutine of run; false when run is
// over. It ends with run.
func (p *Pump) Watch(run lifecycle.Runner, a Account) bool {
	return run.Go("dispatch "+a.Name, func(ctx context.Context) error { return p.watch(ctx, a) })
}

// Wake has deferred rows looked at again: membership or access may be known
// now. It never blocks.
func (p *Pump) Wake() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for wake := range p.wakes {
		select {
		case wake <- struct{}{}:
		default:
		}
	}
}

func (p *Pump) subscribe() (<-chan struct{}, func()) {
	wake := make(chan struct{}, 1)
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.wakes == nil {
		p.wakes = map[chan struct{}]struct{}{}
	}
	p.wakes[wake] = struct{}{}
	return wake, func() {
		p.mu.Lock()
		defer p.mu.Unlock()
		delete(p.wakes, wake)
	}
}

func (p *Pump) watch(ctx context.Context, a Account) error {
	arrived, leave := p.Journal.Subscribe(a.Name)
	defer leave()
	woken, forget := p.subscribe()
	defer forget()
	var waits patience
	for {
		deferred, due, err := p.pass(ctx, a, &waits)
		if err != nil && ctx.Err() == nil {
			p.log().Error("messages cannot be worked on; trying again", "account", a.Name, "err", err)
		}
		var again <-chan time.Time
		if deferred > 0 || err != nil {
			again = time.After(p.repair())
		}
		var over <-chan time.Time
		if !due.IsZero() {
			over = time.After(time.Until(due))
		}
		select {
		case <-ctx.Done():
			return nil
		case <-arrived:
		case <-woken:
		case <-again:
		case <-over:
		}
	}
}

// batch is how many rows are read at once.
const batch = 200

// pass works on every new row once and returns how many stay new although they
// could be decided at any time, and when the first of those is due that wait for a
// word about them.
func (p *Pump) pass(ctx context.Context, a Account, waits *patience) (deferred int, due time.Time, err error) {
	held := map[string]bool{} // rooms with a deferred row
	waiting := map[int64]time.Time{}
	for {
		limit := batch + deferred + len(waiting)
		events, err := p.Journal.New(ctx, a.Name, limit)
		if err != nil {
			return deferred, due, err
		}
		deferred = 0
		clear(waiting)
		var ignored []int64
		for _, e := range events {
			if held[e.Room] {
				deferred++
				continue
			}
			d, err := p.judge(ctx, a, e)
			var wait time.Time
			if err == nil {
				d, wait, err = p.together(ctx, a, e, d, waits)
			}
			if err != nil {
				return deferred, due, err
			}
			p.log().Debug("decided", "account", a.Name, "event", e.EventID, "action", d.decision.Action, "reason", d.decision.Reason)
			switch {
			case d.decision.Action == Ignore:
				ignored = append(ignored, e.Seq)
				continue
			case !wait.IsZero(): // it holds up nobody
				waiting[e.Seq] = wait
				continue
			case d.decision.Action == Defer:
				held[e.Room] = true
				deferred++
				continue
			}
			if err := p.DB.Write(ctx, func(tx *store.Tx) error { return p.carryOut(tx, a, e, d) }); err != nil {
				return deferred, due, fmt.Errorf("act on event %s: %w", e.EventID, err)
			}
			if d.decision.Action == Answer {
				step.Reached(step.TurnTaken)
			}
		}
		if err := p.ignore(ctx, ignored); err != nil {
			return deferred, due, err
		}
		if len(events) < limit {
			return deferred, waits.next(waiting), nil
		}
	}
}

// ignore marks rows in one transaction: a first sync brings thousands.
func (p *Pump) ignore(ctx context.Context, rows []int64) error {
	if len(rows) == 0 {
		return nil
	}
	err := p.DB.Write(ctx, func(tx *store.Tx) error {
		for _, seq := range rows {
			if _, err := p.Journal.Mark(tx, seq, chat.EventIgnored); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return fmt.Errorf("ignore %d events: %w", len(rows), err)
	}
	return nil
}

func (p *Pump) repair() time.Duration {
	if p.Repair == 0 {
		return 5 * time.Second
	}
	return p.Repair
}

func (p *Pump) log() *slog.Logger {
	if p.Log == nil {
		return slog.Default()
	}
	return p.Log
}
