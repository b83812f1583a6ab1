package hooks

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/excerpt"
	"mindroom/internal/supervise"
)

const (
	// maxTasks bounds the processes and threads of one program, where the kernel lets us.
	maxTasks = 256
	// maxNoise bounds what the log shows of a program's descriptor 2, in bytes.
	maxNoise = 1 << 10
	// endWithin bounds the wait for the proof that a program's tree is gone, before it is tried again.
	endWithin = 10 * time.Second
)

// run starts a program, gives it the event on descriptor 0 and reads its answer from descriptor 1. What is left of its tree when it has ended, or when
// ctx has, is ended too.
func (c *Configured) run(ctx context.Context, h config.ToolHook, event []byte) ([]byte, error) {
	argv, err := find(h.Run)
	if err != nil {
		return nil, err
	}
	tree, err := supervise.Start(ctx, supervise.Spec{Argv: argv, Env: c.env, Dir: h.Dir, Piped: true, MaxProcs: maxTasks, Grace: time.Millisecond})
	if err != nil {
		return nil, err
	}
	defer c.end(h, tree)
	talk := tree.Talk()
	stop := context.AfterFunc(ctx, func() { _ = talk.Close() })
	defer stop()
	var writing sync.WaitGroup
	defer writing.Wait()
	writing.Go(func() {
		// A program may answer without having read everything.
		_, _ = talk.Write(event)
		_ = talk.CloseWrite()
	})
	answer, err := io.ReadAll(io.LimitReader(talk, maxAnswer+1))
	if ctx.Err() == nil && len(answer) > maxAnswer {
		err = fmt.Errorf("it answered more than %d bytes", maxAnswer)
	}
	if err == nil {
		select {
		case <-tree.Exited():
		case <-ctx.Done():
			err = ctx.Err()
		}
	}
	if err != nil {
		_ = talk.Close() // whoever still writes is not waited for
		return nil, errors.Join(ctx.Err(), err)
	}
	return answer, c.judge(ctx, tree)
}

// judge is nil when the program ended well.
func (c *Configured) judge(ctx context.Context, tree *supervise.Process) error {
	select {
	case <-tree.Dead():
	case <-ctx.Done():
		return ctx.Err()
	}
	r, _ := tree.Record()
	if r.Exit.Code != nil && *r.Exit.Code == 0 {
		return nil
	}
	how := "ended in an unknown way"
	switch {
	case r.Exit.Signal != "":
		how = "was ended by " + r.Exit.Signal
	case r.Exit.Code != nil:
		how = fmt.Sprintf("ended with exit status %d", *r.Exit.Code)
	}
	// Secrets go before the cut: half a secret is not recognised any more.
	if said := strings.TrimSpace(c.Redactor.Redact(r.Tail)); said != "" {
		how += ": " + excerpt.Tail(said, maxNoise)
	}
	return errors.New("the program " + how)
}

// end ends what is left of a tree. The caller waits for what dies at once, which is everything but a process the kernel holds.
func (c *Configured) end(h config.ToolHook, tree *supervise.Process) {
	done := make(chan struct{})
	closing := func(ctx context.Context) error {
		defer close(done)
		for {
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), endWithin)
			err := tree.Close(ctx)
			cancel()
			if !errors.Is(err, supervise.ErrUnproven) {
				return nil
			}
			c.Log.Error("the program of a hook does not end", "hook", h.Name, "error", err)
		}
	}
	if !c.Run.Go("end of hook "+h.Name, closing) {
		_ = closing(context.Background())
		return
	}
	timer := time.NewTimer(time.Second)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// find makes the program's path absolute.
func find(run []string) ([]string, error) {
	if filepath.IsAbs(run[0]) {
		if info, err := os.Stat(run[0]); err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
			return nil, fmt.Errorf("%s is no program that can be run: make it executable: %w", run[0], errors.Join(err, exec.ErrNotFound))
		}
		return run, nil
	}
	path, err := exec.LookPath(run[0])
	if err == nil {
		path, err = filepath.Abs(path)
	}
	if err != nil {
		return nil, fmt.Errorf("find the program %s: %w", run[0], err)
	}
	return append([]string{path}, run[1:]...), nil
}
