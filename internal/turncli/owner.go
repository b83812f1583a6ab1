package turncli

import (
	"context"
	"fmt"
	"io"
	"sync"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
)

// Owner holds what mindroom-agent may and did do in one response (C26). It is
// the tool.Enclosure of the response's calls. Its methods may be called by
// several goroutines at once.
type Owner struct {
	reg   *Registry
	turn  string
	who   identity.Execution
	depth int

	token  secret.Value
	digest digest
	ends   time.Time // with its monotonic reading
	// gone is closed when the grant ends.
	gone chan struct{}
	lane lane

	work *offer // what its commands may find and call; another response has another

	mu sync.Mutex
	// changed is closed and made anew whenever something ended.
	changed chan struct{}
	phase   phase
	// discard: the response was cancelled, and nothing of it waits for a person.
	discard bool
	// fence names the function that asked for control; empty while nothing did. It
	// is never taken away: what asks for control ends the response's turn.
	fence   string
	windows map[string]*window
	used    map[string]bool // window ids, so that none ever means two commands
	calls   map[string]*call
	// unfinished are operations without an end; busy the goroutines at work.
	unfinished, busy int
	begun            int
}

// phase is how far an owner is.
type phase int

const (
	live phase = iota
	// released: the response is over; commands in the background go on.
	released
	// dead: the grant has ended.
	dead
)

var _ tool.Enclosure = (*Owner)(nil)

func newOwner(r *Registry, open Opening, token secret.Value, found digest, left time.Duration) *Owner {
	return &Owner{
		reg: r, turn: open.Turn, who: open.Who, depth: open.Depth, token: token, digest: found,
		ends: time.Now().Add(left), gone: make(chan struct{}), changed: make(chan struct{}), work: newOffer(open),
		windows: map[string]*window{}, used: map[string]bool{}, calls: map[string]*call{},
	}
}

// String names the owner; its grant is never part of it.
func (o *Owner) String() string { return "grant of " + o.turn }

// Format prints String for every verb.
func (o *Owner) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, o.String()) }

// Live reports whether commands can still be given the grant. A response that
// goes on after it ended gets a new owner.
func (o *Owner) Live() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.phase == live && !o.expired()
}

func (o *Owner) expired() bool { return !time.Now().Before(o.ends) }

// untilExpiry ends the grant in time, however little is asked of it.
func (o *Owner) untilExpiry(ctx context.Context) error {
	timer := time.NewTimer(time.Until(o.ends))
	defer timer.Stop()
	select {
	case <-timer.C:
		o.expire()
	case <-o.gone:
	case <-ctx.Done(): // Registry.Close ends it
	}
	return nil
}

func (o *Owner) expire() {
	o.end(stopped{keep: true, why: "its grant has ended, 24 hours after the response began"})
}

// Release says that the response has ended. The grant is revoked at once or, where
// commands go on in the background, when the last of them has ended (M19). Calls
// of other commands are cancelled and waited for until ctx ends; what waited for a
// person is over with its response, whose owner settles it.
func (o *Owner) Release(ctx context.Context) {
	o.mu.Lock()
	if o.phase == live {
		o.phase = released
	}
	why := stopped{keep: !o.discard, why: "the response has ended"}
	for _, c := range o.calls {
		if c.window == nil || c.window.jobs == 0 {
			c.stop(why)
		}
	}
	for _, w := range o.windows {
		if w.jobs == 0 {
			o.close(w)
		}
	}
	o.lapse()
	o.wake()
	o.mu.Unlock()
	if err := o.quiet(ctx, func() bool { return o.phase == released || o.busy == 0 }); err != nil {
		o.reg.Log.Warn("calls of an ended response go on", "turn", o.turn, "error", err)
	}
}

// Cancel says that the response was cancelled: the grant is revoked at once,
// commands in the background included, and everything under way is cancelled and
// waited for until ctx ends. What waits for a person is withdrawn.
func (o *Owner) Cancel(ctx context.Context) {
	o.end(stopped{why: "the response was cancelled"})
	if err := o.join(ctx); err != nil {
		o.reg.Log.Warn("calls of a cancelled response go on", "turn", o.turn, "error", err)
	}
}

// end revokes the grant and stops what is under way.
func (o *Owner) end(why stopped) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.revoke()
	o.discard = o.discard || !why.keep
	why.keep = !o.discard
	for _, c := range o.calls {
		if c.parks() && !why.keep {
			o.withdraw(c, why)
		}
		c.stop(why)
	}
	for _, w := range o.windows {
		o.close(w)
	}
	o.wake()
}

// revoke ends the grant. It is called with mu held.
func (o *Owner) revoke() {
	if o.phase == dead {
		return
	}
	o.phase = dead
	close(o.gone)
	o.token.Forget()
	o.reg.drop(o)
	o.wake()
}

// lapse ends the grant of a released response once no command holds a window. It
// is called with mu held.
func (o *Owner) lapse() {
	if o.phase == released && len(o.windows) == 0 {
		o.revoke()
	}
}

// join waits until nothing is under way, or ctx ends.
func (o *Owner) join(ctx context.Context) error {
	return o.quiet(ctx, func() bool { return o.busy == 0 })
}

// quiet waits until ok, which is asked with mu held.
func (o *Owner) quiet(ctx context.Context, ok func() bool) error {
	for {
		o.mu.Lock()
		done, changed := ok(), o.changed
		o.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// wake tells everybody who waits that something ended. It is called with mu held.
func (o *Owner) wake() {
	close(o.changed)
	o.changed = make(chan struct{})
}
