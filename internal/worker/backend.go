package worker

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"mindroom/internal/identity"
)

// ErrNotStarted says that a launch failed and that no process exists.
var ErrNotStarted = errors.New("no process was started")

// ErrUnproven says that it could not be shown, within the time given, that no
// process of the run is left. The caller keeps its intent and asks again.
var ErrUnproven = errors.New("it is not confirmed yet that the processes have ended")

// ErrForeign says that a handle is another backend's, or of a form that this
// build does not know; nothing was proven. It comes together with ErrUnproven.
var ErrForeign = errors.New("the handle was made by another worker backend")

// ErrLost says that the backend knows nothing of the run: its supervisor is
// gone and left no record. No process is left either.
var ErrLost = errors.New("the supervisor of the run is gone and left no record")

// Spec is one process to be started and supervised.
type Spec struct {
	// Run is the run's id; Key the worker key it belongs to.
	Run identity.RunID
	Key identity.WorkerKey
	// Folder is the run's own folder as the primary sees it: source, capability,
	// SDK, and the supervisor's lock, record and output.
	Folder string
	// Argv, Env and Dir are the process's program, whole environment and
	// working directory.
	Argv []string
	Env  []string
	Dir  string
	// Deadline is the time left until the supervisor ends the tree by itself; it
	// holds while the primary is stopped or dead (S05).
	Deadline time.Duration
}

// Handle finds a run's process again.
type Handle struct {
	// Version of State's form; a backend refuses one it does not know.
	Version int `json:"version"`
	// Backend is the name of the backend that made it.
	Backend string          `json:"backend"`
	State   json.RawMessage `json:"state,omitempty"`
}

// Cause says why a process ended.
type Cause string

// The causes of an end.
const (
	// CauseExited: the program returned by itself.
	CauseExited Cause = "exited"
	// CauseSignalled: somebody else killed it.
	CauseSignalled Cause = "signalled"
	// CauseDeadline: the supervisor's own deadline ended it.
	CauseDeadline Cause = "deadline"
	// CauseEnded: it was ended because End asked for it, or somebody outside asked its
	// supervisor.
	CauseEnded Cause = "ended"
	// CauseOrphaned: the primary was gone for too long.
	CauseOrphaned Cause = "orphaned"
	// CauseLost: the supervisor was lost; what it would have said is unknown.
	CauseLost Cause = "lost"
)

// Exit is how a process tree ended. It is only ever reported when no process of
// the tree is left.
type Exit struct {
	Cause Cause `json:"cause"`
	// Code is the exit code; minus the signal's number when a signal ended the
	// program; nil when it is unknown.
	Code *int `json:"code,omitempty"`
	// Signal names the signal that ended the program; empty when none did.
	Signal string `json:"signal,omitempty"`
	// At is when the program ended, as the supervisor saw it.
	At time.Time `json:"at"`
	// Output is the last part of what the program wrote, both channels in order.
	Output string `json:"-"`
	// Containment says what held the tree together.
	Containment string `json:"containment,omitempty"`
}

// Output is a part of the program's output stream.
type Output struct {
	// Text starts at byte Offset of the stream.
	Text   string
	Offset int64
	// Total is the length of the whole stream so far.
	Total int64
}

// Backend starts and ends the processes of runs.
type Backend interface {
	// Name is the backend's name in handles, records and messages.
	Name() string
	// Start starts the process and returns once it is running.
	Start(ctx context.Context, spec Spec) (Handle, error)
	// Ended is closed when the tree of run is known to have ended; nil when
	// this process does not supervise the run (after a restart).
	Ended(run identity.RunID) <-chan struct{}
	// Exit is how a run whose Ended is closed ended.
	Exit(run identity.RunID) (Exit, bool)
	// Output is what the program wrote, from byte offset on as far as it is
	// kept; it waits until there is some, the tree has ended, or ctx ends. A
	// negative offset means the kept tail, at once.
	Output(ctx context.Context, run identity.RunID, folder string, offset int64) (Output, error)
	// End ends the tree and returns once no process of it is left. graceful
	// gives the program the chance to end by itself first. It works for handles
	// of an earlier process too. Errors: ErrUnproven, ErrLost.
	End(ctx context.Context, run identity.RunID, folder string, h Handle, graceful bool) (Exit, error)
	// Forget drops what is kept in memory of a run whose end is recorded.
	Forget(run identity.RunID)
	// Containment says what would hold a tree together here, for doctor.
	Containment() string
}
