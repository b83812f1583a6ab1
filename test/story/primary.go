package story

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
	"syscall"
	"time"

	"mindroom/test/tether"
)

// primary is the runtime of the story: the built binary as a process.
type primary struct {
	cmd  *exec.Cmd
	done <-chan struct{}
	api  string
	log  string
}

// startPrimary starts `mindroom run` and returns when it says that it is ready.
func startPrimary(ctx context.Context, o Options, homeserver string) (*primary, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	p := &primary{api: "http://127.0.0.1:" + strconv.Itoa(port), log: filepath.Join(o.Folder, "mindroom.log")}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return nil, err
	}
	defer log.Close()
	p.cmd = exec.Command(filepath.Join(o.Bin, "mindroom"), "run", "--config", filepath.Join(o.Folder, "config.yaml"),
		"--api-host", "127.0.0.1", "--api-port", strconv.Itoa(port))
	p.cmd.Env = append(os.Environ(),
		"MATRIX_HOMESERVER="+homeserver,
		"MINDROOM_STORAGE_PATH="+filepath.Join(o.Folder, "storage"),
		// The demo's scripts are its own and run on this machine.
		"MINDROOM_SANDBOX_EXECUTION_MODE=off",
	)
	p.cmd.Stdout, p.cmd.Stderr = log, log
	if p.done, err = tether.Start(p.cmd, syscall.SIGTERM, nil); err != nil {
		return nil, fmt.Errorf("start mindroom: %w", err)
	}
	if err := p.awaitReady(ctx); err != nil {
		return nil, errors.Join(err, p.stop())
	}
	return p, nil
}

func (p *primary) awaitReady(ctx context.Context) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, p.api+"/api/ready", nil)
		if err != nil {
			return err
		}
		if res, err := http.DefaultClient.Do(req); err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-tick.C:
		case <-p.done:
			return fmt.Errorf("mindroom ended before it was ready (%s); read %s", p.cmd.ProcessState, p.log)
		case <-ctx.Done():
			return fmt.Errorf("mindroom is not ready in time; read %s", p.log)
		}
	}
}

// stop ends the runtime in order and says how it ended.
func (p *primary) stop() error {
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-p.done:
		return p.ended()
	case <-time.After(40 * time.Second):
		_ = p.cmd.Process.Kill()
		<-p.done
		return errors.New("mindroom did not end in time and was killed")
	}
}

// ended is nil after an orderly end.
func (p *primary) ended() error {
	if !p.cmd.ProcessState.Success() {
		return fmt.Errorf("mindroom ended: %s", p.cmd.ProcessState)
	}
	return nil
}

func freePort() (int, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0, err
	}
	defer l.Close()
	return l.Addr().(*net.TCPAddr).Port, nil
}
