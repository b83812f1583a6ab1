// Package page reads one web page and gives its readable text (S40,
// spec/runtime.md 6.1).
//
// Invariants:
//
//  1. An unchanged page gives the same bytes: no time, id, header or redirect
//     target is part of the result, because a watcher compares two results for
//     equality.
//  2. Every connection, each redirect's included, goes through the guard, and
//     never through a proxy.
//  3. A read ends within its timeout and holds at most its bound of bytes,
//     counted after decompression; a page over the bound is an error, never a
//     shortened page that a watcher would take for a change.
//  4. No error holds a URL's query or user information: they hold secrets.
package page
