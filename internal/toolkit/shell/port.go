package shell

import "context"

// Command is what is run: either Script, a text for Bash as a login shell, or
// Argv, whose first element is the absolute path of a program.
type Command struct {
	Script string
	Argv   []string
	// Env is the whole environment, Dir the working directory, absolute.
	Env []string
	Dir string
	// First is the folder that stands first on the search path of a Script,
	// whatever a login shell's profile does to it; empty for none. It stands first
	// in Env's PATH already.
	First string
}

// Commands starts commands, each as a process tree that can be ended as a
// whole. After an error nothing runs. ctx bounds the start, not the command.
type Commands interface {
	Start(ctx context.Context, c Command) (Process, error)
}

// Process is one started command. Its methods may be called at the same time,
// none but Close after Close.
type Process interface {
	// Exited closes when that process has ended; everything it wrote is in
	// Output then.
	Exited() <-chan struct{}
	// Dead closes when nothing of its tree is left.
	Dead() <-chan struct{}
	// State is how it stands now.
	State(ctx context.Context) (State, error)
	// Output is what is kept of both channels, in the order it was written.
	Output() (Output, error)
	// End asks for the end of the tree: by SIGTERM and after a grace SIGKILL, or
	// by SIGKILL at once. Dead tells when it came.
	End(ctx context.Context, force bool) error
	// Close ends what is left by force, waits for it and frees what is held. On
	// an error it may be called again.
	Close(ctx context.Context) error
}

// State is how a command stands.
type State struct {
	// Pid is the command's own process.
	Pid int
	// Exited is true when its own process has ended: by Signal where that is not
	// empty, else with Code, which is nil when it cannot be known.
	Exited bool
	Code   *int
	Signal string
	// Procs counts the living processes of the tree.
	Procs int
}

// Output is the end of what a command wrote.
type Output struct {
	// Text is valid UTF-8.
	Text string
	// Dropped counts the bytes before Text that are not kept any more.
	Dropped int64
}
