package runtime

import (
	"testing"

	"mindroom/internal/config"
	"mindroom/internal/matrix"
)

// What is said of one room holds for it; what is said of all changes rooms that
// are there only where reconciling is allowed (spec/runtime.md 1.9).
func TestEncryptionOfRooms(t *testing.T) {
	t.Parallel()
	yes, no := true, false
	for _, c := range []struct {
		name           string
		own            *bool
		all, reconcile bool
		want           matrix.Encryption
	}{
		{"nothing is said", nil, false, false, matrix.EncryptionAsIs},
		{"reconciling alone", nil, false, true, matrix.EncryptionAsIs},
		{"all", nil, true, false, matrix.EncryptionNew},
		{"all, reconciled", nil, true, true, matrix.EncryptionAlways},
		{"this one", &yes, false, false, matrix.EncryptionAlways},
		{"all but this one", &no, true, true, matrix.EncryptionAsIs},
	} {
		cfg := &config.Config{
			Rooms:      map[string]config.Room{"lobby": {Encrypted: c.own}},
			RoomAccess: config.RoomAccess{EncryptManagedRooms: c.all, ReconcileExistingRooms: c.reconcile},
		}
		if got := encryption(cfg, "lobby"); got != c.want {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
