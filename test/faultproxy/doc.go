// Package faultproxy stands between a client and a real server and fails on
// request: it drops, delays, refuses or hangs chosen exchanges, and keeps a
// log of what went through. It exists so that a test can break exactly one
// exchange at a named step instead of hoping for a race.
//
// Invariants:
//
//  1. A request meets at most one fault: the oldest armed one that matches it.
//  2. A fault armed for n exchanges breaks exactly n of them, also when they
//     arrive at the same time.
//  3. DropReply forwards the whole request and reads the whole answer before
//     it cuts the connection: the server did the work, the client cannot know. Stored
//     does the same before it answers with its status.
//  4. After Close no goroutine of the proxy is left.
package faultproxy
