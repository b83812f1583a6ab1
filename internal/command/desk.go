package command

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/authz"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
)

// maxRooms is in how many rooms commands are worked on side by side.
const maxRooms = 16

// Outbox takes answers in the transaction of a command's end; *chat.Outbox.
type Outbox interface {
	Enqueue(tx *store.Tx, d chat.Delivery) (fresh bool, err error)
}

var _ Outbox = (*chat.Outbox)(nil)

// Parts are what a Desk is built from. Every field up to Authority is needed.
type Parts struct {
	DB        *store.DB
	Outbox    Outbox
	Config    *config.Holder
	Registry  *Registry
	Residents Residents
	// Authority decides who may talk to the router, and who is an admin.
	Authority authz.Authority
	// Router is the entity whose reply policy holds for commands, whichever
	// account answers them.
	Router string
	Wall   clock.Wall
	// Log hears of faults; nil is slog.Default().
	Log *slog.Logger
	// Repair is how soon it is looked again whether a person may, when nothing
	// woke the desk; 0 means five seconds.
	Repair time.Duration
}

// Desk works on commands: those of one room one after another. Make one with
// NewDesk.
type Desk struct {
	Parts
	wake chan struct{}

	mu      sync.Mutex
	working map[string]bool      // rooms
	putOff  map[string]time.Time // rooms in which nothing can be told until then
}

// NewDesk makes a desk; Run works.
func NewDesk(p Parts) *Desk {
	if p.Log == nil {
		p.Log = slog.Default()
	}
	if p.Repair == 0 {
		p.Repair = 5 * time.Second
	}
	return &Desk{Parts: p, wake: make(chan struct{}, 1), working: map[string]bool{}, putOff: map[string]time.Time{}}
}

// Wake makes the desk look at once, also at what could not be told before; it
// never blocks.
func (d *Desk) Wake() {
	d.mu.Lock()
	clear(d.putOff)
	d.mu.Unlock()
	d.look()
}

func (d *Desk) look() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

// Run tells of what the last process left begun and then works on commands
// until ctx ends. It returns when nothing is being worked on. An error means
// that the store could not be read or written at the start.
func (d *Desk) Run(ctx context.Context) error {
	if err := d.takeUp(ctx); err != nil {
		if ctx.Err() != nil {
			return nil
		}
		return err
	}
	group := lifecycle.New(ctx)
	for {
		again, err := d.schedule(ctx, group)
		if err != nil && ctx.Err() == nil {
			d.Log.Error("commands cannot be read; trying again", "err", err)
			again = d.Repair
		}
		var timer <-chan time.Time
		if again > 0 {
			timer = time.After(again)
		}
		select {
		case <-ctx.Done():
			return group.Wait()
		case <-d.wake:
		case <-timer:
		}
	}
}

// schedule starts the first command of every room in which none is worked on.
// again is when to look without being woken; 0 is never.
func (d *Desk) schedule(ctx context.Context, group *lifecycle.Group) (again time.Duration, err error) {
	var waiting []row
	err = d.DB.Read(ctx, func(q *store.Reader) (err error) {
		waiting, err = open(q, Accepted)
		return err
	})
	if err != nil {
		return 0, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	passed := map[string]bool{}
	for _, r := range waiting {
		if passed[r.Room] || d.working[r.Room] || len(d.working) >= maxRooms {
			continue
		}
		passed[r.Room] = true
		if wait := time.Until(d.putOff[r.Room]); wait > 0 {
			again = max(wait, time.Millisecond)
			continue
		}
		d.start(group, r)
	}
	return again, nil
}

// start is called with mu held.
func (d *Desk) start(group *lifecycle.Group, r row) {
	d.working[r.Room] = true
	started := group.Go("command "+r.EventID, func(ctx context.Context) error {
		defer d.look()
		settled := d.work(ctx, r)
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.working, r.Room)
		if !settled {
			d.putOff[r.Room] = time.Now().Add(d.Repair)
		}
		return nil
	})
	if !started {
		delete(d.working, r.Room)
	}
}
