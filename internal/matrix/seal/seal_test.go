//go:build goolm

package seal

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/crypto"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/secret"
)

const room id.RoomID = "!r:x"

type rooms struct{}

func (rooms) Encryption(id.RoomID) *event.EncryptionEventContent { return nil }
func (rooms) Shared(id.UserID) []id.RoomID                       { return nil }

// client is of a homeserver that does not answer.
func client(t *testing.T, device string) *mautrix.Client {
	t.Helper()
	c, err := mautrix.NewClient("http://127.0.0.1:1", "@me:x", "token")
	if err != nil {
		t.Fatal(err)
	}
	c.DeviceID = id.DeviceID(device)
	return c
}

func opened(t *testing.T, cfg Config) *device {
	t.Helper()
	cfg.Rooms = rooms{}
	d, err := Open(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Close() })
	return d.(*device)
}

// The file is private, keeps the device's keys, and serves no other device and
// no other key. doc.go 6
func TestStoreBelongsToItsDevice(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a %?#.db")
	cfg := Config{Client: client(t, "ONE"), Path: path, Key: secret.New("key"), Rooms: rooms{}}
	d := opened(t, cfg)
	key := d.olm.OwnIdentity().SigningKey
	if err := d.store.PutAccount(t.Context(), d.olm.GetAccount()); err != nil {
		t.Fatal(err)
	}
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("mode %v, %v", info, err)
	}
	raw, err := os.ReadFile(path)
	if err != nil || strings.Contains(string(raw), d.olm.OwnIdentity().SigningKey.String()) {
		t.Fatalf("the file has the account in clear, or %v", err)
	}
	if again := opened(t, cfg); again.olm.OwnIdentity().SigningKey != key {
		t.Error("another account came out of the file")
	}
	for name, other := range map[string]Config{
		"another device": {Client: client(t, "TWO"), Path: path, Key: cfg.Key, Rooms: rooms{}},
		"another key":    {Client: cfg.Client, Path: path, Key: secret.New("other"), Rooms: rooms{}},
	} {
		if _, err := Open(t.Context(), other); !errors.Is(err, ErrForeign) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := Open(t.Context(), Config{Client: cfg.Client, Path: filepath.Join(path, "x"), Rooms: rooms{}}); err == nil || errors.Is(err, ErrForeign) {
		t.Errorf("a folder that is none: %v", err)
	}
}

// written is an event of Ann's and the key it takes.
func written(t *testing.T, plain string) (*event.Event, *crypto.InboundGroupSession) {
	t.Helper()
	out, err := crypto.NewOutboundGroupSession(room, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	in, err := crypto.NewInboundGroupSession("senderkey", "signingkey", room, out.Internal.Key(), time.Hour, 100, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	text, err := out.Internal.Encrypt([]byte(plain))
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{
		"algorithm": "m.megolm.v1.aes-sha2", "session_id": out.ID(), "sender_key": "senderkey", "device_id": "ANN", "ciphertext": string(text),
		"m.relates_to": map[string]any{"rel_type": "m.thread", "event_id": "$root", "x": 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	e := &event.Event{ID: "$e", Sender: "@ann:x", Timestamp: 1}
	e.Content.VeryRaw = raw
	return e, in
}

const plain = `{"room_id":"!r:x","type":"m.room.message","content":{"body":"hello","n":1.50}}`

// A text is read with its sender's key or one of our own account's, not with
// one that somebody else brought. doc.go 4
func TestKeyComesFromTheSender(t *testing.T) {
	t.Parallel()
	for source, readable := range map[id.UserID]bool{"@ann:x": true, "@me:x": true, "@eve:x": false} {
		d := opened(t, Config{Client: client(t, "ONE")})
		e, key := written(t, plain)
		var missing *Missing
		if _, err := d.Open(t.Context(), room, e); !errors.As(err, &missing) || missing.Sender != "@ann:x" || missing.ID != key.ID() {
			t.Fatalf("without a key: %v", err)
		}
		key.SourceUser, key.KeySource = source, id.KeySourceForward
		if err := d.olm.StoreGroupSession(t.Context(), key); err != nil {
			t.Fatal(err)
		}
		got, err := d.Open(t.Context(), room, e)
		if !readable {
			if !errors.Is(err, ErrUnreadable) {
				t.Errorf("with a key of %s: %+v, %v", source, got, err)
			}
			continue
		}
		want := `{"body":"hello","n":1.50,"m.relates_to":{"event_id":"$root","rel_type":"m.thread","x":1}}`
		if err != nil || got.Type != "m.room.message" || string(got.Content) != want {
			t.Errorf("with a key of %s: %s %s, %v", source, got.Type, got.Content, err)
		}
		if _, err := d.Open(t.Context(), "!other:x", e); err == nil {
			t.Error("read in another room")
		}
		replayed := *e
		replayed.ID = "$replayed"
		if _, err := d.Open(t.Context(), room, &replayed); !errors.Is(err, ErrUnreadable) {
			t.Errorf("replayed: %v", err)
		}
	}
}

func TestRoster(t *testing.T) {
	t.Parallel()
	if roster([]id.UserID{"@b:x", "@a:x", "@b:x"}) != roster([]id.UserID{"@a:x", "@b:x"}) || roster(nil) == roster([]id.UserID{"@a:x"}) {
		t.Error("a set of members has one name")
	}
}

// Whatever is sent as an encrypted event is read, missing or unreadable.
func FuzzOpen(f *testing.F) {
	f.Add(`{"algorithm":"m.megolm.v1.aes-sha2","ciphertext":"AwgAEnAC","session_id":"x"}`)
	f.Add(`{"algorithm":"m.megolm.v1.aes-sha2","ciphertext":7}`)
	f.Add(`{"algorithm":"m.olm.v1.curve25519-aes-sha2","ciphertext":{"k":{"type":0,"body":"x"}}}`)
	f.Add(`[]`)
	c, err := mautrix.NewClient("http://127.0.0.1:1", "@me:x", "token")
	if err != nil {
		f.Fatal(err)
	}
	c.DeviceID = "ONE"
	d, err := Open(f.Context(), Config{Client: c, Rooms: rooms{}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		e := &event.Event{ID: "$e", Sender: "@ann:x"}
		e.Content.VeryRaw = []byte(raw)
		_, err := d.Open(t.Context(), room, e)
		if _, missing := errors.AsType[*Missing](err); !missing && !errors.Is(err, ErrUnreadable) {
			t.Fatalf("%q: %v", raw, err)
		}
	})
}
