package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"reflect"
	"strings"
	"sync"

	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
	"mindroom/internal/tool"
)

// Options are what Servers work with. Run and Getenv are required.
type Options struct {
	// Run owns every goroutine.
	Run lifecycle.Runner
	// Environ is what programs may get a few variables of, "NAME=value" each.
	Environ []string
	// Getenv has the variables that ${NAME} stands for; empty: not set. What it
	// gives is a secret to the redactor from then on.
	Getenv func(string) string
	// Log gets what servers write to their standard error, redacted; nil is
	// slog.Default().
	Log *slog.Logger
}

// Servers are the running servers of the configuration in force. Make them with
// New, have them Join the holder, Follow the first configuration, and Close them.
// Its methods may be called from any goroutine.
type Servers struct {
	o Options

	mu       sync.RWMutex
	closed   bool
	live     map[string]*server // by name
	versions map[string]uint64  // by toolkit
}

var (
	_ tool.Brought       = (*Servers)(nil)
	_ config.Participant = (*Servers)(nil)
)

// New makes Servers of which none runs.
func New(o Options) *Servers {
	if o.Log == nil {
		o.Log = slog.Default()
	}
	return &Servers{o: o, live: map[string]*server{}, versions: map[string]uint64{}}
}

// Toolkit is the toolkit of a configured server, whether it runs or not. Its
// functions are those of the moment; an error says why there are none.
func (s *Servers) Toolkit(snap *config.Snapshot, name string) (tool.Toolkit, bool) {
	spec, ok := find(snap.Config, name)
	if !ok {
		return tool.Toolkit{}, false
	}
	return tool.Toolkit{
		Name: name, Purpose: "The tools of the MCP server " + spec.Name + ".",
		Build: func(tool.Env) ([]tool.Function, error) { return s.functions(spec.Name) },
	}, true
}

func find(c *config.Config, toolkit string) (config.MCPServer, bool) {
	for name, spec := range c.MCPServers {
		if config.MCPToolkit(name) == toolkit {
			return spec, true
		}
	}
	return config.MCPServer{}, false
}

func (s *Servers) functions(name string) ([]tool.Function, error) {
	s.mu.RLock()
	one := s.live[name]
	s.mu.RUnlock()
	if one == nil {
		return nil, fmt.Errorf("the MCP server %s is not enabled", name)
	}
	return one.offered()
}

// Version counts the changes of what a server's toolkit exposes.
func (s *Servers) Version(toolkit string) uint64 {
	s.mu.RLock()
	defer s.mu.RUnlock()
	return s.versions[toolkit]
}

func (s *Servers) changed(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.versions[config.MCPToolkit(name)]++
}

// Prepare agrees to every change: a server that cannot be started is down, which
// is no fault of the configuration.
func (s *Servers) Prepare(_, _ *config.Snapshot) error { return nil }

// Commit follows the new configuration.
func (s *Servers) Commit(_, next *config.Snapshot) { s.Follow(next.Config) }

// Follow starts servers that are new, ends those that are gone, and does both for
// those that changed. It waits for none of them: who takes a changed server's place
// starts when that has ended.
func (s *Servers) Follow(c *config.Config) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return
	}
	gone := maps.Clone(s.live)
	for name, spec := range c.MCPServers {
		old := s.live[name]
		if old != nil && spec.Enabled && reflect.DeepEqual(old.spec, spec) {
			delete(gone, name)
			continue
		}
		if !spec.Enabled {
			continue
		}
		next := newServer(s, spec)
		if !s.o.Run.Go("MCP server "+name, func(ctx context.Context) error { return next.run(ctx, old) }) {
			return
		}
		s.live[name] = next
		s.versions[config.MCPToolkit(name)]++
	}
	for name, old := range gone {
		old.stop()
		if s.live[name] == old {
			delete(s.live, name)
			s.versions[config.MCPToolkit(name)]++
		}
	}
}

// Close ends every server and waits until nothing of any is left. The error names
// those for which that cannot be told before ctx ends. None starts afterwards.
func (s *Servers) Close(ctx context.Context) error {
	s.mu.Lock()
	s.closed = true
	all := maps.Clone(s.live)
	s.mu.Unlock()
	for _, one := range all {
		one.stop()
	}
	var errs []error
	for name, one := range all {
		select {
		case <-one.done:
		case <-ctx.Done():
			errs = append(errs, fmt.Errorf("MCP server %s has not ended: %w", name, ctx.Err()))
		}
	}
	return errors.Join(errs...)
}

// fill replaces what stands for variables in values, and says which are not set.
func (s *Servers) fill(values map[string]string) (map[string]string, error) {
	filled := map[string]string{}
	for name, text := range values {
		value, missing := config.Fill(text, s.secretOf)
		if len(missing) > 0 {
			return nil, fmt.Errorf("%s is not set; set it and restart MindRoom", strings.Join(missing, " and "))
		}
		filled[name] = value
	}
	return filled, nil
}
