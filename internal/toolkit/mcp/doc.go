// Package mcp makes each server of mcp_servers, which speaks the Model Context
// Protocol, a toolkit called mcp_NAME (spec/runtime.md 6). The protocol is the
// official SDK's; here is what it leaves to its user: whose process it is, how long
// anything may take, what a model may be shown, and what a lost answer means.
//
// A server is a record:
//
//	down      → connected  it was started or reached, and listed its tools
//	connected → down       its process or connection ended; tried again, later each time
//	any       → gone       the configuration dropped or changed it, or the runtime stops
//
// Invariants:
//
//  1. A call uses the connection that is there; none is made for it. The functions
//     of a server that is down stay, and their calls fail runtime_failure.
//  2. A call whose answer was lost is indeterminate, never failed and never
//     repeated (S38).
//  3. A server that is down, hangs or lists nonsense costs an agent its functions
//     alone: never its turn, nor the start.
//  4. A program runs under a supervisor and its whole tree ends with its connection. It
//     sees a few variables of the machine and those configured.
//  5. Requests go to the configured host alone, whatever it redirects to, and
//     nothing that a schema refers to is ever fetched.
//  6. A change of the configuration restarts the servers it changes, no others.
package mcp
