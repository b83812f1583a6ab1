package shell

import (
	"context"
	"fmt"
	"os/exec"
	"strings"
	"time"

	"mindroom/internal/supervise"
)

const (
	// grace lies between SIGTERM and SIGKILL.
	grace = 2 * time.Second
	// maxTasks bounds processes and threads of one command, so that a fork bomb
	// stays its own problem where the kernel lets us.
	maxTasks = 2048
	// keptBytes is how much of a command's output is kept.
	keptBytes = 64 << 10
)

// Supervised runs every command under a supervisor of its own (package
// supervise). It lets what a command detached go on, and ends all of it when
// this process is gone.
type Supervised struct{}

var _ Commands = Supervised{}

// Start starts c.
func (Supervised) Start(ctx context.Context, c Command) (Process, error) {
	spec := supervise.Spec{
		Argv: c.Argv, Env: c.Env, Dir: c.Dir, Grace: grace, OnLeaderExit: supervise.LeaderExitKeep,
		MaxProcs: maxTasks, TailBytes: keptBytes,
	}
	if c.Argv == nil {
		bash, err := exec.LookPath("bash")
		if err != nil {
			return nil, fmt.Errorf("there is no bash on this host; install it, or give the command as a list: %w", err)
		}
		spec.Argv, spec.Text = []string{bash, "-l", supervise.TextPath}, []byte(prelude(c)+c.Script)
	}
	p, err := supervise.Start(ctx, spec)
	if err != nil {
		return nil, err
	}
	return supervised{p}, nil
}

// prelude stands before a script, on its first line so that the line numbers
// in Bash's messages are the script's own. It closes the descriptor the text came
// on, and gives back the search path that a login shell's profile replaces, behind the
// profile's own: the programs of this runtime are found by it.
func prelude(c Command) string {
	first := ""
	if c.First != "" {
		first = quote(c.First) + ":"
	}
	for _, e := range c.Env {
		if path, ok := strings.CutPrefix(e, "PATH="); ok {
			return "exec 3<&-; export PATH=" + first + "\"$PATH\":" + quote(path) + "; "
		}
	}
	return "exec 3<&-; "
}

func quote(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// supervised makes a supervise.Process a Process.
type supervised struct{ p *supervise.Process }

func (s supervised) Exited() <-chan struct{} { return s.p.Exited() }
func (s supervised) Dead() <-chan struct{}   { return s.p.Dead() }

func (s supervised) State(ctx context.Context) (State, error) {
	status, err := s.p.Status(ctx)
	if err != nil {
		return State{}, err
	}
	return State{Pid: status.Pid, Exited: status.Exited, Code: status.Exit.Code, Signal: status.Exit.Signal, Procs: status.Procs}, nil
}

func (s supervised) Output() (Output, error) {
	c, err := s.p.Output()
	if err != nil {
		return Output{}, err
	}
	return Output{Text: c.Text(keptBytes), Dropped: c.Start}, nil
}

func (s supervised) End(ctx context.Context, force bool) error {
	mode := supervise.EndGraceful
	if force {
		mode = supervise.EndForce
	}
	return s.p.End(ctx, mode)
}

func (s supervised) Close(ctx context.Context) error { return s.p.Close(ctx) }
