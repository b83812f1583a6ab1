package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"

	"mindroom/internal/lifecycle"
)

// DB is the open database.
type DB struct {
	path  string
	lock  *os.File // nil when opened for reading only
	pool  *sql.DB  // of the writer; nil when opened for reading only
	write *conn
	queue chan *request

	readPool *sql.DB
	readers  chan *conn // idle or, as nil, not yet opened

	group   *lifecycle.Group
	closing chan struct{}
	dead    chan struct{}
	closed  sync.Once
	fault   atomic.Pointer[func(Point) error]
	stats   counters
}

// Open opens the database at path for writing, creating it with mode 0600 in a
// folder that exists, and applies the steps of schemas that it has not had. It
// takes the lock path+".lock" and fails with *LockedError while another process,
// or another DB of this one, holds it. ctx bounds opening, not the life of the
// DB: Close ends that.
func Open(ctx context.Context, path string, schemas ...Schema) (*DB, error) {
	lock, err := lockFile(path + ".lock")
	if err != nil {
		return nil, err
	}
	db := newDB(path)
	db.lock = lock
	if err := db.openWriter(ctx, schemas); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s: %w", path, err), db.Close())
	}
	return db, nil
}

// OpenReadOnly opens a database that another process may be writing. Write
// fails with ErrReadOnly. The file must exist.
func OpenReadOnly(ctx context.Context, path string) (*DB, error) {
	db := newDB(path)
	if err := db.Read(ctx, func(r *Reader) error { return r.QueryRow("SELECT count(*) FROM sqlite_master").Scan(new(int)) }); err != nil {
		return nil, errors.Join(fmt.Errorf("open database %s for reading: %w", path, err), db.Close())
	}
	return db, nil
}

func newDB(path string) *DB {
	db := &DB{path: path, group: lifecycle.New(context.Background()), closing: make(chan struct{}), dead: make(chan struct{})}
	db.readPool = open(path, false)
	db.readers = make(chan *conn, max(4, 2*runtime.GOMAXPROCS(0)))
	for range cap(db.readers) {
		db.readers <- nil
	}
	return db
}

func open(path string, write bool) *sql.DB {
	pool, err := sql.Open("sqlite", dsn(path, write))
	if err != nil { // only an unknown driver name: a fault of this file
		panic(err)
	}
	return pool
}

func (db *DB) openWriter(ctx context.Context, schemas []Schema) error {
	// Made before SQLite sees it, so that it and the files beside it, which take
	// its mode, are never readable by others.
	f, err := os.OpenFile(db.path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return &Error{Kind: ReadOnly, Err: err}
	}
	if err := f.Close(); err != nil {
		return err
	}
	db.pool = open(db.path, true)
	if db.write, err = openConn(ctx, db.pool); err != nil {
		return err
	}
	if err := migrate(db.write, schemas); err != nil {
		return err
	}
	if err := syncFolder(filepath.Dir(db.path)); err != nil {
		return err
	}
	db.queue = make(chan *request)
	db.group.Go("store writer", db.writer)
	return nil
}

// syncFolder makes the names of new files durable.
func syncFolder(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// Path is the path the database was opened with.
func (db *DB) Path() string { return db.path }

// Close lets writes that were picked up finish, refuses those that wait, waits
// for readers, and gives the lock back. Later calls do nothing and return nil.
func (db *DB) Close() error {
	var err error
	db.closed.Do(func() { err = db.close() })
	return err
}

func (db *DB) close() error {
	close(db.closing)
	errs := []error{db.group.Wait()}
	for range cap(db.readers) {
		if c := <-db.readers; c != nil {
			errs = append(errs, c.close())
		}
	}
	errs = append(errs, db.readPool.Close())
	if db.write != nil {
		errs = append(errs, db.write.close())
	}
	if db.pool != nil {
		errs = append(errs, db.pool.Close())
	}
	if db.lock != nil {
		errs = append(errs, db.lock.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("close database %s: %w", db.path, err)
	}
	return nil
}
