package approval

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Accounts are the Matrix accounts of this runtime.
type Accounts interface {
	// UserID is the Matrix id of an entity's account; false while it has none.
	UserID(entity string) (string, bool)
	// Own reports whether a Matrix id is one of ours.
	Own(userID string) bool
}

// Rooms says who is in a room now.
type Rooms interface {
	Joined(ctx context.Context, room, user string) tool.Answer
}

// Outbox takes what is to be sent, in the caller's transaction; *chat.Outbox.
type Outbox interface {
	Enqueue(tx *store.Tx, d chat.Delivery) (fresh bool, err error)
}

var _ Outbox = (*chat.Outbox)(nil)

// Parts are what Cards works with. Every field is required unless it says
// otherwise.
type Parts struct {
	DB        *store.DB
	Outbox    Outbox
	Config    *config.Holder
	Authority tool.Authority
	Accounts  Accounts
	Rooms     Rooms
	// Router is the entity whose account shows cards where it is in the room; the
	// agent's own does elsewhere.
	Router string
	// Files keeps arguments that do not fit into a card; nil means that such a
	// call can only be denied.
	Files Files
	// Mask hides secrets in what people see of arguments; nil hides nothing.
	Mask message.Mask
	// Settled hears, after the commit, that a question of an owner ended. It is a
	// hint and must not block: the row is the truth. nil for a door that waits
	// in Ask.
	Settled map[tool.Door]func(owner string)
	// Asked hears of a new question in the transaction that makes it durable, and
	// may add to it; an error takes both back. nil for a door that has nothing to
	// add.
	Asked map[tool.Door]func(tx *store.Tx, card Card) error
	// Lost reports whether an agent does not have a function any more; the
	// questions about it end (S19). nil: no function is ever lost.
	Lost func(snap *config.Snapshot, agent string, name tool.Name) bool
	Wall clock.Wall
	// Log hears of faults; nil is slog.Default().
	Log *slog.Logger
}

// Cards owns every pending question, whatever its door.
type Cards struct {
	Parts
	wake chan struct{}

	mu sync.Mutex
	// due is when a pending card expires by the monotonic clock, which no change
	// of the time moves (invariant 5).
	due map[string]time.Time
	// waiting are those who wait for a card's end in this process.
	waiting map[string][]chan struct{}
	// review says that every pending question is to be looked at, fresh are those
	// that nobody has looked at yet.
	review bool
	fresh  []Card
}

// NewCards makes the owner of the cards in p.DB, which must have Schema.
func NewCards(p Parts) *Cards {
	if p.Log == nil {
		p.Log = slog.Default()
	}
	return &Cards{Parts: p, wake: make(chan struct{}, 1), due: map[string]time.Time{}, waiting: map[string][]chan struct{}{}}
}

// arm has a new card expire after left.
func (c *Cards) arm(card Card, left time.Duration) {
	c.mu.Lock()
	c.due[card.ID] = time.Now().Add(left)
	c.fresh = append(c.fresh, card)
	c.mu.Unlock()
	c.wakeUp()
}

// wakeUp has Run look at the questions.
func (c *Cards) wakeUp() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// over tells everybody that a card has ended; it is called after the commit.
func (c *Cards) over(card Card) {
	step.Reached(step.CardDecided)
	c.mu.Lock()
	delete(c.due, card.ID)
	for _, w := range c.waiting[card.ID] {
		close(w)
	}
	delete(c.waiting, card.ID)
	c.mu.Unlock()
	if tell := c.Settled[card.Ref.Door]; tell != nil {
		tell(card.Ref.Owner)
	}
}
