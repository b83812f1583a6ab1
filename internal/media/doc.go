// Package media keeps files of conversations: pictures people send, results of
// tools that are no text, answers too long for one message. The bytes of a file
// lie once, under their digest, however often they were sent; rows say to whom
// they belong and where they may be seen (spec/runtime.md 3.16).
//
//	a file             | has                                  | goes
//	put, nobody's yet  | bytes and a row                      | an hour later
//	owned              | bytes, a row and at least one owner  | with its last owner
//	left by a crash    | bytes and no row, or half a file     | an hour later; half a file at the next start
//
// Invariants:
//
//  1. A row is written only after the bytes it names reached the disk.
//  2. Bytes are handed out only if they still have their digest.
//  3. Bytes go only when no owner names them and nobody holds them: an owner goes
//     with its retention, but not while one of Prune's holders still needs its file.
//  4. What is put fits the bound, and what does not fit, or fits no disk, leaves
//     nothing behind.
//  5. An attachment is seen only in its room, and there only in its thread, or, for a
//     message, in the thread that it began.
//  6. What a file is, is told by its content where that can be told: a name or a
//     type that a sender claims makes no picture.
package media
