// Package lifecycle is the only place that starts a goroutine, and it knows in
// what order everything stops.
//
// A Group owns goroutines by name. It ends when one of them fails or panics,
// when its parent context ends, or when it is stopped.
//
//	state     | may become | by
//	running   | stopping   | Stop
//	running   | ended      | first error or panic, parent context, Wait with nothing left
//	stopping  | ended      | all steps done and goroutines gone, or the budget spent
//	ended     | –          |
//
// Invariants:
//
//  1. Wait returns only when every goroutine of the group has returned.
//  2. A panic never ends the process by itself: it becomes a *PanicError with
//     its stack and ends the group, like any other first error.
//  3. The first error wins; later ones are those of goroutines told to leave.
//  4. Stop steps run one after another in the reverse order of OnStop, each
//     within its budget. A step that overruns is named and left behind: it
//     cannot keep later steps from running.
//  5. The context of the group ends after the last step, not before the first,
//     so that a step may still use what the group runs.
//  6. A second signal while stopping leaves at once.
package lifecycle
