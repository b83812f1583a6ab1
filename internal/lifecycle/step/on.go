//go:build crashsteps

package step

import (
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
)

// The variables that say where to die.
const (
	// atVariable is "name", "name:n" for the n-th time the step is reached, and
	// either with "+parent" when the parent process dies first.
	atVariable = "MINDROOM_TEST_CRASH_AT"
	// armedVariable names a file; steps count only while it exists. Without it
	// they count from the start.
	armedVariable = "MINDROOM_TEST_CRASH_ARMED"
)

// plan is what the environment says, read once.
var plan = read()

type death struct {
	at     Name
	n      int64
	parent bool
	armed  string
	passed atomic.Int64
}

func read() *death {
	text, parent := strings.CutSuffix(os.Getenv(atVariable), "+parent")
	name, count, counted := strings.Cut(text, ":")
	d := &death{at: Name(name), n: 1, parent: parent, armed: os.Getenv(armedVariable)}
	if n, err := strconv.ParseInt(count, 10, 64); counted && err == nil {
		d.n = n
	}
	return d
}

// Reached kills this process if the environment says that it dies here.
func Reached(name Name) {
	if name != plan.at || plan.at == "" {
		return
	}
	if _, err := os.Stat(plan.armed); plan.armed != "" && err != nil {
		return
	}
	if plan.passed.Add(1) != plan.n {
		return
	}
	if plan.parent {
		_ = syscall.Kill(os.Getppid(), syscall.SIGKILL)
	}
	_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	select {} // this goroutine does nothing more while the signal is on its way
}

// Inherited is what a child process needs in its environment to die at its own
// steps.
func Inherited() []string {
	return []string{atVariable + "=" + os.Getenv(atVariable), armedVariable + "=" + os.Getenv(armedVariable)}
}
