package workertest

import (
	"context"
	"strings"
	"testing"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/worker"
)

// run is one process under test.
type run struct {
	t       *testing.T
	p       Place
	backend worker.Backend
	spec    worker.Spec
	handle  worker.Handle
	mark    string
}

// specify makes the Spec of a shell program; the program's tree is recognised by
// a mark in its environment.
func specify(t *testing.T, p Place, program string) *run {
	t.Helper()
	id := identity.NewRunID()
	mark := "MARK=" + string(id)
	return &run{t: t, p: p, mark: mark, spec: worker.Spec{
		Run: id, Key: identity.WorkerKey("script:local:" + string(id)), Folder: p.Folder(t), Dir: p.Dir(t),
		Argv: []string{"/bin/sh", "-c", program}, Env: []string{"PATH=/usr/bin:/bin", mark}, Deadline: time.Hour,
	}}
}

// begin starts a program in a backend of its own.
func begin(t *testing.T, p Place, program string) *run {
	t.Helper()
	r := specify(t, p, program)
	r.backend = p.New(t)
	r.start()
	return r
}

func (r *run) start() {
	r.t.Helper()
	h, err := r.backend.Start(within(r.t), r.spec)
	if err != nil {
		r.t.Fatalf("start: %v", err)
	}
	if h.Backend != r.backend.Name() || h.Version < 1 {
		r.t.Errorf("the handle is of backend %q, version %d", h.Backend, h.Version)
	}
	r.handle = h
}

// wrote waits until the program wrote text.
func (r *run) wrote(text string) {
	r.t.Helper()
	ctx := within(r.t)
	var all string
	for at := int64(0); !strings.Contains(all, text); {
		out, err := r.backend.Output(ctx, r.spec.Run, r.spec.Folder, at)
		if err != nil {
			r.t.Fatalf("it wrote %q and not %q: %v", all, text, err)
		}
		all += out.Text
		at = out.Offset + int64(len(out.Text))
	}
}

// ended waits for the end and returns it.
func (r *run) ended() worker.Exit {
	r.t.Helper()
	select {
	case <-r.backend.Ended(r.spec.Run):
	case <-within(r.t).Done():
		r.t.Fatal("it never ended")
	}
	exit, ok := r.backend.Exit(r.spec.Run)
	if !ok {
		r.t.Fatal("it has ended, and nobody knows how")
	}
	return exit
}

// end asks for the end.
func (r *run) end(graceful bool) worker.Exit {
	r.t.Helper()
	exit, err := r.backend.End(within(r.t), r.spec.Run, r.spec.Folder, r.handle, graceful)
	if err != nil {
		r.t.Fatalf("end: %v", err)
	}
	return exit
}

// gone holds that an end is only ever told when nothing is left.
func (r *run) gone() {
	r.t.Helper()
	if n := r.p.Alive(r.t, r.mark); n != 0 {
		r.t.Errorf("%d processes are left", n)
	}
}

func (r *run) lives() {
	r.t.Helper()
	if r.p.Alive(r.t, r.mark) == 0 {
		r.t.Error("no process is left")
	}
}

// is compares an end with what is expected; a nil code is not looked at.
func (r *run) is(exit worker.Exit, cause worker.Cause, code *int) {
	r.t.Helper()
	if exit.Cause != cause {
		r.t.Errorf("the cause is %s, not %s", exit.Cause, cause)
	}
	if code != nil && (exit.Code == nil || *exit.Code != *code) {
		r.t.Errorf("the code is %v, not %d", exit.Code, *code)
	}
	if exit.At.IsZero() || time.Since(exit.At) > patience || time.Until(exit.At) > time.Minute {
		r.t.Errorf("it ended at %v", exit.At)
	}
}

func number(n int) *int { return &n }

// expired is a context that has ended.
func expired(t *testing.T) context.Context {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	return ctx
}
