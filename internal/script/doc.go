// Package script is the owner of background scripts: their durable records, the
// manager that launches, ends and settles them, the broker between the gateway
// and the room, the gateway's routes, and retention.
//
// A run:
//
//	state    | may become                                          | by
//	starting | running, exited, failed, cancelled, interrupted     | launch, settle
//	running  | exited, failed, cancelled, interrupted              | settle
//	exited, failed, cancelled, interrupted: final
//
// A call of a run:
//
//	phase    | may become | if the process dies here
//	claimed  | begun, end | failed: it provably never ran, retryable
//	begun    | end        | indeterminate, never run again
//	end      | –          | as written: completed, failed or indeterminate
//
// Invariants:
//
//  1. Nothing of a run exists before its row does; the row holds a hash of the
//     capability and never the capability.
//  2. A terminal state never changes, and it is written only after no process
//     of the run is left and its folder is gone (S28, S77).
//  3. Revocation is durable before anything is signalled; from then on no call
//     of the run begins (S16, S28).
//  4. The first cancellation reason wins and decides the terminal state.
//  5. A claimed call has a durable row before its caller hears of it; one call
//     id names one function with one set of arguments for ever.
//  6. A grant is what was captured at launch; every call uses it together with
//     what the agent has now (S11, S14).
//  7. Every refusal of a capability looks the same from outside, and it is
//     given before a body is read (S82).
//  8. While recovery is pending only a recognised live capability hears 503.
//  9. An end that was seen, or that a failed launch needs, while it could not be
//     stored is taken up again by every pass.
//  10. A jump of the wall clock ends no run, keeps none beyond its time, opens no
//     quota and deletes nothing.
package script
