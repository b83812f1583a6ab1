package control

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config/reload"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/script"
	"mindroom/internal/tool"
)

// fakeRuns is a run manager that remembers what it was asked.
type fakeRuns struct {
	runs []*script.Run
	err  error // what every request is refused with; nil: none

	all       bool
	limit     int
	force     bool
	offset    int64
	cancelled string
	trouble   map[identity.RunID]*script.Trouble
	// output answers a request for output; nil: at once, with nothing.
	output func(ctx context.Context, offset int64) (script.Output, error)
}

func (f *fakeRuns) Trouble(run identity.RunID) *script.Trouble { return f.trouble[run] }

func (f *fakeRuns) All(_ context.Context, all bool, limit int) ([]*script.Run, error) {
	f.all, f.limit = all, limit
	return f.runs, f.err
}

func (f *fakeRuns) Find(_ context.Context, id string) (*script.Run, error) {
	if f.err != nil {
		return nil, f.err
	}
	for _, r := range f.runs {
		if string(r.ID) == id {
			return r, nil
		}
	}
	return nil, &script.Error{Kind: script.KindNotFound, Message: "no such run: list them with mindroom scripts list"}
}

func (f *fakeRuns) Standing(context.Context, identity.RunID) (script.Standing, error) {
	return script.Standing{}, nil
}

func (f *fakeRuns) Output(ctx context.Context, _ *script.Run, offset int64) (script.Output, error) {
	f.offset = offset
	if f.output == nil {
		return script.Output{}, nil
	}
	return f.output(ctx, offset)
}

func (f *fakeRuns) CancelAny(ctx context.Context, id string, force bool) (*script.Run, error) {
	r, err := f.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	f.cancelled, f.force = id, force
	r.State, r.Reason = script.Cancelled, "operator"
	return r, nil
}

// run is a run as a manager would have it.
func run(name string) *script.Run {
	code := 3
	return &script.Run{
		ID: identity.NewRunID(), Name: name, Who: identity.InThread("watcher", "@anna:example.org", "!ops:example.org", "$root"),
		Grants: []tool.Name{{Toolkit: "granted_kit", Function: "do_it"}},
		State:  script.Exited, ExitCode: &code, Error: strings.Repeat("no! ", 1000), CreatedAt: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), MaxRuntime: time.Hour,
	}
}

// deep is a control state folder whose socket has a path that no Unix socket
// may have.
func deep(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), strings.Repeat("a-long-name/", 12))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if n := len(filepath.Join(dir, socketName)); n <= 108 {
		t.Fatalf("the socket's path has %d bytes only", n)
	}
	return dir
}

// serve answers for runs in dir until the test ends, or until stop is called.
func serve(t *testing.T, dir string, runs Runs) (stop func()) {
	t.Helper()
	s, err := Listen(dir, runs, func() reload.Standing { return reload.Standing{Number: 7, Fault: "config.yaml:1:1: wrong"} })
	if err != nil {
		t.Fatal(err)
	}
	group := lifecycle.New(context.Background())
	group.Go("control", s.Serve)
	stopped := false
	stop = func() {
		if stopped {
			return
		}
		stopped = true
		if err := errors.Join(s.Shutdown(context.Background()), group.Wait()); err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(stop)
	return stop
}

func client(t *testing.T, dir string) *Client {
	t.Helper()
	c := NewClient(dir)
	t.Cleanup(c.Close)
	return c
}
