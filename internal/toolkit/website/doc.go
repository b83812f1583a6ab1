// Package website is the toolkit that reads web pages: one function, read_url
// (S40, spec/runtime.md 6.1). It makes a tool of page.Reader; where connections
// may go is decided in guard.
//
// Invariants:
//
//  1. One call reads one page. What it returns depends on that page alone, so
//     that a watcher may compare two results (S40).
//  2. Reading has no effect outside, so a call that was interrupted failed and
//     is never indeterminate.
package website
