package store

import (
	"context"
	"database/sql"
	"errors"
)

// Queryer is what a query needs; both a Tx and a Reader are one, so a function
// that reads can serve inside a write and outside.
type Queryer interface {
	// Query returns the rows of a SELECT or of a change with RETURNING.
	Query(query string, args ...any) (*Rows, error)
	// QueryRow is Query for at most one row; its error comes with Scan.
	QueryRow(query string, args ...any) *Row
}

// session runs statements on one connection within one transaction.
type session struct {
	conn *conn
	ctx  context.Context //nolint:containedctx // bounds the statements of one Read; writes have none
	// failed is told each error of a statement and returns the one to hand on.
	failed func(error) error
	// dead is set once no statement may run any more, because the transaction
	// is gone or the closure has returned.
	dead error
	open map[*Rows]struct{}
}

var errOver = errors.New("store: used after its closure returned")

func (s *session) Query(query string, args ...any) (*Rows, error) {
	st, done, err := s.statement(query, args)
	if err != nil {
		return nil, err
	}
	rows, err := st.QueryContext(s.ctx, args...)
	if err != nil {
		done()
		return nil, s.failed(err)
	}
	r := &Rows{rows: rows, session: s, done: done}
	if s.open == nil {
		s.open = map[*Rows]struct{}{}
	}
	s.open[r] = struct{}{}
	return r, nil
}

func (s *session) QueryRow(query string, args ...any) *Row {
	rows, err := s.Query(query, args...)
	return &Row{rows: rows, err: err}
}

func (s *session) exec(query string, args []any) (int64, error) {
	st, done, err := s.statement(query, args)
	if err != nil {
		return 0, err
	}
	defer done()
	res, err := st.ExecContext(s.ctx, args...)
	if err != nil {
		return 0, s.failed(err)
	}
	return res.RowsAffected()
}

func (s *session) statement(query string, args []any) (*sql.Stmt, func(), error) {
	if s.dead != nil {
		return nil, nil, s.dead
	}
	if err := checkArgs(args); err != nil {
		return nil, nil, err
	}
	if _, known := s.conn.stmts[query]; !known {
		if err := checkStatement(query); err != nil {
			return nil, nil, err
		}
	}
	st, done, err := s.conn.prepare(s.ctx, query)
	if err != nil {
		return nil, nil, s.failed(err)
	}
	return st, done, nil
}

// end closes what the closure left open and refuses what comes later.
func (s *session) end() {
	for r := range s.open {
		_ = r.Close()
	}
	if s.dead == nil {
		s.dead = errOver
	}
}
