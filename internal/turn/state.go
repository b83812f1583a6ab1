package turn

import "fmt"

// State is how a turn stands.
type State string

// The states of a turn.
const (
	// Clean: no call was begun since the last checkpoint. A turn is created so.
	Clean State = "clean"
	// Dirty: the checkpoint is written and a call of its batch was begun.
	Dirty State = "dirty"
	// Parked: cards are out; no goroutine, typing or lock.
	Parked State = "parked"
	// Ready: every card is decided.
	Ready State = "ready"
	// Claimed: somebody carries out what was decided.
	Claimed State = "claimed"
	// Answered: the answer is in the outbox.
	Answered State = "answered"
	// Failed: the provider, a bound or a fault of the program ended it; the room was told.
	Failed State = "failed"
	// Cancelled: a person ended it.
	Cancelled State = "cancelled"
	// Interrupted: the process died where only a proof could have gone on.
	Interrupted State = "interrupted"
)

// Cause is who may make a transition; the table adds them up.
type Cause int

const (
	// ByWork: the engine, while it works on the turn.
	ByWork Cause = 1 << iota
	// ByStart: the start of a process that finds what the last one left.
	ByStart
)

// transitions is the one table of allowed changes; every write goes through
// it. The unreadable checkpoint of a later build is why a start may also
// interrupt turns that could otherwise go on.
var transitions = map[State]map[State]Cause{
	Clean:   {Dirty: ByWork, Parked: ByWork, Answered: ByWork, Failed: ByWork, Cancelled: ByWork, Interrupted: ByStart},
	Dirty:   {Clean: ByWork, Parked: ByWork | ByStart, Answered: ByWork, Failed: ByWork, Cancelled: ByWork, Interrupted: ByStart},
	Parked:  {Ready: ByWork, Failed: ByWork, Cancelled: ByWork, Interrupted: ByStart},
	Ready:   {Claimed: ByWork, Failed: ByWork, Cancelled: ByWork, Interrupted: ByStart},
	Claimed: {Dirty: ByWork, Clean: ByWork, Parked: ByWork, Answered: ByWork, Failed: ByWork, Cancelled: ByWork, Interrupted: ByStart},
}

// Terminal reports whether nothing follows s.
func (s State) Terminal() bool { return len(transitions[s]) == 0 }

// worked reports whether somebody works on a turn in s, or is about to.
func (s State) worked() bool { return s == Clean || s == Dirty || s == Claimed }

// waiting reports whether a turn in s waits to be worked on.
func (s State) waiting() bool { return s == Clean || s == Ready }

// mayBecome reports whether the table allows the change by this cause.
func (s State) mayBecome(next State, by Cause) bool {
	cause, ok := transitions[s][next]
	return ok && cause&by != 0
}

// TransitionError is a change the table does not allow: another end was first,
// or the program is wrong. The row is as it was.
type TransitionError struct {
	Turn     string
	From, To State
}

// Error names the turn and both states.
func (e *TransitionError) Error() string {
	return fmt.Sprintf("turn %s is %s and cannot become %s", e.Turn, e.From, e.To)
}
