package supervise

import "mindroom/internal/supervise/wire"

// Kind says what a caller can do about an error of this package.
type Kind string

// The kinds. They are stable; the texts beside them are for people.
const (
	// KindUnsupported: not Linux (S57).
	KindUnsupported Kind = "unsupported_platform"
	// KindNoSupervisor: the binary mindroom-supervise was not found.
	KindNoSupervisor Kind = "no_supervisor"
	// KindWrongBuild: it is of another build than this program.
	KindWrongBuild Kind = "wrong_build"
	// KindInvalidSpec: the Spec cannot be started as it is.
	KindInvalidSpec Kind = "invalid_spec"
	// KindRunDirUsed: the run folder serves, or served, another run.
	KindRunDirUsed Kind = "run_dir_used"
	// KindStartFailed: the leader could not be started, and provably nothing runs. Error.Record holds the supervisor's record, if it came so far.
	KindStartFailed Kind = "start_failed"
	// KindUnproven: it could not be proven in time that nothing is left. Nothing durable was changed; the same call may be made again.
	KindUnproven Kind = "unproven"
	// KindLost: the supervisor cannot be asked any more.
	KindLost Kind = "lost"
	// KindClosed: the Process was closed.
	KindClosed Kind = "closed"
)

// Error is what this package returns where a program must decide.
type Error struct {
	Kind Kind
	// Text tells a person what happened and what to do next.
	Text string
	// Err is the cause; nil when there is none beneath.
	Err error
	// Record is set for KindStartFailed when the supervisor wrote one.
	Record *wire.Record
}

// ErrUnproven matches, with errors.Is, every error of KindUnproven.
var ErrUnproven = &Error{Kind: KindUnproven}

func (e *Error) Error() string {
	s := e.Text
	if s == "" {
		s = string(e.Kind)
	}
	if e.Err != nil {
		s += ": " + e.Err.Error()
	}
	return s
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// Is matches a bare Error of the same kind.
func (e *Error) Is(target error) bool {
	t, ok := target.(*Error)
	return ok && t.Kind == e.Kind && t.Text == "" && t.Err == nil
}
