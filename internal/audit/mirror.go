package audit

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/store"
)

const (
	// mirrorRows is how many records go into the file at a time.
	mirrorRows = 500
	// retryFirst and retryMost bound the wait after the file could not be written.
	retryFirst = time.Second
	retryMost  = time.Minute
	// pace is how long records gather before they are written, so that many calls cost one write.
	pace = 100 * time.Millisecond
)

// Mirror keeps the audit as lines of JSON in a file, for programs that read files. The database is the truth: the mirror reads it, in order, from the
// last line on that the file has, so that whatever a crash, a full disk or a removed file took is appended once it can be. It never holds a call up.
//
// A line is not synced by itself. What a power failure takes is written again at the next start. The file is synced when it is rotated and at the end.
type Mirror struct {
	db   *store.DB
	file *rotated
	log  *slog.Logger

	wake, stop chan struct{}
	done       chan struct{}
	once       sync.Once
}

// NewMirror makes a mirror into the file at path, which is rotated: with more than 10 MiB in it, it becomes path.1, and path.5 is the oldest that stays.
func NewMirror(db *store.DB, path string, log *slog.Logger) *Mirror {
	return &Mirror{
		db: db, file: &rotated{path: path, most: rotateBytes, keep: rotateFiles}, log: log,
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{}),
	}
}

// Wake says that there may be new records. It never blocks.
func (m *Mirror) Wake() {
	select {
	case m.wake <- struct{}{}:
	default:
	}
}

// Run writes until Stop or the end of ctx. What goes wrong is logged and tried again; it is no error of the runtime.
func (m *Mirror) Run(ctx context.Context) error {
	defer close(m.done)
	var broken time.Duration // the wait before the next try; 0 while all is well
	for last := false; ; {
		err := m.catchUp(ctx)
		switch {
		case err != nil && ctx.Err() == nil:
			if broken == 0 {
				m.log.Error("the file of the audit cannot be written; the database has every record, and the file gets them once it can be", "file", m.file.path, "error", err)
			}
			broken = min(max(2*broken, retryFirst), retryMost)
		case broken > 0:
			m.log.Info("the file of the audit is written again", "file", m.file.path)
			broken = 0
		}
		if last || ctx.Err() != nil {
			if err := m.file.close(); err != nil {
				m.log.Error("the file of the audit was not closed well", "file", m.file.path, "error", err)
			}
			return nil
		}
		last = m.wait(ctx, broken)
	}
}

// wait returns when there is something to do; true when it is the last.
func (m *Mirror) wait(ctx context.Context, broken time.Duration) (last bool) {
	if broken == 0 {
		select {
		case <-m.wake:
		case <-m.stop:
			return true
		case <-ctx.Done():
			return false
		}
	}
	timer := time.NewTimer(max(broken, pace))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-m.stop:
		return true
	case <-ctx.Done():
	}
	return false
}

// Stop writes what is left and waits for it, no longer than ctx.
func (m *Mirror) Stop(ctx context.Context) error {
	m.once.Do(func() { close(m.stop) })
	select {
	case <-m.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("the file of the audit: %w", ctx.Err())
	}
}

// catchUp appends every record that the file does not have.
func (m *Mirror) catchUp(ctx context.Context) error {
	if err := m.file.open(); err != nil {
		return err
	}
	for {
		var records []Record
		err := m.db.Read(ctx, func(q *store.Reader) (err error) {
			newest, err := Last(q)
			if err != nil {
				return err
			}
			// The database is older than the file: it was put back from a copy. What comes is new all the same.
			m.file.sequence = min(m.file.sequence, newest)
			records, err = list(q, `WHERE id > $1 ORDER BY id LIMIT $2`, m.file.sequence, mirrorRows)
			return err
		})
		if err != nil {
			return fmt.Errorf("read the audit: %w", err)
		}
		if len(records) == 0 {
			return nil
		}
		for _, r := range records {
			text, err := r.MarshalJSON()
			if err == nil {
				err = m.file.append(append(text, '\n'), r.Sequence)
			}
			if err != nil {
				return errors.Join(err, m.file.flush())
			}
		}
		if err := m.file.flush(); err != nil {
			return err
		}
	}
}
