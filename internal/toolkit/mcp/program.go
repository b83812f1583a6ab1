package mcp

import (
	"context"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"mindroom/internal/supervise"
)

const (
	// maxFrame bounds one message of a server in bytes.
	maxFrame = 16 << 20
	// maxTasks bounds processes and threads of one server.
	maxTasks = 2048
)

// passed are variables of this process that a server sees besides those every
// child does: programs that fetch themselves keep what they fetched at home.
var passed = []string{"HOME", "USER", "LOGNAME", "SHELL", "TERM"}

// program is the way to a server that runs as a child.
type program struct {
	proc *supervise.Process
	talk supervise.Talk
}

// program starts the server's command; start bounds that, life what is read of its
// standard error.
func (s *server) program(start, life context.Context) (way, error) {
	path := s.spec.Command
	if !strings.Contains(path, "/") {
		found, err := exec.LookPath(path)
		if err == nil {
			found, err = filepath.Abs(found)
		}
		if err != nil {
			return nil, fmt.Errorf("find the program %s: install it, or write its path: %w", path, err)
		}
		path = found
	}
	own, err := s.all.fill(s.spec.Env)
	if err != nil {
		return nil, err
	}
	env := supervise.PassedOn(s.all.o.Environ, passed...)
	for name, value := range own {
		env = append(env, name+"="+value)
	}
	proc, err := supervise.Start(start, supervise.Spec{
		Argv: append([]string{path}, s.spec.Args...), Env: env, Dir: s.spec.Dir, Piped: true, MaxProcs: maxTasks,
	})
	if err != nil {
		return nil, fmt.Errorf("start %s: %w", s.spec.Command, err)
	}
	p := &program{proc, proc.Talk()}
	s.all.o.Run.Go("log of MCP server "+s.spec.Name, func(context.Context) error {
		s.overhear(life, proc)
		return nil
	})
	return p, nil
}

func (p *program) transport() sdk.Transport {
	return &sdk.IOTransport{Reader: hearing{p.talk}, Writer: speaking{p.talk}, MaxLineLength: maxFrame}
}

func (p *program) abort() { _ = p.talk.Close() }

// close has the tree end: by itself, told to, and by force.
func (p *program) close(ctx context.Context) error {
	if err := p.proc.End(ctx, supervise.EndGraceful); err == nil {
		select {
		case <-p.proc.Dead():
		case <-ctx.Done():
		}
	}
	return p.proc.Close(ctx)
}

type hearing struct{ supervise.Talk }

var _ io.ReadCloser = hearing{}

type speaking struct{ talk supervise.Talk }

var _ io.WriteCloser = speaking{}

func (s speaking) Write(b []byte) (int, error) { return s.talk.Write(b) }
func (s speaking) Close() error                { return s.talk.CloseWrite() }
