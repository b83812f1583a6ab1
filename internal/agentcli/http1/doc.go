// Package http1 speaks as much HTTP/1.1 as asking one server for a few JSON documents needs, and nothing more. It exists because
// mindroom-agent starts once a call: net/http alone would cost it more than everything else it does (make bench).
//
// What it never does is part of what it is for:
//
//  1. No proxy, whatever the environment says, and no redirect: the bearer goes to the origin it was given for and nowhere else
//     (M41, spec/agentcli.md 2.1).
//  2. No request is sent twice, except one that asks without changing anything, whose kept connection turned out to be closed.
//  3. No goroutine: cancelling a context moves the deadline of the connection.
//  4. No body above MaxBody, no head above MaxHead; what does not follow the grammar is an error and never half an answer.
//
// The response reader is fuzzed against net/http: whatever this one accepts, that one reads alike.
package http1
