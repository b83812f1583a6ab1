package homeserver

import (
	"context"
	"crypto/rand"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"mindroom/internal/person"
	"mindroom/test/tether"
)

// Options of one server. The zero value is a throw-away server on a free port.
type Options struct {
	// Dir holds database, keys, media and log. Empty: a temporary folder, in
	// memory where the system has room for it, removed by Stop. A folder that
	// is given is kept and can be started again.
	Dir string
	// ServerName is what follows the colon in ids; empty means "localhost".
	ServerName string
	// Port on loopback; 0 means a free one.
	Port int
	// Progress gets lines for a person while the server is built; may be nil.
	Progress func(string)
}

// Server is a running homeserver.
type Server struct {
	// URL is the client API's base, without a trailing slash.
	URL string
	// ServerName is the domain part of its ids.
	ServerName string
	// Log is the path of its log file.
	Log string
	// RegistrationSecret makes accounts by shared secret; anew at each start.
	RegistrationSecret string

	dir     string
	keepDir bool
	cmd     *exec.Cmd
	exited  <-chan struct{}
	shield  *shield
	stop    sync.Once
}

// readyWithin bounds the time from exec to the first answer.
const readyWithin = 60 * time.Second

// Start builds the homeserver when needed, starts it and returns when it
// answers. ctx bounds the start only; the server runs until Stop.
func Start(ctx context.Context, o Options) (*Server, error) {
	bin, err := Build(ctx, o.Progress)
	if err != nil {
		return nil, err
	}
	s := &Server{ServerName: o.ServerName, dir: o.Dir, keepDir: o.Dir != "", RegistrationSecret: rand.Text()}
	if s.ServerName == "" {
		s.ServerName = "localhost"
	}
	if s.keepDir {
		s.dir, err = filepath.Abs(o.Dir)
		if err == nil {
			err = os.MkdirAll(s.dir, 0o700)
		}
	} else {
		s.dir, err = os.MkdirTemp(memoryDir(), "mindroom-homeserver-")
	}
	if err != nil {
		return nil, fmt.Errorf("homeserver folder: %w", err)
	}
	// Another process can take a free port between our look and the server's
	// bind; the third try on a third port is enough of an answer to that.
	for try := 1; ; try++ {
		err = s.start(ctx, bin, o.Port)
		if err == nil {
			return s, nil
		}
		if try == 3 || o.Port != 0 || ctx.Err() != nil {
			s.removeDir()
			return nil, err
		}
	}
}

func (s *Server) start(ctx context.Context, bin string, port int) error {
	config, err := writeConfig(s.dir, s.ServerName, s.RegistrationSecret)
	if err != nil {
		return err
	}
	addr, err := freeAddr()
	if err != nil {
		return err
	}
	s.Log = filepath.Join(s.dir, "homeserver.log")
	log, err := os.OpenFile(s.Log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o600)
	if err != nil {
		return fmt.Errorf("homeserver log: %w", err)
	}
	defer log.Close() // the child keeps its own copy
	s.cmd = exec.Command(bin, "-config", config, "-http-bind-address", addr, "--really-enable-open-registration")
	s.cmd.Dir, s.cmd.Stdout, s.cmd.Stderr = s.dir, log, log
	if s.exited, err = tether.Start(s.cmd, syscall.SIGKILL, nil); err != nil {
		return fmt.Errorf("start homeserver: %w", err)
	}
	if err := s.awaitReady(ctx, addr); err != nil {
		s.kill()
		b, _ := os.ReadFile(s.Log)
		return fmt.Errorf("homeserver on %s: %w; end of its log:\n%s", addr, err, tail(b, 2<<10))
	}
	l, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		s.kill()
		return fmt.Errorf("homeserver port: %w", err)
	}
	s.URL, s.shield = "http://"+l.Addr().String(), raise(l, addr)
	return nil
}

// awaitReady asks for the versions until there is an answer. It polls because
// the server tells nobody when it is ready.
func (s *Server) awaitReady(ctx context.Context, addr string) error {
	ctx, cancel := context.WithTimeoutCause(ctx, readyWithin, fmt.Errorf("no answer within %s", readyWithin))
	defer cancel()
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	t := time.NewTicker(50 * time.Millisecond)
	defer t.Stop()
	for {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+addr+"/_matrix/client/versions", nil)
		if err != nil {
			return err
		}
		if resp, err := client.Do(req); err == nil {
			resp.Body.Close()
			if resp.StatusCode == http.StatusOK {
				return nil
			}
		}
		select {
		case <-t.C:
		case <-s.exited:
			return fmt.Errorf("it exited: %s", s.cmd.ProcessState)
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Stop kills the server, waits for its end and removes a temporary folder. It
// may be called more than once.
func (s *Server) Stop() {
	s.stop.Do(func() {
		s.kill()
		s.shield.lower()
		s.removeDir()
	})
}

func (s *Server) kill() {
	// An error means that it is gone already.
	_ = s.cmd.Process.Kill()
	<-s.exited
}

func (s *Server) removeDir() {
	if !s.keepDir {
		_ = os.RemoveAll(s.dir)
	}
}

// Register makes a new account and returns its client, which the caller
// closes.
func (s *Server) Register(ctx context.Context, user, password string) (*person.Client, error) {
	return person.Register(ctx, s.URL, user, password)
}

func freeAddr() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", fmt.Errorf("homeserver port: %w", err)
	}
	defer l.Close()
	return l.Addr().String(), nil
}

// memoryDir is a folder in memory with room for a server, else "" (the system's
// own temporary folder): Dendrite syncs each message to disk, which on a real
// disk is most of the time a message takes.
func memoryDir() string {
	const shm, room = "/dev/shm", 256 << 20
	var fs syscall.Statfs_t
	if err := syscall.Statfs(shm, &fs); err != nil || fs.Bavail*uint64(fs.Bsize) < room {
		return ""
	}
	probe, err := os.MkdirTemp(shm, "mindroom-probe-")
	if err != nil {
		return ""
	}
	_ = os.Remove(probe)
	return shm
}
