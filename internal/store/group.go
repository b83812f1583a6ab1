package store

import (
	"context"
	"log/slog"

	"mindroom/internal/lifecycle"
)

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
