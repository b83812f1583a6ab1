package control

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mindroom/internal/identity"
	"mindroom/internal/script"
)

func TestList(t *testing.T) {
	t.Parallel()
	first, second := run("first"), run("")
	second.State, second.ExitCode = script.Running, nil
	stuck := &script.Trouble{What: "its folder cannot be removed", Restore: "make it writable"}
	runs := &fakeRuns{runs: []*script.Run{first, second}, trouble: map[identity.RunID]*script.Trouble{second.ID: stuck}}
	dir := deep(t)
	serve(t, dir, runs)
	got, err := client(t, dir).List(t.Context(), true, 25)
	if err != nil {
		t.Fatal(err)
	}
	if !runs.all || runs.limit != 25 {
		t.Errorf("the manager was asked for all %v, limit %d", runs.all, runs.limit)
	}
	for i := range got {
		if !bytes.Contains(got[i].Raw, []byte(`"thread_id":"$root"`)) {
			t.Errorf("run %d is listed as %s", i, got[i].Raw)
		}
		if n := len(got[i].Error); n == 0 || n >= len(first.Error) {
			t.Errorf("a list has %d bytes of an error of %d", n, len(first.Error))
		}
		got[i].Raw, got[i].Error = nil, first.Error
	}
	want := []Run{shown(first), shown(second)}
	want[1].Trouble = stuck
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	runs.runs = nil
	if got, err := client(t, dir).List(t.Context(), false, 0); err != nil || len(got) != 0 || runs.all || runs.limit != 0 {
		t.Errorf("no runs are listed as %v, %v", got, err)
	}
}

// shown is r as a command shows it.
func shown(r *script.Run) Run {
	return Run{
		ID: string(r.ID), Agent: "watcher", Name: r.Name, State: string(r.State), Mode: "worker", Created: r.CreatedAt, ExitCode: r.ExitCode, Error: r.Error,
		Requester: "@anna:example.org", Room: "!ops:example.org",
	}
}

func TestShow(t *testing.T) {
	t.Parallel()
	r := run("first")
	dir := deep(t)
	serve(t, dir, &fakeRuns{runs: []*script.Run{run("other"), r}})
	got, err := client(t, dir).Show(t.Context(), string(r.ID))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(got.Raw, []byte("granted_kit")) {
		t.Errorf("the whole object is not in %s", got.Raw)
	}
	got.Raw = nil
	if diff := cmp.Diff(shown(r), got); diff != "" {
		t.Errorf("shown (-want +got):\n%s", diff)
	}
}

func TestCancel(t *testing.T) {
	t.Parallel()
	for _, force := range []bool{false, true} {
		r := run("first")
		runs := &fakeRuns{runs: []*script.Run{r}}
		dir := deep(t)
		serve(t, dir, runs)
		got, err := client(t, dir).Cancel(t.Context(), string(r.ID), force)
		if err != nil || got.State != string(script.Cancelled) {
			t.Errorf("cancelled as %+v, %v", got, err)
		}
		if runs.cancelled != string(r.ID) || runs.force != force {
			t.Errorf("the manager was told to cancel %s, force %v", runs.cancelled, runs.force)
		}
	}
}

// TestRefusals holds that each request carries the manager's kind and sentence
// to the one who asked.
func TestRefusals(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		err        error
		kind, says string
	}{
		"no such run":   {nil, "not_found", "list them with"},
		"still alive":   {&script.Error{Kind: script.KindUnconfirmed, Message: "its processes could not be confirmed dead; try again"}, "termination_unconfirmed", "try again"},
		"inside a call": {errors.New("disk full"), "internal", "disk full"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := deep(t)
			serve(t, dir, &fakeRuns{err: c.err})
			cl := client(t, dir)
			id := string(identity.NewRunID())
			for what, ask := range map[string]func() error{
				"show":   func() error { _, err := cl.Show(t.Context(), id); return err },
				"cancel": func() error { _, err := cl.Cancel(t.Context(), id, false); return err },
				"output": func() error { _, err := cl.Output(t.Context(), id, 0); return err },
			} {
				var refusal *Refusal
				if err := ask(); !errors.As(err, &refusal) || refusal.Kind != c.kind || !strings.Contains(err.Error(), c.says) {
					t.Errorf("%s was answered with %v", what, err)
				}
			}
			if _, err := cl.List(t.Context(), true, 0); c.err != nil {
				var refusal *Refusal
				if !errors.As(err, &refusal) || refusal.Kind != c.kind {
					t.Errorf("list was answered with %v", err)
				}
			}
		})
	}
}

// An id is one piece of a path whatever is written in it.
func TestStrangeIDs(t *testing.T) {
	t.Parallel()
	dir := deep(t)
	serve(t, dir, &fakeRuns{runs: []*script.Run{run("first")}})
	cl := client(t, dir)
	for _, id := range []string{"../runs", "a/b", "a?b=c", "a%2fb", " ", "script-1#x", "ü"} {
		var refusal *Refusal
		if _, err := cl.Show(t.Context(), id); !errors.As(err, &refusal) || refusal.Kind != "not_found" {
			t.Errorf("%q was answered with %v", id, err)
		}
	}
}

// How the configuration stands comes as it is.
func TestConfiguration(t *testing.T) {
	t.Parallel()
	dir := deep(t)
	serve(t, dir, &fakeRuns{})
	got, err := client(t, dir).Configuration(t.Context())
	if err != nil || got.Number != 7 || got.Fault != "config.yaml:1:1: wrong" {
		t.Errorf("the configuration stands as %+v, %v", got, err)
	}
}
