//go:build goolm

package matrix

import (
	"context"
	"strings"
	"testing"
	"time"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// encryptedThere asks the homeserver itself.
func (r *rig) encryptedThere(ctx context.Context, room string) bool {
	r.t.Helper()
	var c event.EncryptionEventContent
	err := judge(ctx, "ask", r.net.Account(RouterKey).api().StateEvent(ctx, id.RoomID(room), event.StateEncryption, "", &c))
	if err != nil && KindOf(err) != KindNotFound {
		r.t.Fatal(err)
	}
	return err == nil && c.Algorithm == id.AlgorithmMegolmV1
}

// What the configuration wants of a room that is made, and of one that is there
// without encryption.
func TestRoomsAreEncryptedAsConfigured(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, nil), within(t, time.Minute)
	r.run(ctx, nil, RouterKey, "news")
	ensure := func(key string, wish Encryption) string {
		t.Helper()
		rooms, _, err := r.net.EnsureRooms(ctx, []RoomPlan{{Key: key, Members: []string{RouterKey, "news"}, Encryption: wish}})
		must(t, err)
		return rooms[key]
	}
	for _, c := range []struct {
		key          string
		wish         Encryption
		made, turned bool
	}{
		{"asis", EncryptionAsIs, false, false},
		{"fresh", EncryptionNew, true, false},
		{"always", EncryptionAlways, true, true},
	} {
		if got := r.encryptedThere(ctx, ensure(c.key, c.wish)); got != c.made {
			t.Errorf("%s: a new room is encrypted: %v", c.key, got)
		}
		old := ensure("old"+c.key, EncryptionAsIs)
		if again := ensure("old"+c.key, c.wish); again != old {
			t.Errorf("%s: another room was made", c.key)
		}
		if got := r.encryptedThere(ctx, old); got != c.turned {
			t.Errorf("%s: a room that was there is encrypted: %v", c.key, got)
		}
	}
	// A wish that is taken back changes nothing, and the door knows at once.
	room := ensure("always", EncryptionAsIs)
	if got, err := r.net.encrypted(ctx, r.net.Account("news"), id.RoomID(room)); err != nil || !got {
		t.Errorf("encrypted: %v, %v", got, err)
	}
}

// A program without encryption makes no room it could not write to.
func TestNoEncryptedRoomWithoutKeys(t *testing.T) {
	t.Parallel()
	r, ctx := newRig(t, func(c *Config) { c.CryptoFolder = "" }), within(t, time.Minute)
	r.run(ctx, garten(), RouterKey, "news")
	for _, key := range []string{"garten", "fresh"} {
		rooms, _, err := r.net.EnsureRooms(ctx, []RoomPlan{{Key: key, Encryption: EncryptionAlways}})
		if KindOf(err) != KindEncrypted || !strings.Contains(err.Error(), "make build") || len(rooms) != 0 {
			t.Errorf("%s: %v, %v", key, rooms, err)
		}
	}
	for _, x := range r.proxy.Exchanges(nil) {
		if strings.HasSuffix(x.Path, "/state/m.room.encryption/") || strings.HasSuffix(x.Path, "/state/m.room.encryption") {
			if x.Method == "PUT" {
				t.Errorf("it did %s %s", x.Method, x.Path)
			}
		}
	}
}
