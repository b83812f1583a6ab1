package crash

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// primary is one start of the built binary.
type primary struct {
	cmd   *exec.Cmd
	ready chan struct{} // closed when it says so
	ended chan struct{}
}

// start starts `mindroom run` in the folder with more in its environment.
func start(folder string, env ...string) (*primary, error) {
	p := &primary{ready: make(chan struct{}), ended: make(chan struct{})}
	p.cmd = exec.Command(filepath.Join(bin, "mindroom"), "run", "--config", filepath.Join(folder, "config.yaml"),
		"--api-host", "127.0.0.1", "--api-port", "-1", "--log-format", "json", "--log-level", "info")
	p.cmd.Env = append(append(os.Environ(),
		"MINDROOM_STORAGE_PATH="+filepath.Join(folder, "storage"),
		// The scripts of these tests run on this machine.
		"MINDROOM_SANDBOX_EXECUTION_MODE=off",
	), env...)
	p.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	log, err := os.OpenFile(filepath.Join(folder, "mindroom.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	said, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	begun := make(chan error, 1)
	go func() {
		defer close(p.ended)
		defer log.Close()
		// The kernel ties the death signal to the thread that forked.
		runtime.LockOSThread()
		err := p.cmd.Start()
		begun <- err
		if err != nil {
			return
		}
		once := sync.OnceFunc(func() { close(p.ready) })
		for lines := bufio.NewReader(said); ; {
			line, err := lines.ReadBytes('\n')
			_, _ = log.Write(line)
			if bytes.Contains(line, []byte(`"msg":"ready"`)) {
				once()
			}
			if err != nil {
				break
			}
		}
		_ = p.cmd.Wait() // how it ended is judged by who waits
	}()
	return p, <-begun
}

// awaitReady waits until it answers messages. It is false when it ended before.
func (p *primary) awaitReady(ctx context.Context) (bool, error) {
	select {
	case <-p.ready:
		return true, nil
	case <-p.ended:
		return false, nil
	case <-ctx.Done():
		return false, fmt.Errorf("the primary is not ready: %w", context.Cause(ctx))
	}
}

// dies waits until it was killed.
func (p *primary) dies(ctx context.Context) error {
	select {
	case <-p.ended:
	case <-ctx.Done():
		return fmt.Errorf("the primary was not killed at its step: %w", context.Cause(ctx))
	}
	status, ok := p.cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		return fmt.Errorf("the primary ended by %s, not by SIGKILL", p.cmd.ProcessState)
	}
	return nil
}

func (p *primary) kill() {
	_ = p.cmd.Process.Kill() // it may be dead already
	<-p.ended
}

// stop ends it in order.
func (p *primary) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.ended:
	case <-time.After(40 * time.Second):
		p.kill()
		return errors.New("the primary did not stop in 40 seconds")
	}
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("the primary stopped with %s", p.cmd.ProcessState)
	}
	return nil
}
