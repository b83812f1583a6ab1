package mcp

import (
	"context"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/secret"
	"mindroom/internal/tool"
)

// A server that ended is tried again after firstPause, after twice that when it
// ends again, up to lastPause. One that held for steady begins anew.
const (
	firstPause = time.Second
	lastPause  = time.Minute
	steady     = time.Minute
)

// server is one server of one configuration.
type server struct {
	all  *Servers
	spec config.MCPServer
	log  *slog.Logger

	ending context.Context
	stop   context.CancelFunc
	done   chan struct{} // closed when nothing of it is left

	mu        sync.Mutex
	link      *link // nil while it is down
	functions []tool.Function
	trouble   error // why it is down
}

func newServer(all *Servers, spec config.MCPServer) *server {
	s := &server{
		all: all, spec: spec, log: all.o.Log.With("mcp_server", spec.Name), done: make(chan struct{}),
		trouble: fmt.Errorf("it is being started"),
	}
	// Ended by stop, which every way out reaches: Follow, Close and the end of run.
	s.ending, s.stop = context.WithCancel(context.Background())
	return s
}

// secretOf is a variable's value, which no log shows from now on.
func (s *Servers) secretOf(name string) string { return secret.New(s.o.Getenv(name)).Reveal() }

// run keeps the server connected until it is to end. before is whose place it
// takes; nil for nobody's.
func (s *server) run(ctx context.Context, before *server) error {
	defer close(s.done)
	defer s.stop()
	defer context.AfterFunc(ctx, s.stop)()
	if before != nil {
		<-before.done
	}
	pause, told := firstPause, ""
	for s.ending.Err() == nil {
		began := time.Now()
		err := s.serve(s.ending)
		if s.ending.Err() != nil {
			return nil
		}
		if text := err.Error(); text != told {
			s.log.Warn("an MCP server is down; it is tried again", "error", err)
			told = text
		}
		if time.Since(began) >= steady {
			pause, told = firstPause, ""
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-s.ending.Done():
			timer.Stop()
		}
		pause = min(2*pause, lastPause)
	}
	return nil
}

// serve connects, and returns why the connection ended. Nothing of it is left then.
func (s *server) serve(ctx context.Context) (err error) {
	defer func() { s.down(err) }()
	l, err := s.connect(ctx)
	if err != nil {
		return err
	}
	defer func() {
		s.down(fmt.Errorf("its connection ended"))
		if err := l.close(); err != nil {
			s.log.Error("an MCP server was not ended cleanly", "error", err)
		}
	}()
	if err := s.list(ctx, l); err != nil {
		return err
	}
	s.log.Info("an MCP server is connected", "functions", s.count())
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-l.ended:
			return fmt.Errorf("its connection ended")
		case <-l.news:
			if err := s.list(ctx, l); err != nil {
				return err
			}
			s.log.Info("an MCP server changed its tools", "functions", s.count())
		}
	}
}

func (s *server) down(why error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link, s.trouble = nil, why
}

// up has calls use l, with the tools it listed.
func (s *server) up(l *link, functions []tool.Function) {
	s.mu.Lock()
	s.link, s.functions, s.trouble = l, functions, nil
	s.mu.Unlock()
	s.all.changed(s.spec.Name)
}

func (s *server) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.functions)
}

// offered are the functions last listed; an error when there were never any.
func (s *server) offered() ([]tool.Function, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.functions == nil && s.trouble != nil {
		return nil, fmt.Errorf("the MCP server %s is down: %w", s.spec.Name, s.trouble)
	}
	return s.functions, nil
}

// current is the connection; nil and why while the server is down.
func (s *server) current() (*link, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link, s.trouble
}
