// Package backup copies an installation into a folder, beside a running primary
// or without one, and puts it back.
//
// What is in a backup: the database, the keys of encrypted rooms, the files that
// messages carry, the configuration with what it includes and the .env and skills
// beside it, and on demand the workspaces. Not in it: the folders of runs, which end with
// their process; the SDK and caches, which are made again. It holds every secret
// of the installation in the clear (tokens, passwords, keys), and is readable by
// its owner only.
//
// Order of copying. Each database is one committed state. The main one comes
// first: to-device messages are durable in a crypto store before the sync token
// that acknowledges them is in the main database, so a crypto store that is newer
// than the token loses nothing, an older one would. Files come last: rows are
// written after the bytes they name.
//
// A backup is a state of the past, and the process that went on after it did
// things that the state does not know. So restoring tells the parts (chat.Restore,
// turn.Restore, approval.Restore, interactive.Restore, command.Restore, seal.Restore), and they
// take nothing for undone that may have been done.
//
// Invariants:
//
//  1. A backup appears under its name whole or not at all.
//  2. Nothing is restored from a backup of which one byte changed.
//  3. Nothing is restored under a running primary, nor over anything that is
//     there, unless that is told to be moved aside; it is never deleted.
//  4. The main database is put in place last: what was cut short has none, and
//     can be done again.
package backup
