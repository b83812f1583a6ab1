package store

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"strings"
	"time"

	_ "modernc.org/sqlite" // the driver "sqlite", pure Go
)

// BusyTimeout is how long a statement waits for another process that holds the
// file, for example an operator's sqlite3 in a write transaction.
const BusyTimeout = 10 * time.Second

// maxStatements bounds the prepared statements kept a connection. The program's
// statements are constants and far fewer; the bound only keeps SQL that was
// built at run time from growing the cache for ever.
const maxStatements = 512

// conn is one database connection with its prepared statements. It is used by
// one goroutine at a time.
type conn struct {
	sql   *sql.Conn
	stmts map[string]*stmt
}

type stmt struct {
	*sql.Stmt
	busy bool // its rows are being read; a second run needs a statement of its own
}

// dsn names the file with the settings every connection has.
func dsn(path string, write bool) string {
	q := url.Values{}
	q.Add("_pragma", fmt.Sprintf("busy_timeout(%d)", BusyTimeout.Milliseconds()))
	q.Add("_pragma", "foreign_keys(1)")
	if write {
		// Of a new database only; Shrink needs it.
		q.Add("_pragma", "auto_vacuum(incremental)")
		q.Add("_pragma", "journal_mode(WAL)")
		q.Add("_pragma", "synchronous(FULL)")
		// A reader that stays long lets the log grow; give the space back afterwards.
		q.Add("_pragma", "journal_size_limit(67108864)")
	} else {
		q.Set("mode", "ro")
		q.Add("_pragma", "query_only(1)")
	}
	return (&url.URL{Scheme: "file", Opaque: (&url.URL{Path: path}).EscapedPath(), RawQuery: q.Encode()}).String()
}

func openConn(ctx context.Context, pool *sql.DB) (*conn, error) {
	c, err := pool.Conn(ctx)
	if err != nil {
		return nil, classify(err)
	}
	return &conn{sql: c, stmts: map[string]*stmt{}}, nil
}

func (c *conn) close() error {
	c.forget()
	return c.sql.Close()
}

func (c *conn) forget() {
	for query, s := range c.stmts {
		_ = s.Close()
		delete(c.stmts, query)
	}
}

// control runs a statement that opens, marks or ends a transaction.
func (c *conn) control(query string) error {
	s, done, err := c.prepare(context.Background(), query)
	if err != nil {
		return classify(err)
	}
	defer done()
	_, err = s.ExecContext(context.Background())
	return classify(err)
}

// prepare returns a statement and what to do when it is no longer used.
func (c *conn) prepare(ctx context.Context, query string) (*sql.Stmt, func(), error) {
	cached, ok := c.stmts[query]
	if ok && !cached.busy {
		cached.busy = true
		return cached.Stmt, func() { cached.busy = false }, nil
	}
	s, err := c.sql.PrepareContext(ctx, query)
	if err != nil {
		return nil, nil, err
	}
	if ok || len(c.stmts) >= maxStatements {
		return s, func() { _ = s.Close() }, nil
	}
	fresh := &stmt{Stmt: s, busy: true}
	c.stmts[query] = fresh
	return s, func() { fresh.busy = false }, nil
}

// checkStatement refuses what would break the transaction around a closure.
func checkStatement(query string) error {
	word, _, _ := strings.Cut(strings.TrimLeft(query, " \t\r\n"), " ")
	switch strings.ToUpper(strings.TrimRight(word, ";\n\t ")) {
	case "BEGIN", "COMMIT", "END", "ROLLBACK", "SAVEPOINT", "RELEASE", "PRAGMA", "ATTACH", "DETACH", "VACUUM":
		return fmt.Errorf("store: %s is the store's own: a closure holds only queries and changes", word)
	}
	return nil
}

// checkArgs refuses an instant that is not a stamp: the driver would write it
// in a form of its own, which does not sort.
func checkArgs(args []any) error {
	for i, a := range args {
		switch a.(type) {
		case time.Time, *time.Time:
			return fmt.Errorf("store: parameter $%d is a time: pass clock.Stamp of it", i+1)
		}
	}
	return nil
}
