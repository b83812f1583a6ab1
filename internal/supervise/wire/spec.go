package wire

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"mindroom/internal/supervise/contain"
)

// What an absent or zero field of a Spec means.
const (
	DefaultGrace     = 2 * time.Second
	DefaultTailBytes = 64 << 10
	maxTailBytes     = 16 << 20
	maxInputBytes    = 2 << 20
)

// LeaderExit says what becomes of the processes the leader left behind when it ended by itself.
type LeaderExit string

// The two answers. The empty value means LeaderExitKill, the safe one.
const (
	// LeaderExitKill ends whatever is left: a script's end is the end of its tree.
	LeaderExitKill LeaderExit = "kill"
	// LeaderExitKeep lets detached children go on, still owned: a shell command that returned normally leaves what it detached on purpose.
	LeaderExitKeep LeaderExit = "keep"
)

// Spec describes one process tree. It travels to the supervisor over the socket and is never written to disk or put in an argument list,
// because Env, Stdin and Text may hold secrets.
type Spec struct {
	// Argv is the leader's argument list; Argv[0] is an absolute path.
	Argv []string `json:"argv"`
	// Env is the leader's whole environment, "NAME=value" each; nothing is inherited. One variable, MarkerName, is added.
	Env []string `json:"env,omitempty"`
	// Dir is the leader's working directory, absolute; empty means "/".
	Dir string `json:"dir,omitempty"`
	// RunDir is the run's own folder (0700, used once; made when absent) for the lock, the identity, the output and the exit record. Empty: nothing
	// durable, for a shell command that dies with its primary.
	RunDir string `json:"run_dir,omitempty"`
	// Stdin is what the leader reads from descriptor 0; nil means /dev/null. With Text, at most 2 MiB.
	Stdin []byte `json:"stdin,omitempty"`
	// Text, when not nil, is readable by the leader at TextPath. It is how a shell gets its command: not in the argument list, where every user of the
	// machine reads it, nor on stdin, where the command's own children would eat it.
	Text []byte `json:"text,omitempty"`
	// Piped gives descriptors 0 and 1 of the leader to the client, which talks to it through them (Process.Talk); the output is descriptor 2 alone then.
	// It excludes Stdin.
	Piped bool `json:"piped,omitempty"`
	// Deadline ends the tree gracefully this long after the leader started, on the supervisor's monotonic clock (S05). 0: none. Once the
	// leader ended by itself under LeaderExitKeep it no longer applies.
	Deadline time.Duration `json:"deadline_ns,omitempty"`
	// Grace lies between SIGTERM and SIGKILL. 0 means DefaultGrace.
	Grace time.Duration `json:"grace_ns,omitempty"`
	// OrphanGrace is how long the tree may go on after the client's end of the socket closed. 0: end it at once.
	OrphanGrace time.Duration `json:"orphan_grace_ns,omitempty"`
	// OnLeaderExit: see LeaderExit.
	OnLeaderExit LeaderExit `json:"on_leader_exit,omitempty"`
	// MaxProcs bounds the tree's tasks as the kernel counts them: processes and their threads. 0: no bound. Status says what enforces it.
	MaxProcs int `json:"max_procs,omitempty"`
	// OwnUser says that the tree's user runs nothing else which forks (a worker container's user), so that RLIMIT_NPROC, which counts per user, may
	// stand in when no pids cgroup can be made.
	OwnUser bool `json:"own_user,omitempty"`
	// TailBytes is how much of the output is kept. 0 means DefaultTailBytes; at most 16 MiB.
	TailBytes int `json:"tail_bytes,omitempty"`
	// MaxLevel caps the containment: empty means the best there is.
	MaxLevel contain.Level `json:"max_level,omitempty"`
}

// MarkerName is the environment variable that marks every process of a tree with the tree's random ID, so that what a lost supervisor left behind can be
// recognised. It is no secret and gives no authority.
const MarkerName = "MINDROOM_PROCESS_TREE"

// TextPath is where the leader finds Spec.Text.
const TextPath = "/dev/fd/3"

// WithDefaults returns the Spec with its zero fields filled in.
func (s Spec) WithDefaults() Spec {
	if s.Grace == 0 {
		s.Grace = DefaultGrace
	}
	if s.TailBytes == 0 {
		s.TailBytes = DefaultTailBytes
	}
	if s.OnLeaderExit == "" {
		s.OnLeaderExit = LeaderExitKill
	}
	if s.Dir == "" {
		s.Dir = "/"
	}
	return s
}

// Check says, in words for the programmer who wrote the Spec, what is wrong with it; nil when it can be started.
func (s Spec) Check() error {
	switch {
	case len(s.Argv) == 0 || !filepath.IsAbs(s.Argv[0]):
		return errors.New("argv must begin with the absolute path of a program")
	case s.Dir != "" && !filepath.IsAbs(s.Dir):
		return fmt.Errorf("dir %q must be absolute", s.Dir)
	case s.RunDir != "" && !filepath.IsAbs(s.RunDir):
		return fmt.Errorf("run dir %q must be absolute", s.RunDir)
	case s.Deadline < 0 || s.Grace < 0 || s.OrphanGrace < 0:
		return errors.New("deadline, grace and orphan grace must not be negative")
	case s.MaxProcs < 0:
		return errors.New("max procs must not be negative")
	case s.TailBytes < 0 || s.TailBytes > maxTailBytes:
		return fmt.Errorf("tail bytes must lie between 0 and %d", maxTailBytes)
	case s.Piped && s.Stdin != nil:
		return errors.New("a piped leader reads what the client writes; it has no stdin of its own")
	case len(s.Stdin)+len(s.Text) > maxInputBytes:
		return fmt.Errorf("stdin and text together exceed %d bytes", maxInputBytes)
	}
	switch s.OnLeaderExit {
	case "", LeaderExitKill, LeaderExitKeep:
	default:
		return fmt.Errorf("on leader exit %q is neither kill nor keep", s.OnLeaderExit)
	}
	if s.MaxLevel != "" && !s.MaxLevel.Known() {
		return fmt.Errorf("max level %q is unknown", s.MaxLevel)
	}
	return s.checkStrings()
}

// checkStrings refuses what execve would cut or misread. It names the place, never the value, which may be a secret.
func (s Spec) checkStrings() error {
	for i, a := range s.Argv {
		if strings.IndexByte(a, 0) >= 0 {
			return fmt.Errorf("argv[%d] holds a NUL byte", i)
		}
	}
	for i, e := range s.Env {
		if strings.IndexByte(e, 0) >= 0 || strings.IndexByte(e, '=') < 1 {
			return fmt.Errorf("env[%d] is not NAME=value", i)
		}
	}
	return nil
}
