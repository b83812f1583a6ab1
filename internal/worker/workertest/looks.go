package workertest

import (
	"strings"
	"testing"

	"mindroom/internal/identity"
)

// What a program writes, on both channels, is read in order while it runs, from
// any place, and its tail after it ended.
func testOutput(t *testing.T, p Place) {
	r := begin(t, p, `echo one; echo two >&2; sleep 600`)
	r.wrote("one\ntwo\n")
	tail, err := r.backend.Output(within(t), r.spec.Run, r.spec.Folder, -1)
	if err != nil || tail.Text != "one\ntwo\n" || tail.Offset != 0 || tail.Total != 8 {
		t.Errorf("the tail is %+v, %v", tail, err)
	}
	from, err := r.backend.Output(within(t), r.spec.Run, r.spec.Folder, 4)
	if err != nil || from.Text != "two\n" || from.Offset != 4 {
		t.Errorf("from 4: %+v, %v", from, err)
	}
	if _, err := r.backend.Output(expired(t), r.spec.Run, r.spec.Folder, 8); err == nil {
		t.Error("there is nothing more, and no error either")
	}
	exit := r.end(false)
	if !strings.HasPrefix(exit.Output, "one\ntwo\n") {
		t.Errorf("the output is lost: %q", exit.Output)
	}
	after, err := r.backend.Output(within(t), r.spec.Run, r.spec.Folder, -1)
	if err != nil || after.Text != exit.Output {
		t.Errorf("after the end: %+v, %v", after, err)
	}
}

// Of a run it never heard of a backend knows nothing.
func testUnknown(t *testing.T, p Place) {
	b := p.New(t)
	id := identity.NewRunID()
	if b.Ended(id) != nil {
		t.Error("it would tell of the end of a run it does not know")
	}
	if exit, ok := b.Exit(id); ok {
		t.Errorf("it knows how that ended: %+v", exit)
	}
	if out, err := b.Output(within(t), id, p.Folder(t), -1); err == nil {
		t.Errorf("it knows what that wrote: %+v", out)
	}
	b.Forget(id)
}

// What is forgotten is unknown, and forgetting twice is forgetting once.
func testForget(t *testing.T, p Place) {
	r := begin(t, p, `echo done`)
	r.ended()
	r.backend.Forget(r.spec.Run)
	r.backend.Forget(r.spec.Run)
	if r.backend.Ended(r.spec.Run) != nil {
		t.Error("a forgotten run is known")
	}
	if _, ok := r.backend.Exit(r.spec.Run); ok {
		t.Error("the end of a forgotten run is known")
	}
}
