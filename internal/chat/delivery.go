package chat

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/media"
)

// Kind is what a delivery is to its room.
type Kind string

// The kinds of deliveries.
const (
	KindMessage   Kind = "message"   // a new event of Type
	KindEdit      Kind = "edit"      // new content for the target
	KindReaction  Kind = "reaction"  // an annotation of the target
	KindRedaction Kind = "redaction" // takes the target back; Content may hold a reason
)

// State is how far a delivery has come; see the table in doc.go.
type State string

// The states of a delivery.
const (
	Queued     State = "queued"
	Sending    State = "sending"
	Sent       State = "sent"
	Failed     State = "failed"
	Superseded State = "superseded"
)

// Over reports whether nothing more happens to a delivery in this state.
func (s State) Over() bool { return s == Sent || s == Failed || s == Superseded }

// allowed is the table of doc.go.
var allowed = map[State]map[State]bool{
	Queued:  {Sending: true, Superseded: true, Failed: true, Sent: true},
	Sending: {Sent: true, Queued: true, Failed: true, Superseded: true},
}

// Target is the event a delivery refers to: one of our own deliveries, sent or
// not, or an event by its id. For a message it is the delivery that is the root
// of its thread, while that has no event id to be put in ThreadRoot.
type Target struct {
	Delivery string
	// Event is filled in by Next when the target is a delivery.
	Event string
}

// Delivery is one thing to be said.
type Delivery struct {
	// ID is made by whoever enqueues, from what it is about, so that saying it
	// again after a crash is known: one event in the room for each id, for ever.
	ID string
	Conversation
	Kind Kind
	Type string // event type, for example m.room.message; "" for redactions
	// Content is a JSON object. For an edit it is the new content itself, which
	// the pump wraps; relations to thread and target are added by the pump too.
	Content json.RawMessage
	Target  Target
	// Attach is a file that the message carries: it is uploaded before the first
	// attempt to send, and Content then says where. The zero Ref is none.
	Attach media.Ref

	// What follows is the outbox's own and ignored by Enqueue.

	Seq      int64
	Progress bool   // an edit that a later one may replace before it is sent
	TxnID    string // the transaction id of every attempt
	State    State
	EventID  string // once sent
	Attempts int    // begun so far
	// Uploaded is what the content says of an attached file that is at the
	// homeserver: an object with "url" or, as encrypted, "file". Nil before.
	Uploaded json.RawMessage
	// NextAttempt is the earliest instant of the next attempt; zero is at once.
	NextAttempt time.Time
	ErrorKind   string // of the last failed attempt
	CreatedAt   time.Time
}

// txnID is derived from the delivery's id: the same for every attempt even of a
// database restored from before the first.
func txnID(id string) string {
	sum := sha256.Sum256([]byte(id))
	return "mindroom-" + hex.EncodeToString(sum[:16])
}

func (d *Delivery) check() error {
	switch {
	case d.ID == "":
		return errors.New("no id")
	case d.Account == "" || d.Room == "":
		return errors.New("no account or no room")
	case object(d.Content) == nil:
		return errors.New("the content is not a JSON object")
	case !d.Attach.Zero() && d.Kind != KindMessage:
		return errors.New("only a message carries a file")
	case d.Target.Delivery != "" && d.Target.Event != "":
		return errors.New("a target is a delivery or an event, not both")
	}
	targeted := d.Target != Target{}
	switch d.Kind {
	case KindMessage:
		if targeted && (d.Target.Delivery == "" || d.ThreadRoot != "") {
			return errors.New("a message's target is the delivery that begins its thread")
		}
	case KindEdit, KindReaction, KindRedaction:
		if !targeted {
			return fmt.Errorf("a delivery of kind %s needs a target", d.Kind)
		}
	default:
		return fmt.Errorf("unknown kind %q", d.Kind)
	}
	if d.Type == "" && d.Kind != KindRedaction {
		return errors.New("no event type")
	}
	return nil
}
