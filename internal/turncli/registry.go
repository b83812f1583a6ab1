package turncli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/clock"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// GrantTime is how long a grant lasts after its response began, at most (M35).
const GrantTime = 24 * time.Hour

// Errors of Registry.Open.
var (
	// ErrClosed: the registry was closed; the process is going down.
	ErrClosed = errors.New("no response gets a grant any more: the runtime is shutting down")
	// ErrExpired: the response began longer ago than a grant may last.
	ErrExpired = errors.New("the response began more than 24 hours ago, which is longer than a grant lasts")
)

// Cards put calls before people; *approval.Cards.
type Cards interface {
	Draw(ctx context.Context, plan tool.Plan) (approval.Card, *tool.Fault)
	Put(tx *store.Tx, card approval.Card) error
	Decision(q store.Queryer, ref tool.Ref) (tool.Decision, bool, error)
	Watch(ref tool.Ref) (ended <-chan struct{}, stop func())
	WithdrawCall(tx *store.Tx, ref tool.Ref, reason string) error
}

var _ Cards = (*approval.Cards)(nil)

// Config is what a Registry works with. Every field is required unless it says
// otherwise.
type Config struct {
	Room *tool.Room
	// Cards ask people; nil where nobody can be asked: what a rule asks about is
	// denied then.
	Cards Cards
	DB    *store.DB
	// Media gives the files of results attachment ids; nil: receipts say that no
	// files are kept.
	Media *media.Store
	// Wall is the clock of stored instants; nil is the system's.
	Wall clock.Wall
	// Run owns the goroutines of calls; the composition root waits for it.
	Run lifecycle.Runner
	// Origin is the address under which a shell reaches Routes, without a path.
	Origin func() string
	// Folder is the folder with the launcher of mindroom-agent that stands first
	// on a shell's path (C21). It is asked before each command; nil or "" leaves
	// the path alone. An error keeps the command from starting.
	Folder func() (string, error)
	// Log hears of faults; nil is slog.Default().
	Log *slog.Logger
}

// Registry knows the live owners by their grants (C26). Requests find an owner
// in it and nothing else.
type Registry struct {
	Config
	// bodyTime is how long a request's body may take to arrive.
	bodyTime time.Duration

	indexes indexes

	mu     sync.Mutex
	owners map[digest]*Owner
	closed bool
}

// New makes a registry without owners.
func New(c Config) *Registry {
	if c.Log == nil {
		c.Log = slog.Default()
	}
	return &Registry{Config: c, bodyTime: bodyTime, owners: map[digest]*Owner{}}
}

// Open makes the owner of one response, with its one grant. A turn has at most
// one that is neither released nor cancelled. It fails with ErrClosed and
// ErrExpired. The grant's time is counted from now on by the monotonic clock: what
// is set on the wall clock later neither prolongs nor shortens it.
func (r *Registry) Open(open Opening) (*Owner, error) {
	left := GrantTime - r.Wall.Now().Sub(open.Began)
	if left <= 0 {
		return nil, fmt.Errorf("turn %s: %w", open.Turn, ErrExpired)
	}
	token, found, err := mint()
	if err != nil {
		return nil, err
	}
	o := newOwner(r, open, token, found, min(left, GrantTime))
	r.mu.Lock()
	if r.closed {
		r.mu.Unlock()
		token.Forget()
		return nil, ErrClosed
	}
	r.owners[found] = o
	r.mu.Unlock()
	if !r.Run.Go("grant of "+open.Turn, o.untilExpiry) {
		o.end(stopped{keep: true})
		return nil, ErrClosed
	}
	return o, nil
}

// find is the owner of a presented grant; nil for everything that is no live one.
func (r *Registry) find(token string) *Owner {
	d := digestOf(token)
	r.mu.Lock()
	o := r.owners[d]
	r.mu.Unlock()
	if o == nil || o.expired() {
		return nil
	}
	return o
}

func (r *Registry) drop(o *Owner) {
	r.mu.Lock()
	delete(r.owners, o.digest)
	r.mu.Unlock()
}

// Close gives no grant any more, revokes all and waits until their calls have
// ended or ctx has. What waits for a person stays as it is stored, so that a later
// process makes it once it is decided (M28).
func (r *Registry) Close(ctx context.Context) error {
	r.mu.Lock()
	r.closed = true
	var all []*Owner
	for _, o := range r.owners {
		all = append(all, o)
	}
	r.mu.Unlock()
	for _, o := range all {
		o.end(stopped{keep: true, why: "the service is being stopped"})
	}
	for _, o := range all {
		if err := o.join(ctx); err != nil {
			return fmt.Errorf("calls made inside shell commands did not end in time: %w", err)
		}
	}
	return nil
}
