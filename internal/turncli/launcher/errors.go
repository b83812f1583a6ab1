package launcher

// Kind says what can be done about an error of this package. The values are stable.
type Kind string

// The kinds.
const (
	// KindMissing: there is no program to lay.
	KindMissing Kind = "no_agent_cli"
	// KindOtherBuild: it is of another build than this program, or does not start.
	KindOtherBuild Kind = "other_build"
	// KindFolder: the folder cannot be what it must be.
	KindFolder Kind = "agent_cli_folder"
)

// Error is every error of this package.
type Error struct {
	Kind Kind
	// Text tells a person what happened and what to do next.
	Text string
	// Err is the cause; nil when there is none beneath.
	Err error
}

func (e *Error) Error() string {
	if e.Err == nil {
		return e.Text
	}
	return e.Text + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }
