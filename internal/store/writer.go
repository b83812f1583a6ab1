package store

import (
	"context"
	"errors"
	"fmt"
	"log/slog"

	"mindroom/internal/lifecycle"
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

// runGroup commits the group together, or each of it alone when it must.
func (db *DB) runGroup(group []*request) {
	if len(group) == 1 {
		db.runAlone(group[0])
		return
	}
	results, lost := db.tryGroup(group)
	if lost {
		db.stats.retried.Add(1)
		for _, req := range group {
			db.runAlone(req)
		}
		return
	}
	for _, req := range group {
		runHooks(req.hooks)
	}
	for i, req := range group {
		req.done <- results[i]
	}
}

// tryGroup runs every closure in a savepoint of one transaction. lost means
// that nothing is in the database.
func (db *DB) tryGroup(group []*request) (results []error, lost bool) {
	w := db.write
	if err := w.control("BEGIN IMMEDIATE"); err != nil {
		for range group {
			results = append(results, err)
		}
		return results, false
	}
	results = make([]error, len(group))
	ran := 0
	for i, req := range group {
		if w.control("SAVEPOINT w") != nil {
			return nil, db.abandon()
		}
		err, gone := db.runClosure(req)
		if gone {
			return nil, db.abandon()
		}
		if err != nil && w.control("ROLLBACK TO w") != nil {
			return nil, db.abandon()
		}
		if w.control("RELEASE w") != nil {
			return nil, db.abandon()
		}
		if results[i] = err; err == nil {
			ran++
		}
	}
	if ran == 0 {
		_ = w.control("ROLLBACK")
		return results, false
	}
	if db.commit(ran) != nil {
		return nil, db.abandon()
	}
	return results, false
}

// abandon makes sure that no transaction stands, and says that it is lost.
func (db *DB) abandon() bool {
	_ = db.write.control("ROLLBACK") // an error means that it is gone already
	return true
}

// runAlone gives req a transaction of its own and tells its caller.
func (db *DB) runAlone(req *request) {
	err := db.write.control("BEGIN IMMEDIATE")
	if err == nil {
		if err, _ = db.runClosure(req); err == nil {
			err = db.commit(1)
		}
		if err != nil {
			db.abandon()
		}
	}
	if err == nil {
		runHooks(req.hooks)
	}
	req.done <- err
}

func (db *DB) commit(writes int) error {
	if err := db.at(BeforeCommit); err != nil {
		return err
	}
	if err := db.write.control("COMMIT"); err != nil {
		return err
	}
	db.stats.committed(writes)
	_ = db.at(AfterCommit)
	return nil
}

// runClosure runs fn and reports whether the transaction around it is gone.
func (db *DB) runClosure(req *request) (err error, gone bool) {
	tx := &Tx{session: session{conn: db.write, ctx: context.Background()}}
	tx.failed = func(err error) error {
		err = classify(err)
		if !gone && db.outside() {
			gone = true
			tx.dead = err
		}
		return err
	}
	err = lifecycle.Call(func() error { return req.fn(tx) })
	tx.end()
	req.hooks = nil
	if err == nil && gone {
		err = tx.dead // the closure did not look at what the database told it
	}
	if err == nil {
		req.hooks = tx.hooks
	}
	return err, gone
}

// outside asks the database whether it left its transaction: inside one it
// refuses to begin another.
func (db *DB) outside() bool {
	if db.write.control("BEGIN") != nil {
		return false
	}
	_ = db.write.control("ROLLBACK")
	return true
}

func runHooks(hooks []func()) {
	for _, hook := range hooks {
		if err := lifecycle.Call(func() error { hook(); return nil }); err != nil {
			slog.Error("a hook after a commit failed; the commit stands", "err", err)
		}
	}
}
