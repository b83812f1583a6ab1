//go:build goolm

package seal

import (
	"path/filepath"
	"testing"

	"maunium.net/go/mautrix/crypto"

	"mindroom/internal/secret"
)

// The sessions that encrypt are forgotten; the device stays who it is.
func TestRestoredStoreEncryptsAnew(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "odd %?#.db")
	cfg := Config{Client: client(t, "ONE"), Path: path, Key: secret.New("key")}
	d := opened(t, cfg)
	if err := d.store.PutAccount(t.Context(), d.olm.GetAccount()); err != nil {
		t.Fatal(err)
	}
	session, err := crypto.NewOutboundGroupSession(room, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.store.AddOutboundGroupSession(t.Context(), session); err != nil {
		t.Fatal(err)
	}
	key := d.olm.OwnIdentity().SigningKey
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	if err := Restore(t.Context(), path); err != nil {
		t.Fatal(err)
	}
	again := opened(t, cfg)
	if again.olm.OwnIdentity().SigningKey != key {
		t.Error("another account came out of the file")
	}
	if left, err := again.store.GetOutboundGroupSession(t.Context(), room); err != nil || left != nil {
		t.Errorf("a session to encrypt with is left: %v, %v", left, err)
	}
	if err := Restore(t.Context(), filepath.Join(t.TempDir(), "none.db")); err == nil {
		t.Error("a store that is not there was restored")
	}
}
