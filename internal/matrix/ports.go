package matrix

import (
	"context"
	"encoding/json"
	"time"
)

// Event is one event as the journal keeps it.
type Event struct {
	ID, Room, Sender, Type string
	StateKey               *string // nil for what is not state
	At                     time.Time
	Content                json.RawMessage
	Live                   bool // may start work
}

// Journal is where everything we hear is written down before anything is done
// about it.
type Journal interface {
	// Token is the account's sync token; empty before the first response.
	Token(ctx context.Context, account string) (string, error)
	// Record writes events and the token in one transaction; known events are
	// skipped.
	Record(ctx context.Context, account, token string, events []Event) error
	// Known tells which of the event ids the account has journalled.
	Known(ctx context.Context, account string, ids []string) (map[string]bool, error)
	// Newest is the origin time of the newest event of a room the account has
	// journalled; zero for none.
	Newest(ctx context.Context, account, room string) (time.Time, error)
}

// Delivery is a row of the outbox that waits to be sent.
type Delivery struct {
	ID, Room, Type string
	Kind           DeliveryKind
	Content        json.RawMessage
	// Target is the event id that an edit or redaction is about; empty for
	// others.
	Target   string
	Txn      string
	Attempts int
}

// DeliveryKind says how a delivery is sent.
type DeliveryKind string

const (
	Message   DeliveryKind = "message"
	Edit      DeliveryKind = "edit"
	Reaction  DeliveryKind = "reaction"
	Redaction DeliveryKind = "redaction"
)

// Outbox is the queue of what we have to say.
type Outbox interface {
	// Next returns the first unsent delivery of each room that is due, and
	// when the next of the others is (zero for never).
	Next(ctx context.Context, account string) ([]Delivery, time.Time, error)
	Sent(ctx context.Context, id, eventID string) error
	// Retry puts a delivery back until at; Fail gives it up.
	Retry(ctx context.Context, id string, kind Kind, at time.Time) error
	Fail(ctx context.Context, id string, kind Kind) error
	// Wake is signalled when the account has something new to send.
	Wake(account string) <-chan struct{}
}
