package seal

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"

	_ "mindroom/internal/store" // brings the SQLite driver
)

// sending are the tables of sessions that something is encrypted with.
var sending = []string{"crypto_megolm_outbound_session_shared", "crypto_megolm_outbound_session", "crypto_olm_session"}

// Restore makes a crypto store fit for use that was restored from a backup. Its
// ratchets stand where they stood then, and encrypting on from there would use
// keys a second time: so every session that encrypts is forgotten, and new ones
// are made. What was received can be read as before.
func Restore(ctx context.Context, path string) (err error) {
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: url.Values{
		"mode": {"rw"}, "_pragma": {"journal_mode(DELETE)", "synchronous(FULL)"},
	}.Encode()}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return fmt.Errorf("crypto store %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	tx, err := pool.BeginTx(ctx, nil)
	if err != nil {
		return fmt.Errorf("crypto store %s: %w", path, err)
	}
	for _, table := range sending {
		if _, err := tx.ExecContext(ctx, "DELETE FROM "+table); err != nil {
			return errors.Join(fmt.Errorf("crypto store %s: forget the sessions of %s: %w", path, table, err), tx.Rollback())
		}
	}
	if err := tx.Commit(); err != nil {
		return fmt.Errorf("crypto store %s: %w", path, err)
	}
	return nil
}
