package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
)

// Copy writes one committed state of the SQLite database at from to a new file
// at to, with mode 0600, and returns when it is on the disk. Another process may
// be writing from; nobody waits for the copy. A file at to is an error. The copy
// needs no log beside it.
func Copy(ctx context.Context, from, to string) (err error) {
	f, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return fmt.Errorf("copy database %s: %w", from, err)
	}
	defer func() {
		err = errors.Join(err, f.Close())
		if err != nil {
			_ = os.Remove(to)
			err = fmt.Errorf("copy database %s: %w", from, err)
		}
	}()
	dsn := url.URL{Scheme: "file", Opaque: (&url.URL{Path: from}).EscapedPath(), RawQuery: url.Values{
		"mode": {"ro"}, "_pragma": {fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds())},
	}.Encode()}
	pool, err := sql.Open("sqlite", dsn.String())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, pool.Close()) }()
	if _, err := pool.ExecContext(ctx, "VACUUM INTO $1", to); err != nil {
		return classify(err)
	}
	if err := f.Sync(); err != nil {
		return err
	}
	return syncFolder(filepath.Dir(to))
}

// Lock takes the lock of the database at path, which need not exist, and keeps
// every process from opening it for writing until release is called. It fails
// with *LockedError while one has it open. Its folder must exist.
func Lock(path string) (release func() error, err error) {
	f, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}
