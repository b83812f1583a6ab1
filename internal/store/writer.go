package store

import (
	"context"
	"errors"
	"fmt"
)

// maxGroup bounds the closures of one transaction, so that the first of a long
// queue does not wait for all of it.
const maxGroup = 256

// request is one waiting write.
type request struct {
	fn    func(tx *Tx) error
	hooks []func()
	done  chan error // buffered: the writer never waits for a caller
}

// Write runs fn in a transaction and returns when the result is durable.
//
// fn does SQL and nothing else: no network, no lock, no Write. It may run more
// than once, so it must compute its outcome afresh each time: variables it sets
// for its caller are assigned, never appended to or counted up. Its error, or
// its panic as a *lifecycle.PanicError, undoes its changes alone.
//
// ctx bounds only the wait to be picked up: an error of ctx means that fn never
// ran. Once picked up the caller waits for the result, so that a write which
// commits is never reported as failed.
func (db *DB) Write(ctx context.Context, fn func(tx *Tx) error) error {
	if db.queue == nil {
		return &Error{Kind: ReadOnly, Err: errors.New("opened for reading only")}
	}
	req := &request{fn: fn, done: make(chan error, 1)}
	select {
	case <-db.closing:
		return ErrClosed
	default:
	}
	select {
	case db.queue <- req:
	case <-ctx.Done():
		return fmt.Errorf("store: write not begun: %w", context.Cause(ctx))
	case <-db.closing:
		return ErrClosed
	}
	select {
	case err := <-req.done:
		return err
	case <-db.dead: // the writer left; it may have answered first
		select {
		case err := <-req.done:
			return err
		default:
			return ErrClosed
		}
	}
}

// writer is the goroutine that owns the writing connection.
func (db *DB) writer(context.Context) error {
	defer close(db.dead)
	group := make([]*request, 0, maxGroup)
	for {
		group = group[:0]
		select {
		case req := <-db.queue:
			group = append(group, req)
		case <-db.closing:
			return nil
		}
		for len(group) < maxGroup {
			select {
			case req := <-db.queue:
				group = append(group, req)
				continue
			default:
			}
			break
		}
		db.runGroup(group)
	}
}
