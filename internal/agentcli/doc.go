// Package agentcli is the program mindroom-agent: what a shell command of an agent calls the agent's other tools with.
//
// One command line is one order; an order is at most one submission and the reads that wait for it; its answer is one JSON
// document on standard output and an exit status. Nothing is kept between two starts.
//
// What always holds:
//
//  1. Standard output has exactly one JSON document, help apart; words for people are on standard error (spec/agentcli.md 1.1).
//  2. The exit status is a function of the printed document's status, or of the error (C13).
//  3. A document that concerns one call names it, whatever went wrong (C09).
//  4. A tool call is submitted once. It is tried a second time, under the same id, only where nobody listened the first time.
//  5. Once a call was accepted, no failure of waiting hides its receipt.
//  6. The token is in no output.
//
// The package links the standard library and internal/canonical, because the program starts once a call: see test/guard and
// the rows of make bench.
package agentcli
