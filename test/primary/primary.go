package primary

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"mindroom/test/tether"
)

// Primary is one start of the built binary.
type Primary struct {
	Cmd *exec.Cmd
	// Ready is closed when it says that agents answer.
	Ready chan struct{}
	// last is the end of what it said, complete when it is gone.
	last []string
	// Ended is closed when it is gone.
	Ended <-chan struct{}
}

// Start starts bin's `mindroom run` in a folder that holds a config.yaml, with more
// in its environment: its storage is folder/storage, its log folder/mindroom.log,
// to which it appends. The process dies with this one.
func Start(bin, folder string, env ...string) (*Primary, error) {
	p := &Primary{Ready: make(chan struct{})}
	p.Cmd = exec.Command(filepath.Join(bin, "mindroom"), "run", "--config", filepath.Join(folder, "config.yaml"),
		"--api-host", "127.0.0.1", "--api-port", "-1", "--log-format", "json", "--log-level", "info")
	p.Cmd.Env = append(append(os.Environ(),
		"MINDROOM_STORAGE_PATH="+filepath.Join(folder, "storage"),
		// The scripts of these tests run on this machine.
		"MINDROOM_SANDBOX_EXECUTION_MODE=off",
	), env...)
	log, err := os.OpenFile(filepath.Join(folder, "mindroom.log"), os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	said, err := p.Cmd.StderrPipe()
	if err != nil {
		return nil, errors.Join(err, log.Close())
	}
	p.Ended, err = tether.Start(p.Cmd, syscall.SIGKILL, func() {
		defer log.Close()
		once := sync.OnceFunc(func() { close(p.Ready) })
		for lines := bufio.NewReader(said); ; {
			line, err := lines.ReadBytes('\n')
			_, _ = log.Write(line)
			if len(line) > 0 {
				p.last = append(p.last[max(0, len(p.last)-9):], string(line))
			}
			if bytes.Contains(line, []byte(`"msg":"ready"`)) {
				once()
			}
			if err != nil {
				break
			}
		}
	})
	if err != nil {
		return p, errors.Join(err, log.Close())
	}
	return p, nil
}

// AwaitReady waits until it answers messages. It is false when it ended before.
func (p *Primary) AwaitReady(ctx context.Context) (bool, error) {
	select {
	case <-p.Ready:
		return true, nil
	case <-p.Ended:
		return false, nil
	case <-ctx.Done():
		return false, fmt.Errorf("the primary is not ready: %w", context.Cause(ctx))
	}
}

// Dies waits until it was killed.
func (p *Primary) Dies(ctx context.Context) error {
	select {
	case <-p.Ended:
	case <-ctx.Done():
		return fmt.Errorf("the primary was not killed at its step: %w", context.Cause(ctx))
	}
	status, ok := p.Cmd.ProcessState.Sys().(syscall.WaitStatus)
	if !ok || !status.Signaled() || status.Signal() != syscall.SIGKILL {
		return fmt.Errorf("the primary ended by %s, not by SIGKILL", p.Cmd.ProcessState)
	}
	return nil
}

// Kill ends it by SIGKILL and returns when it is gone.
func (p *Primary) Kill() {
	_ = p.Cmd.Process.Kill() // it may be dead already
	<-p.Ended
}

// Stop ends it in order.
func (p *Primary) Stop() error {
	_ = p.Cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.Ended:
	case <-time.After(40 * time.Second):
		p.Kill()
		return errors.New("the primary did not stop in 40 seconds")
	}
	if !p.Cmd.ProcessState.Success() {
		return fmt.Errorf("the primary stopped with %s; it said last:\n%s", p.Cmd.ProcessState, strings.Join(p.last, ""))
	}
	return nil
}
