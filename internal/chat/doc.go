// Package chat is what the program knows of its conversations: a journal of what
// came in and an outbox of what goes out. It holds rows and no client. Whoever
// wants something said enqueues a delivery in the transaction of its own
// decision; the pump in internal/matrix sends it. What was heard is recorded
// together with the sync position and worked on from here.
//
// # Journal
//
//	event   | may become     | by
//	held    | new            | Open: it came encrypted, and its key came later
//	new     | taken, ignored | Mark, in the transaction of what it led to
//	taken   | –              |
//	ignored | –              |
//
// Invariants:
//
//  1. The sync position moves only in the transaction that records the events
//     before it; a crash leaves both or neither.
//  2. An event is recorded once an account, however often it is heard.
//  3. An event is new until a transaction that acts on it, or decides not to,
//     commits: a decision that fails to commit leaves it to be read again. One
//     that is held is decided upon by nobody and is in no history.
//     Retention deletes no new one, and a held one when its key did not come for as
//     long as conversations are kept (PruneHeld).
//
// # Outbox
//
//	delivery   | may become                       | by
//	queued     | sending                          | Next
//	queued     | superseded                       | a final edit or a newer progress edit of its target, or Withdraw
//	queued     | failed                           | Next, when its target failed
//	queued     | sent                             | MarkSent or Echo: an answer that came late
//	sending    | sent                             | MarkSent or Echo
//	sending    | queued, failed                   | MarkFailed
//	sending    | queued                           | Release: the pump stopped, or the process died
//	sending    | superseded                       | MarkFailed or Release of a progress edit that is out of date
//	sent, failed, superseded | –                  |
//
// Invariants:
//
//  4. One delivery id has one row, one content once it may be on its way, and one
//     transaction id, stored before the first attempt and used in every one. A
//     homeserver that honours transaction ids shows one event a delivery.
//  5. Deliveries of an account to one room are sent one at a time, in the order
//     of enqueuing; one that waits to be tried again holds up its room alone.
//  6. States move only along the table.
//  7. A progress edit is queued at most once a target, with the newest content,
//     and never goes out after a final edit of the same target was enqueued.
//  8. An edit, reaction or redaction that refers to a delivery goes out after it,
//     with its event id, or fails when that failed.
//  9. The first answer wins: a sent delivery keeps its event id; further copies
//     that a homeserver made are found by ByEvent, and those of a message or a
//     reaction are taken back.
//  10. A clock that is set back holds up no delivery for longer than longestWait.
//  11. A message that carries a file names it by its digest. Where the file was
//     uploaded to is durable before the first attempt to send it, so that no
//     further attempt uploads it again, and the digest is Held until the end.
//     One whose file cannot be sent goes without it, with other words, where
//     whoever said it has some (Outbox.GivenUp): it is the same delivery.
//
// # Retention
//
//  12. An event that was deleted is not new again when a homeserver tells of it
//     once more: its room remembers up to when events were deleted.
//  13. A conversation in which something was said within the window keeps its
//     newest Kept messages; a room in which a turn is live keeps everything.
//  14. A delivery goes only when it is over and none that waits refers to it.
//
// # After a restore from a backup
//
//  15. Until an account has heard what was said since the backup, nothing that is
//     older than the restore is decided on and nothing of its outbox is sent.
//  16. Edits in progress of the backup are never sent.
package chat
