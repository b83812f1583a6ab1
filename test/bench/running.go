package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// running is one primary from its exec on.
type running struct {
	cmd          *exec.Cmd
	began, ready time.Time
	log          *os.File
	ended        chan error
}

func (h house) start(ctx context.Context) (*running, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	log, err := os.OpenFile(filepath.Join(h.dir, "mindroom.log"), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return nil, err
	}
	p := &running{log: log, ended: make(chan error, 1)}
	p.cmd = exec.Command(filepath.Join(h.bin, "mindroom"), "run", "--config", filepath.Join(h.dir, "config.yaml"),
		"--api-host", "127.0.0.1", "--api-port", strconv.Itoa(port))
	p.cmd.Env = append(os.Environ(), "MATRIX_HOMESERVER="+h.homeserver.URL, "MINDROOM_STORAGE_PATH="+filepath.Join(h.dir, "storage"),
		"MINDROOM_SANDBOX_EXECUTION_MODE=off")
	p.cmd.Stdout, p.cmd.Stderr = log, log
	p.began = time.Now()
	if err := p.cmd.Start(); err != nil {
		return nil, errors.Join(err, log.Close())
	}
	go func() { p.ended <- p.cmd.Wait() }()
	within, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("not ready within %s", readyWithin))
	defer cancel()
	if err := p.awaitReady(within, fmt.Sprintf("http://127.0.0.1:%d/api/ready", port)); err != nil {
		err = fmt.Errorf("mindroom run: %w; its log ends: %s", err, h.lastLog())
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

// awaitReady asks often: what it misses is added to the figure.
func (p *running) awaitReady(ctx context.Context, url string) error {
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				p.ready = time.Now()
				return nil
			}
		}
		select {
		case <-tick.C:
		case err := <-p.ended:
			p.ended <- err
			return fmt.Errorf("it ended before it was ready (%v)", err)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// stop ends the primary in order.
func (p *running) stop() error {
	defer p.log.Close()
	_ = p.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case err := <-p.ended:
		return err
	case <-time.After(40 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.ended
		return errors.New("mindroom did not end within 40 seconds and was killed")
	}
}

func (h house) lastLog() string {
	raw, _ := os.ReadFile(filepath.Join(h.dir, "mindroom.log"))
	text := strings.TrimSpace(string(raw))
	return text[max(0, len(text)-500):]
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
