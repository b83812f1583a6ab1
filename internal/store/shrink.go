package store

import (
	"context"
	"fmt"
	"log/slog"
)

// shrinkPages bounds the pages that one transaction of Shrink gives back.
const shrinkPages = 256

// Shrink gives the space of deleted rows back to the disk, a little a
// transaction, and cuts the log where no reader holds it. It returns the bytes by
// which the file became smaller. A database that an older version created keeps
// the space instead and fills it again. It stops early, without an error, when
// ctx ends.
func (db *DB) Shrink(ctx context.Context) (int64, error) {
	var freed int64
	for ctx.Err() == nil {
		var n int64
		var last bool
		err := db.Write(ctx, func(tx *Tx) (err error) {
			n, last, err = tx.giveBack()
			if last {
				tx.AfterCommit(db.truncateLog)
			}
			return err
		})
		if err != nil && ctx.Err() == nil {
			return freed, fmt.Errorf("shrink the database: %w", err)
		}
		if freed += n; last || err != nil {
			return freed, nil
		}
	}
	return freed, nil
}

// giveBack cuts free pages off the end of the file; last says that this was all.
func (tx *Tx) giveBack() (bytes int64, last bool, err error) {
	before, err := tx.pragma("page_count")
	if err != nil {
		return 0, false, err
	}
	if _, err := tx.pragma(fmt.Sprintf("incremental_vacuum(%d)", shrinkPages)); err != nil {
		return 0, false, err
	}
	after, err := tx.pragma("page_count")
	if err != nil {
		return 0, false, err
	}
	size, err := tx.pragma("page_size")
	return (before - after) * size, before-after < shrinkPages, err
}

// pragma runs one to its end and returns the number it tells; 0 when it tells
// none.
func (tx *Tx) pragma(name string) (n int64, err error) {
	rows, err := tx.conn.sql.QueryContext(context.Background(), "PRAGMA "+name)
	if err != nil {
		return 0, tx.failed(err)
	}
	// One that is left open would hold the connection for ever.
	defer func() { _ = rows.Close() }()
	columns, err := rows.Columns()
	for err == nil && rows.Next() {
		if len(columns) > 0 {
			err = rows.Scan(&n)
		}
	}
	if err == nil {
		err = rows.Err()
	}
	if err != nil {
		return 0, tx.failed(err)
	}
	return n, nil
}

// truncateLog moves the log into the file and empties it. It runs on the
// writer's goroutine outside a transaction, and never waits for a reader: what
// one holds is cut the next time.
func (db *DB) truncateLog() {
	for _, statement := range []string{"PRAGMA busy_timeout(0)", "PRAGMA wal_checkpoint(TRUNCATE)", fmt.Sprintf("PRAGMA busy_timeout(%d)", BusyTimeout.Milliseconds())} {
		if _, err := db.write.sql.ExecContext(context.Background(), statement); err != nil {
			slog.Debug("the log of the database was not cut", "statement", statement, "err", err)
		}
	}
}
