package audit

import (
	"fmt"
	"strings"

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
	`ALTER TABLE audit ADD COLUMN place TEXT NOT NULL DEFAULT ''`,
	`ALTER TABLE audit ADD COLUMN decision TEXT NOT NULL DEFAULT ''`,
	`ALTER TABLE audit ADD COLUMN decided_by TEXT NOT NULL DEFAULT ''`,
}}

// Log writes the audit.
type Log struct {
	Redactor *secret.Redactor
	// Written is called once a record is durable, on the store's writer: it must not block. nil tells nobody.
	Written func()
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
	var decision tool.Decision
	if e.Decision != nil {
		decision = *e.Decision
	}
	c := e.Call
	digest := c.Args.Digest()
	if c.Args.IsZero() {
		digest = e.Digest
	}
	// The names come from a caller, who may have put a secret where a name belongs.
	_, err := tx.Exec(`INSERT INTO audit (at, door, owner, call_id, toolkit, function, agent, requester, room, thread, digest,
		arguments, verdict, rule, began, state, fault, message, microseconds, place, decision, decided_by)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22)`,
		clock.Stamp(e.At), string(c.Door), c.Owner, c.ID, l.preview(c.Name.Toolkit), l.preview(c.Name.Function), c.Who.Agent, c.Who.Requester,
		c.Who.Room, c.Who.ResolvedThread, digest, l.preview(string(c.Args.Canonical())),
		string(e.Verdict.Kind), l.preview(e.Verdict.Rule), began, string(e.Outcome.State), kind, message, e.Duration.Microseconds(),
		string(e.Place), string(decision.Kind), decision.By)
	if err != nil {
		return fmt.Errorf("audit of %s: %w", c.Ref, err)
	}
	if l.Written != nil {
		tx.AfterCommit(l.Written)
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
