package main

import (
	"os"
	"strings"
	"testing"

	"mindroom/test/exits"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestScripts runs the built program against servers that play a part.
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("PATH", bin+string(os.PathListSeparator)+env.Getenv("PATH"))
			env.Values[deskKey{}] = new(*desk)
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			// serve FILE plays the exchanges of a file from now on, and says so in the environment.
			"serve": serve,
			// status N COMMAND... runs a command that must end with the exit status N.
			"status": exits.Status,
			// served ends the serving; everything that was expected must have been asked, and nothing else.
			"served": served,
		},
	})
}

type deskKey struct{}

func serve(ts *testscript.TestScript, _ bool, args []string) {
	d := open(ts.ReadFile(args[0]))
	ts.Defer(d.Close)
	*deskOf(ts) = d
	for _, pair := range d.environment() {
		name, value, _ := strings.Cut(pair, "=")
		ts.Setenv(name, value)
	}
}

// deskOf is where a script keeps its desk.
func deskOf(ts *testscript.TestScript) **desk { return ts.Value(deskKey{}).(**desk) }

func served(ts *testscript.TestScript, _ bool, _ []string) {
	if wrong := (*deskOf(ts)).end(); len(wrong) > 0 {
		ts.Fatalf("%s", strings.Join(wrong, "\n"))
	}
}
