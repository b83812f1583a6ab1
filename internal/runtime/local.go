package runtime

import (
	"errors"
	"os"
	"strings"

	"mindroom/internal/config"
)

// errNoSandbox is what a launch is told where nothing allows it (S56).
var errNoSandbox = errors.New("background scripts need a worker, and this runtime has none. To run trusted scripts on this machine, " +
	"under the runtime's own account and without any isolation of secrets, set MINDROOM_SANDBOX_EXECUTION_MODE=off and restart")

// localAllowed says whether scripts may run on this machine.
func localAllowed(w config.Workers) func() error {
	return func() error {
		if w.Mode == config.ModeOff {
			return nil
		}
		return errNoSandbox
	}
}

// environ is the environment that local scripts inherit: the primary's own,
// without the place of the control state (S56).
func environ() []string {
	var out []string
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "MINDROOM_CONTROL_STATE_PATH=") {
			out = append(out, v)
		}
	}
	return out
}

// Interpreter finds the Python of scripts, local ones and approval scripts alike,
// before a runtime has looked for it.
func Interpreter(env config.Env) func() (string, error) {
	return (&sdkTree{command: interpreter(env)}).python
}

// interpreter is the command name of the Python of local scripts.
func interpreter(env config.Env) string {
	if name := env.Get("MINDROOM_PYTHON"); name != "" {
		return name
	}
	return "python3"
}
