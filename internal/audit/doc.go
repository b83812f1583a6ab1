// Package audit keeps one record of every call, whatever its door and however
// it ended: who called what on whose behalf, what the policy said and why, the
// outcome, and a redacted preview of the arguments. The record is written in
// the transaction that makes the end of the call durable, so that neither exists
// without the other (S17).
package audit
