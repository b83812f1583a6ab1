package tool

import (
	"context"
	"encoding/json"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/store"
)

// Terms is all that differs between doors.
type Terms struct {
	// Surface says whether the door grants this name at all; nil grants the
	// agent's whole live surface. It is asked again after the lane (S14).
	Surface func(Name) bool
	// Preapproved says whether the launch made this function eligible for
	// unattended approval; nil for doors that know no such thing (S09, S10).
	Preapproved func(Name) bool
	// Unattended is true where nobody is watching: what no rule allows asks.
	Unattended bool
	// Live is asked after the lane and again at the gate just before the body;
	// a fault ends the call. nil: always live. It is where a revoked run or an
	// ended turn stops its queued calls (S16).
	Live func(context.Context) *Fault
	// Ask puts a call that needs a person's word before its requester and waits
	// for it, after the lane was acquired and everything was checked again: for
	// doors whose later calls wait behind it (S61). nil: such a call is refused
	// unless Perform was given the decision. It may be called once a call.
	Ask Asker
	// Lane orders the calls of one owner; nil runs them side by side (S61).
	Lane Lane
	// Ledger keeps receipts and the BEGIN mark. It is never nil.
	Ledger Ledger
	// Enclosure lets the body open a door of its own; nil forbids it.
	Enclosure Enclosure
	// EndAtTimeout has a command ended that is still running at its time-out,
	// where it otherwise would go on in the background (M21).
	EndAtTimeout bool
	// Bound cuts or refuses a result before it leaves the room; nil leaves it.
	Bound func(context.Context, Invocation, json.RawMessage) (json.RawMessage, *Fault)
	// Observe hears of events of the call for traces; nil hears nothing.
	Observe func(Ref, Event)
}

// Event is something a watcher of a call may show.
type Event string

// The events of a call.
const (
	EventQueued  Event = "queued"
	EventBegan   Event = "began"
	EventEnded   Event = "ended"
	EventWaiting Event = "waiting"
)

// Lane gives calls the right to run, one owner at a time or side by side.
type Lane interface {
	// Acquire waits for the right and returns what gives it back. An error
	// means the call never got it.
	Acquire(ctx context.Context, ref Ref, class Class) (release func(), err error)
}

// Ledger keeps what is known of a call. Claiming is the door's own step,
// because it happens where the door answers its caller.
type Ledger interface {
	// Begin makes it durable that the body is about to run. Before it nothing
	// ran. Calling it again for a begun call changes nothing. An error that is a
	// *Fault says itself why the call must not begin.
	Begin(ctx context.Context, ref Ref) error
	// End writes the terminal receipt; the first one wins and is returned. also
	// runs in the same transaction where the ledger is durable, otherwise in
	// one of its own; nil does nothing.
	End(ctx context.Context, ref Ref, out Outcome, also func(*store.Tx) error) (Outcome, error)
}

// Class says whether calls of a function may run beside others of their owner.
type Class int

// The classes. Exclusive is the zero value: a function must ask to be shared.
const (
	Exclusive Class = iota
	Shared
	// Outer is Shared for a body that makes calls of its own and waits for
	// them: in the lane of those calls it must hold no place, or each would wait for
	// the other.
	Outer
)

// VerdictKind is what the policy says of a call.
type VerdictKind string

// The verdicts. The zero value denies, so that a forgotten verdict fails closed.
const (
	Allow VerdictKind = "allow"
	Ask   VerdictKind = "ask"
	Deny  VerdictKind = "deny"
)

// Verdict is the policy's answer for one call, and why.
type Verdict struct {
	Kind VerdictKind
	// Rule says which rule decided, in words a person finds in the configuration.
	Rule string
	// Declared is true when the function itself asks for confirmation (S13).
	Declared bool
	// Timeout bounds an Ask.
	Timeout time.Duration
	// Reason is what a denial tells the caller.
	Reason string
}

// Question is what a Policy is asked. It is an explicit value: nothing in an
// evaluation reads the environment or guesses the context.
type Question struct {
	Call        Call
	Function    *Function
	Preapproved bool
	// Unattended is Terms.Unattended.
	Unattended bool
	Snapshot   *config.Snapshot
}

// Answer is a three-valued yes: what cannot be told now is not a no.
type Answer int

// The answers. The zero value is CannotTell: a forgotten answer opens nothing
// and ends nothing.
const (
	CannotTell Answer = iota
	Yes
	No
)
