//go:build linux

package guard

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"mindroom/internal/supervise/contain"
	"mindroom/internal/supervise/proc"
	"mindroom/internal/supervise/wire"
)

// prepare makes everything that must exist before the first process of the tree does, above all the record of where to find it.
func (g *guard) prepare() error {
	var err error
	if g.self, err = proc.Self(); err != nil {
		return err
	}
	if g.out, err = newOutput(g.spec.TailBytes); err != nil {
		return err
	}
	// The notes say why it is not better; doctor tells them, by the same code, where somebody reads them.
	g.group, _ = contain.Create(g.id, g.spec.MaxLevel, g.spec.MaxProcs > 0)
	return g.remember()
}

// remember writes supervisor.json, when there is a folder for it.
func (g *guard) remember() error {
	if g.dir == "" {
		return nil
	}
	boot, err := proc.BootID()
	if err != nil {
		return err
	}
	ns, err := proc.Namespace()
	if err != nil {
		return err
	}
	return g.dir.WriteIdentity(wire.Identity{
		Protocol: wire.Protocol, ID: g.id, Boot: boot, Namespace: ns, Supervisor: g.self, Leader: g.leader, StartedAt: g.started, Group: g.group, Tree: g.tree,
	})
}

// launch starts the leader. When the group would not take it, it is started again without one rather than not at all.
func (g *guard) launch() error {
	if fi, err := os.Stat(g.spec.Dir); err != nil || !fi.IsDir() {
		return fmt.Errorf("working directory %s cannot be used: %w", g.spec.Dir, errors.Join(err, unix.ENOTDIR))
	}
	files, closeAll, err := g.files()
	if err != nil {
		return err
	}
	defer closeAll()
	pid, err := g.fork(files)
	if err != nil && pid == 0 && g.group.Holds() {
		if err := g.group.Remove(); err != nil {
			return err
		}
		g.group = contain.Group{Level: contain.LevelSubreaper}
		if err := g.remember(); err != nil {
			return err
		}
		pid, err = g.fork(files)
	}
	if pid == 0 {
		return fmt.Errorf("start %s: %w", g.spec.Argv[0], err)
	}
	if err != nil { // it runs, but our own thread is still in its v1 groups: they must not be frozen, and would never look empty
		g.talk.note(err)
		g.group.Freezer, g.group.Pids = "", ""
		if g.group.V2 == "" {
			g.group.Level = contain.LevelSubreaper
		}
	}
	g.started = wire.Now()
	s, err := proc.Read(pid)
	if err != nil { // not reaped, so it is there; /proc is not
		return errors.Join(fmt.Errorf("identify leader: %w", err), unix.Kill(pid, unix.SIGKILL))
	}
	g.leader = s.Ident
	g.limit = g.bound()
	return nil
}

// fork returns the leader's pid, or 0 when there is none. An error beside a pid says that the group is not usable as it was meant.
func (g *guard) fork(files []uintptr) (int, error) {
	pid := 0
	attr := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	env := append(append(make([]string, 0, len(g.spec.Env)+1), g.spec.Env...), wire.MarkerName+"="+g.id)
	err := g.group.Launch(attr, func() error {
		var err error
		pid, err = syscall.ForkExec(g.spec.Argv[0], g.spec.Argv, &syscall.ProcAttr{Dir: g.spec.Dir, Env: env, Files: files, Sys: attr})
		if err != nil {
			pid = 0
		}
		return err
	})
	return pid, err
}

// files opens the leader's descriptors 0, 1, 2 and, with a text, 3. The returned function closes the supervisor's copies.
func (g *guard) files() ([]uintptr, func(), error) {
	var open []*os.File
	closeAll := func() {
		for _, f := range open {
			_ = f.Close() // copies; the leader has its own
		}
	}
	w := g.out.takeWriteEnd()
	open = append(open, w)
	var in, answers *os.File
	if g.spec.Piped {
		in, answers = os.NewFile(PipeInFD, "pipe in"), os.NewFile(PipeOutFD, "pipe out")
		open = append(open, in, answers)
	} else {
		var err error
		if in, err = input("stdin", g.spec.Stdin); err != nil {
			closeAll()
			return nil, nil, err
		}
		open = append(open, in)
		answers = w
	}
	fds := []uintptr{in.Fd(), answers.Fd(), w.Fd()}
	if g.spec.Text != nil {
		text, err := input("text", g.spec.Text)
		if err != nil {
			closeAll()
			return nil, nil, err
		}
		open = append(open, text)
		fds = append(fds, text.Fd())
	}
	return fds, closeAll, nil
}

// input is a file in memory that holds b, or /dev/null for nil.
func input(name string, b []byte) (*os.File, error) {
	if b == nil {
		return os.Open(os.DevNull)
	}
	fd, err := unix.MemfdCreate(name, unix.MFD_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	f := os.NewFile(uintptr(fd), name)
	if _, err := f.Write(b); err != nil {
		return nil, errors.Join(fmt.Errorf("fill %s: %w", name, err), f.Close())
	}
	if _, err := f.Seek(0, 0); err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return f, nil
}

// bound limits the number of tasks by the best means there is and says which.
func (g *guard) bound() contain.Limit {
	if g.spec.MaxProcs == 0 {
		return contain.LimitNone
	}
	if g.group.Bound(g.spec.MaxProcs) == nil {
		return contain.LimitPids
	}
	if !g.spec.OwnUser || os.Getuid() == 0 {
		return contain.LimitNone
	}
	others, err := proc.TasksOf(os.Getuid())
	if err != nil {
		return contain.LimitNone
	}
	n := uint64(others + g.spec.MaxProcs)
	if unix.Prlimit(g.leader.Pid, unix.RLIMIT_NPROC, &unix.Rlimit{Cur: n, Max: n}, nil) != nil {
		return contain.LimitNone
	}
	return contain.LimitNproc
}
