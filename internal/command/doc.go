// Package command is what people say to the program itself: messages that begin
// with "!", the stop button, and the welcome of a new room. No model has a part
// in it.
//
//	command   | may become                    | if the process dies here
//	accepted  | begun, answered, silent       | worked on at the next start
//	begun     | answered, uncertain           | uncertain: a message says so, and it is never repeated
//	accepted, begun, in a backup              | silent, by Restore
//	answered, silent, uncertain               | as written
//
// Accepted is written with the row of the message. Begun is written before the
// effect of a command that changes something; a command that only tells is
// never begun and may be worked on twice.
//
// Invariants:
//
//  1. A command is accepted once an event, whichever of our accounts heard it.
//  2. A state changes only along the table, each end in one transaction with its
//     answer, whose delivery id is made from the event: one answer a command.
//  3. The effect of a command happens at most once.
//  4. Who may not talk to the router in this room hears nothing, not even that
//     there are commands. What cannot be told waits, with the room's later
//     commands behind it; other rooms do not wait.
//  5. A voice message runs nothing that has an effect.
//  6. An answer mentions nobody and starts nothing.
//  7. A response is stopped by who asked for it or by an admin of its room.
//  8. A room is welcomed once or never, and only while it is empty.
package command
