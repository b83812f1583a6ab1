// Package turncli owns what mindroom-agent does inside the shell commands of one
// response: the grant that authenticates it, the windows in which a command may
// submit calls, the receipts of those calls, what it can discover, and the two
// HTTP routes (C01–C29).
//
//	window                     | open             | draining (the command returned) | closed
//	a call or describe names it| admit, unless fenced                               | 409
//	its last operation settled | –                | close, in the same critical section | –
//	only waiting calls left    | –                | let go of them; the command's call pauses | –
//	a call asks for control    | fence: queued calls are cancelled, running ones finish | –
//	revoke, cancel, 24 h       | cancel, join, close                                 | –
//	a background job holds it  | stays open until the job ends                       | –
//
//	receipt                    | queued → running → (waiting → running) → completed | failed | cancelled
//
// Every call of it is a call of package tool's room, under the identity of the
// response, whatever a request says. Nothing here is written to the database but
// what a call that waits for a person needs to be made after a restart (Holds).
package turncli
