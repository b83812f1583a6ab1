package agentcli

import (
	"context"
	"errors"
	"io"

	"mindroom/internal/agentcli/http1"
)

// World is what a process has.
type World struct {
	// Args are the words behind the program's name.
	Args   []string
	Getenv func(string) string
	Stdin  io.Reader
	Stdout io.Writer
	Stderr io.Writer
	// Slow, unless nil, is called, once or more, before the order waits for anything longer than a moment. Listening for signals is for
	// then: it would cost a call that is answered at once a tenth of its time.
	Slow func()
}

// Run carries out one command line and returns its exit status. When ctx ends, so does waiting: with the last receipt that is
// known, else with ExitUnknown.
func Run(ctx context.Context, w World) int {
	if text, ok := help(w.Args); ok {
		return w.print([]byte(text), ExitDone)
	}
	if len(w.Args) == 1 && w.Args[0] == "--build-id" {
		return w.print([]byte(Build+"\n"), ExitDone)
	}
	o, err := parse(w.Args)
	var usage *usageError
	if errors.As(err, &usage) {
		w.tell(usage.text)
		w.tell(usage.of.seeHelp())
		return w.print(append(errorDocument("Invalid CLI arguments", "", "", usage.text), '\n'), ExitInvalid)
	}
	if o.spec.action == "call" && o.callID == "" && !o.dryRun {
		o.callID = newUUID()
	}
	d, f := w.carryOut(ctx, o)
	if f != nil {
		w.tell(f.text)
		if f.hint != "" {
			w.tell(f.hint)
		}
		return w.print(append(errorDocument(f.text, o.callID, f.code, f.hint), '\n'), f.exit)
	}
	out := d.body
	if o.result && !pending(d.status) {
		out = d.alone()
	}
	return w.print(append(out, '\n'), exitOf(d.status))
}

func (w World) carryOut(ctx context.Context, o order) (document, *failure) {
	c := &client{ctx: ctx, stdin: w.Stdin, note: w.tell, slow: w.Slow}
	if c.slow == nil {
		c.slow = func() {}
	}
	defer c.http.Close()
	var missing *failure
	c.authority, missing = readAuthority(w.Getenv)
	c.http = http1.Client{Origin: c.authority.origin, Slow: w.Slow}
	if missing != nil {
		// Arguments that cannot be read are the more useful news: they are wrong everywhere.
		if _, f := arguments(o.given, w.Stdin); f != nil {
			return document{}, f
		}
		return document{}, missing
	}
	return o.spec.run(c, o)
}

// tell says a line to a person. Standard error may be closed, and nothing can be said about that.
func (w World) tell(text string) {
	_, _ = io.WriteString(w.Stderr, "mindroom-agent: "+printable(text)+"\n")
}

// print writes the answer and gives the exit status, which is ExitUnknown when nobody could read it.
func (w World) print(out []byte, status int) int {
	if _, err := w.Stdout.Write(out); err != nil {
		w.tell("cannot write the answer to standard output: " + err.Error())
		return ExitUnknown
	}
	return status
}
