// Package store is the one database of the primary: opening, migrating, the
// group-committing writer and the readers. Queries live beside their owner, in
// the package whose rows they touch.
//
// One SQLite file, WAL, synchronous=FULL, foreign keys on. One process has it
// open for writing, held by a lock file beside it. The SQL keeps to what
// PostgreSQL also takes: $1 parameters, TEXT, BIGINT, BYTEA or BLOB, ON
// CONFLICT … DO, RETURNING; instants are clock.Stamp texts.
//
// # The writer
//
// One goroutine owns the one connection that writes. Writes that wait while a
// commit is on its way to the disk are the next group: one transaction, each
// closure in its own savepoint, one fsync for all.
//
//	a write  | may become | by
//	waiting  | picked up  | the writer takes it into a group
//	waiting  | refused    | the caller's context ends, or the store closes: nothing ran
//	picked up| ran        | its closure returned nil
//	picked up| failed     | its closure returned an error or panicked; its savepoint is undone
//	ran      | committed  | the group's commit is durable; hooks run, then the caller is told
//	ran      | picked up  | the transaction was lost: every closure of the group runs again, alone
//
// SQLite answers some errors (a full disk, an I/O error, an interrupt) by
// rolling back the whole transaction, after which later statements would commit
// one by one. So after every error of a statement the writer asks the database
// whether the transaction still stands; once it does not, no statement of the
// group runs any more and the group is run again, each closure in a transaction
// of its own, so that one cannot take another down.
//
// Invariants:
//
//  1. A write is reported as done only after its commit reached the disk.
//  2. A write is reported as failed only if nothing of it is in the database
//     (a failure to reach the disk that the database cannot undo excepted,
//     which it reports as ErrIO).
//  3. A closure takes effect as a whole or not at all, whatever the others of
//     its group do.
//  4. Closures take effect in some order in which they could have been run
//     alone; writes of one caller, made one after another, in that order.
//  5. Hooks of AfterCommit run once, in order of their closures, only for what
//     is committed, before the caller is told.
//  6. A reader never waits for the writer and sees one committed state
//     throughout.
//  7. Steps of a schema are applied once each, in order; an applied step that
//     was edited, or one this program does not know, refuses to open.
//  8. Space of deleted rows is used again, and given back by Shrink.
package store
