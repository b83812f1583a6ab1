//go:build goolm

package seal

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// Included says whether this program was built with encryption.
const Included = true

// device is the library's machine with the rules of doc.go around it.
type device struct {
	olm   *crypto.OlmMachine
	store *watched
	close func() error
	log   *slog.Logger
	known *mautrix.RespQueryKeys // what Announce learned, for Identify

	mu     sync.Mutex
	shared map[id.RoomID]string // whom the room's session was shared with
	heard  []Session            // keys that came since they were last taken
	wedged []wedged             // channels that broke, to be made anew
}

// wedged names another device's broken channel.
type wedged struct {
	user id.UserID
	key  id.SenderKey
}

// Open opens or makes the store of a device. It makes no request: Announce
// does. ErrForeign when the file is another device's or has another key.
func Open(ctx context.Context, cfg Config) (Device, error) {
	if cfg.Log == nil {
		cfg.Log = slog.Default()
	}
	store, closeStore, err := openStore(ctx, cfg)
	if err != nil {
		return nil, err
	}
	d := &device{store: &watched{Store: store}, close: closeStore, log: cfg.Log, shared: map[id.RoomID]string{}}
	logger := bridge(cfg.Log)
	d.olm = crypto.NewOlmMachine(cfg.Client, &logger, d.store, state{cfg.Rooms})
	d.olm.IgnorePostDecryptionParseErrors = true // our own types are none of the library's
	d.olm.DisableRatchetTracking = true          // keys are kept, so what was seen of them need not be
	d.olm.SessionReceived = func(_ context.Context, room id.RoomID, session id.SessionID, _ uint32) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.heard = append(d.heard, Session{room, session})
	}
	d.olm.NeedsUnwedgeCallback = func(_ context.Context, user id.UserID, key id.SenderKey) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.wedged = append(d.wedged, wedged{user, key})
	}
	if err := d.olm.Load(ctx); err != nil {
		err = fmt.Errorf("load the keys of %s: %w", cfg.Client.UserID, err)
		if _, ours := errors.AsType[*storeError](err); !ours {
			err = errors.Join(ErrForeign, err) // not the disk: the key does not fit
		}
		return nil, errors.Join(err, d.Close())
	}
	return d, nil
}

// Close closes the file.
func (d *device) Close() error {
	d.olm.Destroy()
	return d.close()
}

// state answers the library's questions about rooms.
type state struct{ rooms Rooms }

var _ crypto.StateStore = state{}

func (s state) IsEncrypted(_ context.Context, room id.RoomID) (bool, error) {
	return s.rooms.Encryption(room) != nil, nil
}

func (s state) GetEncryptionEvent(_ context.Context, room id.RoomID) (*event.EncryptionEventContent, error) {
	return s.rooms.Encryption(room), nil
}

// GetHistoryVisibility: unknown, which shares no history.
func (s state) GetHistoryVisibility(context.Context, id.RoomID) (*event.HistoryVisibilityEventContent, error) {
	return nil, nil
}

func (s state) FindSharedRooms(_ context.Context, user id.UserID) ([]id.RoomID, error) {
	return s.rooms.Shared(user), nil
}
