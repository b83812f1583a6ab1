package audit

import (
	"context"
	"fmt"
	"strings"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/excerpt"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// maxPreview bounds the kept preview of arguments and of messages, in bytes.
// maxRead bounds how much is redacted for it, because that happens while the
// store's writer waits. maxPiece is more than the redactor leaves of a secret
// that is cut off.
const (
	maxPreview = 1200
	maxRead    = 4 * maxPreview
	maxPiece   = 256
)

// Schema holds the audit. Rows are only ever added.
var Schema = store.Schema{Name: "audit", Steps: []string{
	`CREATE TABLE audit (
		id INTEGER PRIMARY KEY,
		at TEXT NOT NULL,
		door TEXT NOT NULL,
		owner TEXT NOT NULL,
		call_id TEXT NOT NULL,
		toolkit TEXT NOT NULL,
		function TEXT NOT NULL,
		agent TEXT NOT NULL,
		requester TEXT NOT NULL,
		room TEXT NOT NULL,
		thread TEXT NOT NULL,
		digest TEXT NOT NULL,
		arguments TEXT NOT NULL,
		verdict TEXT NOT NULL,
		rule TEXT NOT NULL,
		began INTEGER NOT NULL,
		state TEXT NOT NULL,
		fault TEXT NOT NULL,
		message TEXT NOT NULL,
		microseconds INTEGER NOT NULL
	)`,
	`CREATE INDEX audit_owner ON audit (owner, id)`,
}}

// Log writes and reads the audit.
type Log struct {
	Redactor *secret.Redactor
}

var _ tool.Audit = Log{}

// Record adds one record inside tx.
func (l Log) Record(tx *store.Tx, e tool.AuditEntry) error {
	var kind, message string
	if e.Outcome.Fault != nil {
		kind, message = string(e.Outcome.Fault.Kind), l.preview(e.Outcome.Fault.Message)
	}
	began := 0
	if e.Began {
		began = 1
	}
	c := e.Call
	_, err := tx.Exec(`INSERT INTO audit (at, door, owner, call_id, toolkit, function, agent, requester, room, thread, digest,
		arguments, verdict, rule, began, state, fault, message, microseconds)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19)`,
		clock.Stamp(e.At), string(c.Door), c.Owner, c.ID, c.Name.Toolkit, c.Name.Function, c.Who.Agent, c.Who.Requester,
		c.Who.Room, c.Who.ResolvedThread, c.Args.Digest(), l.preview(string(c.Args.Canonical())),
		string(e.Verdict.Kind), e.Verdict.Rule, began, string(e.Outcome.State), kind, message, e.Duration.Microseconds())
	if err != nil {
		return fmt.Errorf("audit of %s: %w", c.Ref, err)
	}
	return nil
}

// preview is the redacted head of s.
func (l Log) preview(s string) string {
	if len(s) <= maxRead {
		return head(l.Redactor.Redact(s), maxPreview)
	}
	// A secret that the cut went through is not recognised when less than
	// maxPiece of it is left: that piece would be the end of what is unmarked.
	s = l.Redactor.Redact(s[:maxRead])
	unmarked := len(s) - (strings.LastIndex(s, secret.Mark) + len(secret.Mark))
	return head(s[:len(s)-min(unmarked, maxPiece)]+"…", maxPreview)
}

// head keeps at most n bytes of s and a mark, without cutting a character.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	return excerpt.Head(s, n) + "…"
}

// Record is one row as it is read back.
type Record struct {
	At                             time.Time
	Ref                            tool.Ref
	Name                           tool.Name
	Agent, Requester, Room, Thread string
	Digest, Arguments              string
	Verdict, Rule                  string
	Began                          bool
	State                          tool.State
	Fault                          tool.FaultKind
	Message                        string
	Duration                       time.Duration
}

// Of are the records of one owner (a run or a turn), oldest first.
func Of(ctx context.Context, db *store.DB, owner string) ([]Record, error) {
	var out []Record
	err := db.Read(ctx, func(q *store.Reader) (err error) {
		out, err = list(q, `WHERE owner = $1 ORDER BY id`, owner)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", owner, err)
	}
	return out, nil
}

// Newest are the last records of one owner, newest first; at most limit.
func Newest(q store.Queryer, owner string, limit int) ([]Record, error) {
	out, err := list(q, `WHERE owner = $1 ORDER BY id DESC LIMIT $2`, owner, limit)
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", owner, err)
	}
	return out, nil
}

// OfCall are the records of the calls that have this id, oldest first. An empty
// owner means all owners, which reads the whole audit: call ids are unique only
// with their owner.
func OfCall(q store.Queryer, owner, id string) (out []Record, err error) {
	if owner == "" {
		out, err = list(q, `WHERE call_id = $1 ORDER BY id`, id)
	} else {
		out, err = list(q, `WHERE owner = $1 AND call_id = $2 ORDER BY id`, owner, id)
	}
	if err != nil {
		return nil, fmt.Errorf("audit of call %s: %w", id, err)
	}
	return out, nil
}

func list(q store.Queryer, where string, args ...any) (out []Record, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		r, err := scan(rows)
		out = append(out, r)
		return err
	}, `SELECT at, door, owner, call_id, toolkit, function, agent, requester, room, thread, digest, arguments,
		verdict, rule, began, state, fault, message, microseconds FROM audit `+where, args...)
	return out, err
}

func scan(rows *store.Rows) (Record, error) {
	var r Record
	var at, door, state, fault string
	var began int
	var micros int64
	if err := rows.Scan(&at, &door, &r.Ref.Owner, &r.Ref.ID, &r.Name.Toolkit, &r.Name.Function, &r.Agent, &r.Requester,
		&r.Room, &r.Thread, &r.Digest, &r.Arguments, &r.Verdict, &r.Rule, &began, &state, &fault, &r.Message, &micros); err != nil {
		return r, err
	}
	when, err := clock.ParseStamp(at)
	r.At, r.Ref.Door, r.Began = when, tool.Door(door), began != 0
	r.State, r.Fault, r.Duration = tool.State(state), tool.FaultKind(fault), time.Duration(micros)*time.Microsecond
	return r, err
}
