//go:build goolm

package seal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"sync"
	"time"

	"go.mau.fi/util/dbutil"

	"maunium.net/go/mautrix/crypto"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	_ "mindroom/internal/store" // brings the SQLite driver
)

func openStore(ctx context.Context, cfg Config) (crypto.Store, func() error, error) {
	if cfg.Path == "" {
		return crypto.NewMemoryStore(nil), func() error { return nil }, nil
	}
	// Made before SQLite sees it, so that it and the files beside it, which take
	// its mode, are never readable by others.
	f, err := os.OpenFile(cfg.Path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, nil, fmt.Errorf("crypto store: %w", err)
	}
	if err := f.Close(); err != nil {
		return nil, nil, fmt.Errorf("crypto store: %w", err)
	}
	// synchronous=FULL: a ratchet that goes back after a power cut would encrypt
	// two texts with one key.
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: cfg.Path}).EscapedPath(), RawQuery: url.Values{
		"_txlock": {"immediate"},
		"_pragma": {"busy_timeout(10000)", "journal_mode(WAL)", "synchronous(FULL)", "foreign_keys(1)", "cache_size(-256)"},
	}.Encode()}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return nil, nil, fmt.Errorf("crypto store %s: %w", cfg.Path, err)
	}
	pool.SetMaxOpenConns(4)
	pool.SetMaxIdleConns(1)
	store, err := prepare(ctx, pool, cfg)
	if err != nil {
		return nil, nil, errors.Join(fmt.Errorf("crypto store %s: %w", cfg.Path, err), pool.Close())
	}
	return store, pool.Close, nil
}

func prepare(ctx context.Context, pool *sql.DB, cfg Config) (crypto.Store, error) {
	db, err := dbutil.NewWithDB(pool, "sqlite")
	if err != nil {
		return nil, err
	}
	store := crypto.NewSQLCryptoStore(db, dbutil.NoopLogger, "", cfg.Client.DeviceID, []byte(cfg.Key.Reveal()))
	if err := store.DB.Upgrade(ctx); err != nil {
		return nil, err
	}
	of, err := store.FindDeviceID(ctx)
	if err == nil && of != "" && of != cfg.Client.DeviceID {
		err = fmt.Errorf("it is of device %s: %w", of, ErrForeign)
	}
	return store, err
}

// storeError marks an error of the store, which passes, among those of the
// library, which do not.
type storeError struct{ error }

func (e *storeError) Unwrap() error { return e.error }

// watched is a store that remembers its failures, because the library logs
// them and goes on: a key that could not be written would be lost with the
// response it came in.
type watched struct {
	crypto.Store

	mu     sync.Mutex
	failed error
}

// taken returns the first failure since it was last asked.
func (w *watched) taken() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	err := w.failed
	w.failed = nil
	return err
}

func (w *watched) watch(err error) error {
	if err == nil || errors.Is(err, crypto.ErrGroupSessionWithheld) {
		return err
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.failed == nil {
		w.failed = err
	}
	return &storeError{err}
}

func (w *watched) PutAccount(ctx context.Context, a *crypto.OlmAccount) error {
	return w.watch(w.Store.PutAccount(ctx, a))
}

func (w *watched) AddSession(ctx context.Context, key id.SenderKey, s *crypto.OlmSession) error {
	return w.watch(w.Store.AddSession(ctx, key, s))
}

func (w *watched) UpdateSession(ctx context.Context, key id.SenderKey, s *crypto.OlmSession) error {
	return w.watch(w.Store.UpdateSession(ctx, key, s))
}

func (w *watched) PutGroupSession(ctx context.Context, s *crypto.InboundGroupSession) error {
	return w.watch(w.Store.PutGroupSession(ctx, s))
}

func (w *watched) GetGroupSession(ctx context.Context, room id.RoomID, session id.SessionID) (*crypto.InboundGroupSession, error) {
	s, err := w.Store.GetGroupSession(ctx, room, session)
	return s, w.watch(err)
}

func (w *watched) PutWithheldGroupSession(ctx context.Context, c event.RoomKeyWithheldEventContent) error {
	return w.watch(w.Store.PutWithheldGroupSession(ctx, c))
}

func (w *watched) PutDevices(ctx context.Context, user id.UserID, devices map[id.DeviceID]*id.Device) error {
	return w.watch(w.Store.PutDevices(ctx, user, devices))
}

func (w *watched) RemoveOutboundGroupSession(ctx context.Context, room id.RoomID) error {
	return w.watch(w.Store.RemoveOutboundGroupSession(ctx, room))
}

func (w *watched) PutOlmHash(ctx context.Context, hash [32]byte, at time.Time) error {
	return w.watch(w.Store.PutOlmHash(ctx, hash, at))
}

func (w *watched) ValidateMessageIndex(ctx context.Context, s id.SessionID, e id.EventID, index uint, ts int64) (bool, error) {
	ok, err := w.Store.ValidateMessageIndex(ctx, s, e, index, ts)
	return ok, w.watch(err)
}
