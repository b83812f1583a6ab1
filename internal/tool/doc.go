// Package tool is the room: toolkits, their functions and schemas, the
// registry value, and the one path that every call takes, whichever door it
// came through.
//
//	Plan: pure, may be repeated                    Perform: at most once
//	surface > schema > authority > policy          lane > recheck > before hooks > BEGIN > body > after hooks > bound > END > audit
//
// A door (a model's turn, the turn CLI, a background script) is a Terms value.
// Nothing in this package asks which door it is; what differs is in Terms.
//
// Invariants:
//
//  1. Plan has no effect. Two plans of one call under one configuration are equal.
//  2. Perform checks surface, authority, dependencies and policy again after the
//     lane was acquired; a new denial wins over an older permission, and a
//     person's denial over a newer one. Surface, authority and dependencies are
//     checked once more at the gate, after hooks and just before BEGIN (S15).
//  3. Nothing of a body runs before Ledger.Begin returned without error.
//  4. A call that never began ends failed or cancelled, never indeterminate.
//  5. A begun call whose body cannot be shown to have finished ends
//     indeterminate; it is never run again.
//  6. After hooks and the audit see every outcome, refusals included.
//  7. The registry, a surface and a function are immutable once built; they are
//     cached per configuration snapshot and shared between calls.
//  8. What a fault says is masked before hooks, caller, receipt and audit hear
//     it: it quotes whatever a body met.
package tool
