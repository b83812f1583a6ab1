package main

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"mindroom/test/exits"
	"mindroom/test/past"
)

func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			home := filepath.Join(env.WorkDir, "home")
			env.Setenv("HOME", home)
			env.Setenv("TERM", "xterm")
			return os.MkdirAll(home, 0o700)
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// status N COMMAND... runs a command that must end with the exit status N.
			"status": exits.Status,
			// runtime FOLDER serves a control socket there until the script ends.
			"runtime": serveControl,
			// past FOLDER writes a database there, with ids in RUN, WOKEN and CALL.
			"past": writePast,
			// output NAME TEXT makes a run write a line.
			"output": func(ts *testscript.TestScript, _ bool, args []string) { houseOf(ts).write(args[0], args[1]) },
			// finish NAME ends a run with the exit code 3.
			"finish": func(ts *testscript.TestScript, _ bool, args []string) { houseOf(ts).finish(args[0]) },
			// followed NAME waits until somebody waits for more of its output.
			"followed": func(ts *testscript.TestScript, _ bool, args []string) { houseOf(ts).awaitFollower(ts, args[0]) },
		},
	})
}

func writePast(ts *testscript.TestScript, _ bool, args []string) {
	folder := ts.MkAbs(args[0])
	ts.Check(os.MkdirAll(folder, 0o700))
	s, err := past.Write(context.Background(), folder)
	ts.Check(err)
	ts.Setenv("RUN", string(s.Run))
	ts.Setenv("WOKEN", s.Woken)
	ts.Setenv("CALL", s.Done.ID)
}
