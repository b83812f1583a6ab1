// Package mode is which interface an agent has to its tools in one conversation:
// the standard one, or the minimal one, a short prompt and one Bash tool. It
// keeps what people chose, and says what an agent or the deployment lacks for the
// minimal one (M01-M08, M29; spec/agentcli.md 6 and 8.1). Nothing here answers,
// asks or runs anything.
//
// Invariants:
//
//  1. Only a choice that differs from the default is stored: no row means
//     standard, and to choose standard is to delete the row.
//  2. A choice is of one agent, one conversation and, for a private agent, one
//     requester. It survives restarts, and config.yaml does not know it.
//  3. A row that this version cannot read counts as standard, and stays.
//  4. At most MaxChoices rows are kept of one agent (of one requester of a private
//     agent); the oldest go first, and never the one just made.
//  5. What is missing is told whole, each with what mends it. No text says a
//     setting's value.
//  6. Nothing here widens what an agent may call (M40).
package mode
