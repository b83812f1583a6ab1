// Package person is a plain Matrix client for one human being: log in, join,
// write in a room or a thread, and follow what is said. The terminal client of
// the demo and every test that plays a user are built on it; the product's own
// accounts are not (see package matrix), so a test that watches an agent with
// this client is an independent witness.
//
// Invariants:
//
//  1. The events of a room are seen in the order in which the homeserver gives
//     them, each once; WaitFor looks at everything already seen before it asks for more,
//     so that an event that arrived early is never missed.
//  2. One sync request is in flight at a time, however many goroutines wait.
//  3. Nothing is stored on disk, but the device of LoginLasting and its keys.
//  4. After Secure, nothing but reactions is written into an encrypted room in
//     clear, and what can be read of it is shown as it was meant, with
//     Event.Encrypted set. What cannot be read is shown as m.room.encrypted, and
//     again, opened, when its key comes. Before Secure nothing is encrypted, and
//     nothing is written into a room that was seen to be encrypted.
package person
