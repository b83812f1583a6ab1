package matrixmessage

import (
	"context"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Account is the Matrix account of an agent.
type Account struct {
	// Name is what journal and outbox call it; UserID its Matrix id.
	Name, UserID string
}

// Accounts knows the accounts of this runtime.
type Accounts interface {
	// Account finds the account of a configured agent or team; false when there
	// is no such name or its account is not ready.
	Account(entity string) (Account, bool)
	// Own reports whether a Matrix user is one of ours.
	Own(userID string) bool
}

// Rooms is a live view of who is in which room.
type Rooms interface {
	// Joined says whether user is in the room now.
	Joined(ctx context.Context, room, user string) tool.Answer
	// RoomID finds a managed room by its key; false while it is not known.
	RoomID(key string) (string, bool)
}

// Deps is what the toolkit works with. Every field is needed.
type Deps struct {
	DB      *store.DB
	Outbox  *chat.Outbox
	Journal *chat.Journal
	// Authority says whether a requester may reach an agent in a room.
	Authority tool.Authority
	Rooms     Rooms
	Accounts  Accounts
	// Media has the files of this runtime's conversations.
	Media *media.Store
}
