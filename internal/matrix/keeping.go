package matrix

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"mindroom/internal/store"
)

// Keeping is how the keys of one account are kept, as a look from outside sees it.
type Keeping struct {
	// Account is the account's key, Device its device at the homeserver.
	Account, Device string
	// Path is the file of its crypto store.
	Path string
	// Missing: the account had a store, and the file is not there.
	Missing bool
	// Exposed: others than its owner may read the file.
	Exposed bool
	// Recovery: the key with which a new device is signed is there.
	Recovery bool
}

// Keepings looks at the accounts that ever had a crypto store in folder. db may be
// open for reading only, beside a program that runs. Nothing is opened or changed.
func Keepings(ctx context.Context, db *store.DB, folder string) ([]Keeping, error) {
	var out []Keeping
	err := db.Read(ctx, func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			k := Keeping{}
			err := rows.Scan(&k.Account, &k.Device, &k.Recovery)
			out = append(out, k)
			return err
		}, `SELECT account_key, device_id, recovery_key <> '' FROM matrix_account WHERE crypto_key <> '' ORDER BY account_key`)
	})
	if err != nil {
		return nil, fmt.Errorf("read the accounts: %w", err)
	}
	for i := range out {
		k := &out[i]
		k.Path = filepath.Join(folder, k.Account+".db")
		info, err := os.Stat(k.Path)
		k.Missing = err != nil
		k.Exposed = err == nil && info.Mode().Perm()&0o077 != 0
	}
	return out, nil
}
