// Package seal is the end-to-end encryption of one device: what Matrix calls
// olm and megolm, in pure Go. It encrypts what a device says and opens what it
// hears; it decides neither what is said nor what becomes of what was heard.
//
// The library under it chooses its implementation by a build tag: with
// -tags goolm it is pure Go, without it needs C. The project's Makefile and test
// tools set the tag; a build without it works, and Open says ErrLeftOut.
//
// Invariants:
//
//  1. Nothing that leaves Encrypt can be read by anybody but the devices of the
//     members it was given and of those the library learns of through them.
//  2. The state of a ratchet is on disk before a text encrypted with it leaves,
//     and a key that was heard is on disk before Receive returns without error:
//     the caller may then forget the response it came in.
//  3. A room's session is given up for a new one when the members differ from
//     those it was shared with, and with the first text after a start: who left
//     reads nothing more, who came reads from then on.
//  4. A text is only opened with a key that came from its sender or from our own
//     account, so that a forged key forges nobody's words.
//  5. No key is given to a device that it was not shared with when it was made.
//  6. A device is never replaced silently: a store that does not belong to the
//     device the homeserver knows is ErrForeign.
//  7. No goroutine outlives a call.
package seal
