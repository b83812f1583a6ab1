package store

import (
	"database/sql"
)

// Rows are the rows of a query. Rows left open are closed with their closure.
type Rows struct {
	rows    *sql.Rows
	session *session
	done    func()
	err     error
}

// Next steps to the next row; false at the end or on an error, see Err.
func (r *Rows) Next() bool {
	if r.err != nil {
		return false
	}
	if r.rows.Next() {
		return true
	}
	if err := r.rows.Err(); err != nil {
		r.err = r.session.failed(err)
	}
	return false
}

// Scan copies the columns of the row.
func (r *Rows) Scan(dest ...any) error { return r.rows.Scan(dest...) }

// Err is the error that ended Next, nil at the ordinary end.
func (r *Rows) Err() error { return r.err }

// Close frees the rows; it may be called more than once.
func (r *Rows) Close() error {
	if _, open := r.session.open[r]; !open {
		return nil
	}
	delete(r.session.open, r)
	err := r.rows.Close()
	r.done()
	if err != nil {
		return r.session.failed(err)
	}
	return nil
}

// Row is the result of QueryRow.
type Row struct {
	rows *Rows
	err  error
}

// Scan copies the columns of the first row. It returns ErrNoRows when there is
// none. A statement with RETURNING is run to its end.
func (r *Row) Scan(dest ...any) error {
	if r.err != nil {
		return r.err
	}
	if !r.rows.Next() {
		err := r.rows.Err()
		if closeErr := r.rows.Close(); err == nil {
			err = closeErr
		}
		if err == nil {
			err = ErrNoRows
		}
		return err
	}
	if err := r.rows.Scan(dest...); err != nil {
		_ = r.rows.Close()
		return err
	}
	for r.rows.Next() { // a change with RETURNING must finish
	}
	if err := r.rows.Err(); err != nil {
		_ = r.rows.Close()
		return err
	}
	return r.rows.Close()
}

// Each runs scan once a row of query and closes the rows.
func Each(q Queryer, scan func(rows *Rows) error, query string, args ...any) error {
	rows, err := q.Query(query, args...)
	if err != nil {
		return err
	}
	for rows.Next() {
		if err := scan(rows); err != nil {
			_ = rows.Close()
			return err
		}
	}
	if err := rows.Err(); err != nil {
		_ = rows.Close()
		return err
	}
	return rows.Close()
}
