//go:build goolm

package seal

import (
	"path/filepath"
	"testing"

	"maunium.net/go/mautrix"

	"mindroom/internal/secret"
)

// BenchmarkOpen is what a device adds to a start, its requests left out.
func BenchmarkOpen(b *testing.B) {
	c, err := mautrix.NewClient("http://127.0.0.1:1", "@me:x", "token")
	if err != nil {
		b.Fatal(err)
	}
	c.DeviceID = "ONE"
	cfg := Config{Client: c, Path: filepath.Join(b.TempDir(), "a.db"), Key: secret.New("key"), Rooms: rooms{}}
	for b.Loop() {
		d, err := Open(b.Context(), cfg)
		if err != nil {
			b.Fatal(err)
		}
		if err := d.(*device).store.PutAccount(b.Context(), d.(*device).olm.GetAccount()); err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
