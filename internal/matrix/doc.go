// Package matrix is our side of a homeserver: the accounts we speak as, the
// rooms they are in, what they hear and what they say. Nobody else talks to a
// homeserver: what is heard becomes rows of the journal, and what is said comes
// from rows of the outbox (package chat). It decides nothing about answers.
//
// # Accounts
//
//		account       | may become    | by
//		unknown       | remembered    | Ensure stores name and password, before anything is sent
//		remembered    | ready         | registration, or login by password
//		ready         | ready         | the next process takes the stored token
//		ready         | remembered    | the homeserver takes the token away: login on the same device
//
//	 1. The password is durable before it is used, so that no crash locks us out
//	    of our own account.
//	 2. An account keeps its device, because transaction ids are kept by device.
//	 3. A homeserver that is down or busy is waited for. Only what a person has
//	    to change ends Ensure, and its hint says what.
//
// # Sync
//
// Each account has a loop of its own. One response is handled as a whole, in
// this order: the shared view of the rooms is brought up to date, gaps are
// filled, and then events, invitations, echoes and the new token are committed in
// one transaction. Only then are the events there for others, and are the
// invitations followed, which may take long and is done beside the sync.
//
//		the process dies                    | at the next start
//		before the commit                   | the response is asked for again
//		after it, before anybody looked     | the events are still new in the journal
//		while something is being sent       | the row is sent again under its transaction id
//		after the send, before it is noted  | the same, and the homeserver answers with the same event
//
//	 4. The token never moves without the events before it.
//	 5. Whether an event may start work is decided by what the journal knows and
//	    by when the account came into the room, never by whether this is the
//	    first response of a process (see stretch.alive).
//	 6. A homeserver that forgot the token is read from the start; what the
//	    journal has is known, what it does not have is new.
//	 7. A loop never ends but by its context: every failure, a panic and a clean
//	    return included, is followed by a pause and a new try.
//
// # Membership
//
//  8. The state of a room is kept once and fed by one account, its reader. The
//     view says nothing until the room was read whole, and nothing while its
//     reader is cut off.
//  9. A response is applied to the view in one step and before its events are
//     journalled: who acts on an event sees at least the state it was said in.
//
// # Sending
//
//  10. Everything goes into a room through one door (Network.send), which asks
//     first whether the room is encrypted and sends nothing while that is
//     unknown. Into an encrypted room nothing goes in clear but reactions and
//     redactions, on which the homeserver acts. Only a yes is remembered, and
//     for ever.
//
//  11. A room is written to in order, one send at a time; rooms do not wait for
//     one another.
//
//  12. A failure that may pass is tried again without end under the same
//     transaction id, no sooner than the homeserver asked; one that does not is
//     written down with its kind and does not stand in the way of the next.
//
//  13. A file goes to the homeserver before the message that names it, once, and
//     for an encrypted room encrypted: what was uploaded in clear is never named
//     in an encrypted room.
//
// # Encryption
//
// Package seal encrypts and opens; here is what becomes of it. It needs a build
// with -tags goolm, which make sets; without, or without a folder for the keys,
// encrypted rooms are heard as m.room.encrypted and not written to.
//
//			the process dies                        | at the next start
//			a key is stored, its response not       | the response comes again: a known duplicate
//			an event is held, its key is stored     | the event is opened
//			recovery key stored, nothing published  | the identity is made anew, nobody knew the first
//			the crypto store is lost                | a new device, signed with the stored recovery key
//
//	 14. What is sent to a device is handled, and its store committed, before the
//	    token and the events are journalled.
//	 15. An event whose key is missing is held in the journal, undecided. A live one
//	    has its key asked for once, after a grace, and when the key comes the event
//	    is new. If it does not come, the room is told, once for each key.
//	 16. A new device has other transaction ids: what was in flight when a store
//	    was lost may be said twice.
package matrix
