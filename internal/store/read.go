package store

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/lifecycle"
)

// Reader is what a closure of Read works on: one committed state of the
// database, dead once the closure has returned.
type Reader struct{ session }

var _ Queryer = (*Reader)(nil)

// Read runs fn on a connection of its own and shows it one committed state
// throughout; it never waits for the writer, only for a free connection when
// very many read at once; so fn must not Read again itself. ctx bounds that wait and every statement. fn's error
// is returned as it is; a panic comes as a *lifecycle.PanicError.
func (db *DB) Read(ctx context.Context, fn func(r *Reader) error) error {
	var c *conn
	select {
	case <-db.closing:
		return ErrClosed
	default:
	}
	select {
	case c = <-db.readers:
	case <-ctx.Done():
		return fmt.Errorf("store: read not begun: %w", context.Cause(ctx))
	case <-db.closing:
		return ErrClosed
	}
	keep := false
	defer func() {
		if !keep && c != nil {
			_ = c.close()
			c = nil
		}
		db.readers <- c
	}()
	if c == nil {
		opened, err := openConn(ctx, db.readPool)
		if err != nil {
			return err
		}
		c = opened
	}
	err, sound := c.read(ctx, fn)
	keep = sound
	return err
}

// read also reports whether the connection is fit for the next reader.
func (c *conn) read(ctx context.Context, fn func(r *Reader) error) (err error, sound bool) {
	if err := c.control("BEGIN"); err != nil {
		return err, false
	}
	r := &Reader{session{conn: c, ctx: ctx, failed: classify}}
	err = lifecycle.Call(func() error { return fn(r) })
	r.end()
	if endErr := c.control("ROLLBACK"); endErr != nil {
		return errors.Join(err, endErr), false
	}
	return err, true
}
