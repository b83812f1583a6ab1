// Package console is the terminal client behind `mindroom chat`: one room, seen
// as lines, and what is typed as messages of it.
//
// A homeserver sends events; the book folds them into messages, whose text
// changes while an agent writes; a screen shows messages. There are two: one for
// a terminal, on which a message that is being written changes in place, and one
// for pipes, which shows each message once it is whole.
//
// Invariants:
//
//  1. Every message is shown once as finished, in the order in which the
//     messages finished; a later edit is shown as one.
//  2. An edit counts only from the sender of the message.
//  3. Nothing that others wrote controls the terminal.
//  4. What cannot be read is said, never left out silently; it is shown when its
//     key comes.
//  5. Run returns only when every goroutine it started has ended.
package console
