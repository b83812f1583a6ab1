//go:build linux

package guard

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/rundir"
	"mindroom/internal/supervise/wire"
)

// The descriptors a supervisor is born with.
const (
	ControlFD = 3 // the socket to the client
	OutputFD  = 4 // the file of the output tail
	LockFD    = 5 // the locked lock file of the run folder; absent without one
	PipeInFD  = 6 // what a piped leader reads; absent for any other
	PipeOutFD = 7 // what a piped leader writes its answers to
)

// startWait bounds the wait for the client's Start, so that a supervisor whose client was stopped in between does not stay for ever.
const startWait = 30 * time.Second

// guard is the state of one supervisor. Only the main goroutine touches it.
type guard struct {
	spec  wire.Spec
	dir   rundir.Dir
	id    string
	self  proc.Ident
	group contain.Group
	limit contain.Limit

	sig  *signals
	talk *talk
	out  *output

	phase    wire.Phase
	cause    wire.Cause
	leader   proc.Ident
	started  wire.Instant
	exited   bool
	exit     wire.Exit
	startErr error
	tree     []proc.Ident

	orphaned bool // the client's end is closed
	termed   bool // SIGTERM was sent
	killing  bool // SIGKILL until empty
	passes   int

	deadline, grace, orphan, sweep, trace alarm
	traceNext                             time.Duration
}

// Run supervises one tree from its Start to its death and returns the status to exit with: 0 when the tree is dead, 2 when nothing was
// started because the client spoke nonsense or another version. The caller has locked the main goroutine to the main thread.
func Run() int {
	sig := catch()
	defer sig.stop()
	for _, fd := range []int{ControlFD, OutputFD, LockFD, PipeInFD, PipeOutFD} {
		unix.CloseOnExec(fd)
	}
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return complain(fmt.Errorf("become subreaper: %w", err))
	}
	if err := unix.SetNonblock(ControlFD, true); err != nil {
		return complain(fmt.Errorf("control socket (this program is started by mindroom, not by hand): %w", err))
	}
	control := os.NewFile(ControlFD, "control")
	start, err := hear(control)
	if err != nil {
		return complain(errors.Join(err, control.Close()))
	}
	g := &guard{spec: start.Spec.WithDefaults(), dir: rundir.Dir(start.Spec.RunDir), id: start.ID, sig: sig, phase: wire.PhaseStarting}
	step.Reached(step.GuardHeard)
	g.talk = converse(control)
	g.supervise()
	g.talk.close()
	return 0
}

// hear reads the Start and answers a wrong one with the reason.
func hear(control *os.File) (wire.Start, error) {
	var s wire.Start
	if err := control.SetDeadline(time.Now().Add(startWait)); err != nil {
		return s, err
	}
	err := wire.ReadFrame(control, &s)
	switch {
	case err != nil:
	case s.Protocol != wire.Protocol || s.Build != wire.Build:
		err = fmt.Errorf("client is build %q, protocol %d; this supervisor is build %q, protocol %d", s.Build, s.Protocol, wire.Build, wire.Protocol)
	case !contain.ValidName(s.ID):
		err = errors.New("the tree has no valid name")
	default:
		err = s.Spec.Check()
	}
	if err != nil {
		said := wire.WriteFrame(control, wire.State{Protocol: wire.Protocol, Build: wire.Build, Refused: err.Error()})
		return s, errors.Join(err, said)
	}
	return s, control.SetDeadline(time.Time{})
}

// supervise is the life of the tree.
func (g *guard) supervise() {
	if g.startErr = g.prepare(); g.startErr == nil {
		step.Reached(step.GuardPrepared)
		g.startErr = g.launch()
	}
	if g.startErr != nil {
		g.cause = wire.CauseStartFailed
	} else {
		step.Reached(step.GuardForked)
		g.begin()
		for !g.step() {
			g.wait()
		}
	}
	g.finish()
}

func complain(err error) int {
	fmt.Fprintln(os.Stderr, "mindroom-supervise:", err)
	return 2
}
