// Package dynamictools is the toolkit by which a model loads and unloads those of
// its agent's toolkits that are deferred (spec/runtime.md 6.10). What is loaded is
// kept for each conversation, and for each requester of a private agent. It decides
// what the next question to the model offers, never what the agent may call.
//
// Invariants:
//
//  1. Only deferred toolkits are loaded and unloaded; a toolkit's state at the start
//     is as configured until somebody says otherwise.
//  2. A toolkit is not loaded if one of its functions has the name of another that
//     the model has: it could not tell them apart.
//  3. Every call answers with JSON that has a status; what the model asked for and
//     cannot have is a status too, not a fault.
package dynamictools
