package supervise

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"syscall"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/supervise/rundir"
	"mindroom/internal/supervise/wire"
)

// Start starts a tree under a supervisor of its own and returns when its leader runs. An error is always an *Error, and after one nothing runs: if ctx ends
// in between, what was started is ended and awaited first. ctx does not bound the tree's life.
func Start(ctx context.Context, spec Spec) (*Process, error) {
	if runtime.GOOS != "linux" {
		return nil, unsupported()
	}
	if err := spec.Check(); err != nil {
		return nil, &Error{Kind: KindInvalidSpec, Text: "process cannot be started", Err: err}
	}
	spec = spec.WithDefaults()
	path, err := Locate()
	if err != nil {
		return nil, err
	}
	files, err := openFiles(rundir.Dir(spec.RunDir))
	if err != nil {
		return nil, err
	}
	p, err := spawn(path, newName(), spec, files)
	if err != nil {
		return nil, startFailed(errors.Join(err, files.closeAll()))
	}
	if err := p.begin(ctx, spec); err != nil {
		return nil, err
	}
	return p, nil
}

func startFailed(err error) *Error {
	return &Error{Kind: KindStartFailed, Text: "process was not started", Err: err}
}

// files are what a supervisor inherits beside its socket.
type files struct{ out, lock, crash *os.File }

// openFiles makes them in the run folder, or in memory when there is none.
func openFiles(dir rundir.Dir) (files, error) {
	var f files
	var err error
	if dir == "" {
		if f.out, err = memoryFile("output"); err != nil {
			return f, startFailed(err)
		}
		f.crash, err = os.OpenFile(os.DevNull, os.O_WRONLY, 0)
	} else {
		if err = dir.Make(); err == nil {
			f.lock, err = dir.Lock(true)
		}
		if err == nil {
			f.out, err = dir.NewOutput()
		}
		if err == nil {
			f.crash, err = dir.NewCrash()
		}
	}
	if err == nil {
		return f, nil
	}
	err = errors.Join(err, f.closeAll())
	if errors.Is(err, fs.ErrExist) || errors.Is(err, rundir.ErrLocked) {
		return files{}, &Error{Kind: KindRunDirUsed, Text: fmt.Sprintf("run folder %s was used before; each run needs its own", dir), Err: err}
	}
	return files{}, startFailed(err)
}

// closeAll closes what is open; closing the lock here does not let it go once a supervisor inherited it.
func (f files) closeAll() error {
	var errs []error
	for _, g := range []*os.File{f.out, f.lock, f.crash} {
		if g != nil {
			errs = append(errs, g.Close())
		}
	}
	return errors.Join(errs...)
}

// spawn executes the supervisor and its Process's goroutine. On success the files belong to the Process.
func spawn(path, id string, spec Spec, f files) (*Process, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
	if err != nil {
		return nil, errors.Join(err, ours.Close())
	}
	defer null.Close()
	inherited := []*os.File{null, null, f.crash, theirs, f.out}
	var t talk
	switch {
	case spec.Piped:
		if t, err = newTalk(); err != nil {
			return nil, errors.Join(err, ours.Close())
		}
		defer t.closeTheirs()
		inherited = append(inherited, f.lock, t.theirIn, t.theirOut) // without a lock its place stays empty
	case f.lock != nil:
		inherited = append(inherited, f.lock)
	}
	sup, err := os.StartProcess(path, []string{binaryName}, &os.ProcAttr{
		Dir:   "/",
		Env:   append(step.Inherited(), "GOMAXPROCS=2"), // it never has more than two things to do
		Files: inherited,
		Sys:   &syscall.SysProcAttr{Setsid: true},
	})
	if err != nil {
		return nil, errors.Join(fmt.Errorf("start %s: %w", path, err), ours.Close(), t.Close())
	}
	p := newProcess(id, spec, ours, f.out, sup)
	p.talk = t
	if err := (files{lock: f.lock, crash: f.crash}).closeAll(); err != nil {
		p.note(err)
	}
	p.wg.Go(p.pump)
	return p, nil
}

// begin hands the Spec over and waits for the leader.
func (p *Process) begin(ctx context.Context, spec Spec) error {
	err := p.send(ctx, wire.Start{Protocol: wire.Protocol, Build: wire.Build, ID: p.id, Spec: spec})
	if err == nil {
		err = p.await(ctx, func(s wire.State) bool { return s.Refused != "" || (s.Phase != "" && s.Phase != wire.PhaseStarting) })
	}
	s := p.latest()
	switch {
	case s.Refused != "" || (s.Protocol != 0 && (s.Protocol != wire.Protocol || s.Build != wire.Build)):
		p.abort()
		return &Error{Kind: KindWrongBuild, Text: "mindroom-supervise does not fit this program; install both from the same build", Err: errors.New(s.Refused)}
	case s.Record != nil && s.Record.Cause == wire.CauseStartFailed:
		p.abort()
		e := startFailed(errors.New(s.Record.Error))
		e.Record = s.Record
		return e
	case err != nil:
		p.abort()
		return startFailed(err)
	}
	return nil
}

// abort ends a supervisor whose Process nobody will get, and waits until that is proven.
func (p *Process) abort() {
	// It may have ended by itself; the goroutine tells.
	_ = p.sup.Signal(syscall.SIGCONT)
	_ = p.sup.Signal(syscall.SIGTERM)
	p.hangUp()
	p.wg.Wait()
	p.giveUp()
	_ = p.talk.Close()
	_ = p.out.Close()
}
