package seal

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/secret"
)

var (
	// ErrLeftOut says that this program was built without encryption.
	ErrLeftOut = errors.New("this build has no encryption: build it with -tags goolm, as make build does")
	// ErrForeign says that the store and the device at the homeserver do not
	// belong together: the store was lost or is of another device. A new device
	// with a new store is the way out.
	ErrForeign = errors.New("the crypto store does not belong to the device that the homeserver knows")
)

// Config is what a device needs; all but Path and Log is required.
type Config struct {
	// Client makes the requests. It is logged in as the device, and each of its
	// requests ends by itself.
	Client *mautrix.Client
	// Path is the file of the keys, made with mode 0600 in a folder that exists.
	// Empty keeps them in memory only.
	Path string
	// Key encrypts what is in the file.
	Key secret.Value
	// Rooms is asked for what the device has to know of rooms.
	Rooms Rooms
	Log   *slog.Logger // nil: slog.Default
}

// Rooms is what is known of rooms. It answers at once.
type Rooms interface {
	// Encryption is the content of a room's m.room.encryption; nil when it is
	// not known.
	Encryption(room id.RoomID) *event.EncryptionEventContent
	// Shared lists rooms in which user is or is invited to.
	Shared(user id.UserID) []id.RoomID
}

// Device encrypts and opens. It may be used from several goroutines, but
// Receive from one at a time, and so Announce and Identify.
type Device interface {
	// Announce makes sure that the homeserver has this device's keys.
	// ErrForeign when it has other ones.
	Announce(context.Context) error
	// Identify makes sure that the device is signed by its own account.
	Identify(context.Context, Identity) error
	// Receive handles what a sync response says to the device: keys, requests
	// for keys, changes of other devices. first says that the response was asked
	// for without a token, so that changes may have been missed. It returns the
	// sessions whose keys are there now. After an error the response has to be
	// asked for again.
	Receive(ctx context.Context, r *mautrix.RespSync, first bool) ([]Session, error)
	// Encrypt returns the content of the m.room.encrypted that says content, an
	// object, of type kind to the members. m.relates_to stays outside.
	Encrypt(ctx context.Context, room id.RoomID, kind string, content json.RawMessage, members []id.UserID) (json.RawMessage, error)
	// Open reads an m.room.encrypted of a room. *Missing when its key is not
	// there; ErrUnreadable when no key would help.
	Open(ctx context.Context, room id.RoomID, e *event.Event) (Opened, error)
	// Request asks the sender's devices for a key: the one that made it answers.
	Request(context.Context, Missing) error
	// Close closes the file. It may be called once.
	Close() error
}

// Identity is an account's own signature: the keys with which it signs its
// devices lie at the homeserver, encrypted with the recovery key.
type Identity struct {
	Password secret.Value // of the account; a homeserver asks for it
	Recovery secret.Value // zero when there is no identity yet
	// Save stores a new recovery key, before it is used; nil makes no identity.
	Save func(context.Context, secret.Value) error
}

// Session is one sender's key for one room.
type Session struct {
	Room id.RoomID
	ID   id.SessionID
}

// Opened is what an encrypted event says.
type Opened struct {
	Type string
	// Content includes the m.relates_to of the envelope.
	Content json.RawMessage
}

// Missing says that an event cannot be read before its key arrives.
type Missing struct {
	Session
	Sender id.UserID
	// Key is that of the sender's device, as the event says; may be empty.
	Key id.SenderKey
}

func (m *Missing) Error() string {
	return fmt.Sprintf("the key %s of %s for %s is missing", m.ID, m.Sender, m.Room)
}

// ErrUnreadable says that an event is broken, forged or replayed.
var ErrUnreadable = errors.New("this event cannot be read with any key")
