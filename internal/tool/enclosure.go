package tool

import (
	"context"

	"mindroom/internal/media"
)

// Enclosure opens a door for the calls that are made inside a call: a shell
// command's, through mindroom-agent (C02, C17).
type Enclosure interface {
	// Open admits calls from inside parent until the Scope is closed or given up.
	// A parent that came in through this enclosure itself shares the scope of its
	// own parent. An error means that no door is open and the command must not
	// start.
	Open(ctx context.Context, parent Ref) (Scope, error)
}

// Scope is an opened inner door. Exactly one of Close and Hold ends the body's
// part in it.
type Scope interface {
	// Env are the variables by which the body's process finds the door. They win
	// over every other variable of that name. They hold a capability: nobody
	// prints them.
	Env() []string
	// Path is the folder that stands first on the process's search path; empty
	// for none.
	Path() string
	// Close says that the body's own work has ended. It waits for the calls that
	// were admitted, those that they admit meanwhile included, and closes the door
	// in the same moment in which none is left (C17, C18); or, where only calls
	// are left that wait for a person, it lets go of them and says Paused. When ctx
	// ends first the calls are cancelled and waited for.
	Close(ctx context.Context) Enclosed
	// Hold says that the body goes on as a background job: the door stays open
	// until done is called, once, after the response too (M19). What was called so
	// far is told.
	Hold() (so Enclosed, done func())
}

// Enclosed is what the calls inside a call leave to it.
type Enclosed struct {
	// Media of completed calls, in the order of their ends.
	Media []media.Ref
	// Control is what they ask of the turn around.
	Control Control
	// Paused: only calls that wait for a person are left. The call is to end
	// StatePaused, and whoever owns the turn makes those calls later.
	Paused bool
	// Err is a fault of the program inside an admitted call; nil for none. What a
	// tool failed at is told to its caller and stands in its receipt, not here.
	Err error
}

// Enclosing is a result together with what calls inside the call left to it.
type Enclosing struct {
	Value any
	// Fault is how the call failed; Value and Enclosed.Media mean nothing then.
	Fault *Fault
	Enclosed
}

// outcome makes e the end of a call, or its pause.
func (e Enclosing) outcome(ctx context.Context) Outcome {
	var out Outcome
	if e.Fault != nil {
		out = outcomeOf(ctx, nil, e.Fault)
	} else if out = outcomeOf(ctx, e.Value, nil); out.State == StateCompleted {
		out.Media = e.Media
	}
	out.Control = max(out.Control, e.Control)
	if e.Paused {
		out.Then, out.State = out.State, StatePaused
	}
	return out
}
