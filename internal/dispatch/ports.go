package dispatch

import (
	"context"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Journal is what an account heard; *chat.Journal.
type Journal interface {
	New(ctx context.Context, account string, limit int) ([]chat.Event, error)
	Mark(tx *store.Tx, seq int64, state chat.EventState) (bool, error)
	Subscribe(account string) (<-chan struct{}, func())
	History(ctx context.Context, c chat.Conversation, limit int) ([]chat.Message, error)
	Find(q store.Queryer, account, eventID string) (chat.Event, bool, error)
	Restored(q store.Queryer, account string) (at int64, heard bool, err error)
	Beside(q store.Queryer, e chat.Event, span time.Duration, before, after int) ([]chat.Neighbour, error)
	SpokeAfter(q store.Queryer, e chat.Event, threadRoot string) (bool, error)
}

// Outbox takes the note of a chain that was cut; *chat.Outbox.
type Outbox interface {
	Enqueue(tx *store.Tx, d chat.Delivery) (fresh bool, err error)
}

var (
	_ Journal = (*chat.Journal)(nil)
	_ Outbox  = (*chat.Outbox)(nil)
)

// Rooms is a live view of the rooms; every authz.Membership is one.
type Rooms interface {
	Joined(ctx context.Context, room, user string) tool.Answer
	// RoomNames are all names of a room: its id, its alias, its managed key.
	RoomNames(room string) []string
}

// Request is the turn that a message starts. Its fields are those of
// turn.Request, so that one converts into the other.
type Request struct {
	Agent, Account   string
	Who              identity.Execution
	Room, ThreadRoot string
	TriggerEvent     string
	// Joined are the files that its sender sent just before it, oldest first, which
	// the turn answers with it; nil for none.
	Joined []string
	Depth  int
}

// Turns records turns in the caller's transaction. The same agent and message
// again must be known and change nothing.
type Turns interface {
	Create(tx *store.Tx, r Request) error
}

// Account is one of our accounts whose journal is worked on.
type Account struct {
	// Name is what journal and outbox call it; UserID its Matrix id.
	Name, UserID string
	// Agent is the configured agent behind it. An account of no agent, as the
	// router's, starts no turn; it takes commands and what concerns its messages.
	Agent string
}
