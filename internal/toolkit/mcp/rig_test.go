package mcp

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mindroom/internal/canonical"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/tool"
	"mindroom/test/await"
)

// rig is the servers of a configuration, driven as the runtime does.
type rig struct {
	t       *testing.T
	servers *Servers
	folder  string // what the program writes
	log     *journal
	env     map[string]string
	closed  sync.Once
}

// journal is a log to look into.
type journal struct {
	mu   sync.Mutex
	text []byte
}

func (j *journal) Write(p []byte) (int, error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.text = append(j.text, p...)
	return len(p), nil
}

func (j *journal) String() string {
	j.mu.Lock()
	defer j.mu.Unlock()
	return string(j.text)
}

func newRig(t *testing.T) *rig {
	t.Helper()
	r := &rig{t: t, folder: t.TempDir(), log: &journal{}, env: map[string]string{"TEST_TOKEN": "tok-8471-abcdef"}}
	group := lifecycle.New(context.Background())
	r.servers = New(Options{
		Run: group, Environ: append(os.Environ(), "PROVIDER_KEY=never"), Getenv: func(n string) string { return r.env[n] },
		Log: slog.New(slog.NewTextHandler(r.log, nil)),
	})
	t.Cleanup(func() {
		r.close()
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := group.Stop(ctx); err != nil {
			t.Errorf("stop: %v", err)
		}
	})
	return r
}

func (r *rig) close() {
	r.closed.Do(func() {
		ctx, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if err := r.servers.Close(ctx); err != nil {
			r.t.Errorf("close: %v", err)
		}
	})
}

// program is this program as a server called name.
func (r *rig) program(name string) config.MCPServer {
	self, err := os.Executable()
	if err != nil {
		r.t.Fatal(err)
	}
	return config.MCPServer{
		Name: name, Enabled: true, Command: self, Dir: r.folder, Prefix: name, Startup: patience, Timeout: patience,
		Env: map[string]string{asServer: r.folder, "TOKEN": "${TEST_TOKEN}"},
	}
}

func configured(all ...config.MCPServer) *config.Config {
	c := &config.Config{MCPServers: map[string]config.MCPServer{}}
	for _, one := range all {
		c.MCPServers[one.Name] = one
	}
	return c
}

// follow has the servers be these, and waits until each is connected.
func (r *rig) follow(all ...config.MCPServer) {
	r.t.Helper()
	r.servers.Follow(configured(all...))
	for _, one := range all {
		r.connected(one.Name)
	}
}

func (r *rig) connected(name string) {
	r.t.Helper()
	until(r.t, name+" is connected", func() bool {
		r.servers.mu.RLock()
		one := r.servers.live[name]
		r.servers.mu.RUnlock()
		if one == nil {
			return false
		}
		l, _ := one.current()
		return l != nil
	})
}

func (r *rig) has(server, function string) bool {
	functions, _ := r.servers.functions(server)
	for _, f := range functions {
		if f.Name.Function == function {
			return true
		}
	}
	return false
}

func (r *rig) call(ctx context.Context, server, function string, args map[string]any) tool.Outcome {
	r.t.Helper()
	doc, err := canonical.FromValue(args)
	if err != nil {
		r.t.Fatal(err)
	}
	functions, err := r.servers.functions(server)
	if err != nil {
		r.t.Fatal(err)
	}
	for _, f := range functions {
		if f.Name.Function == function {
			return f.Body.Run(ctx, tool.Invocation{
				Call: tool.Call{Ref: tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: "1"}, Name: f.Name, Args: doc,
					Who: identity.InThread("coder", "@anna:example.org", "!r:example.org", "")},
				Keep: func(_ context.Context, _ int, data io.Reader, mime, _ string) (media.Ref, error) {
					raw, err := io.ReadAll(data)
					return media.Ref{Digest: "d", MIME: mime, Size: int64(len(raw))}, err
				},
			})
		}
	}
	r.t.Fatalf("%s has no function %s", server, function)
	return tool.Outcome{}
}

// result is that of a call that must complete.
func (r *rig) result(server, function string, args map[string]any) (out result) {
	r.t.Helper()
	o := r.call(r.t.Context(), server, function, args)
	if o.State != tool.StateCompleted {
		r.t.Fatalf("%s = %s %v", function, o.State, o.Fault)
	}
	if err := json.Unmarshal(o.Value, &out); err != nil {
		r.t.Fatal(err)
	}
	return out
}

func (r *rig) wrote(name string) bool {
	_, err := os.Stat(filepath.Join(r.folder, name))
	return err == nil
}

// until waits for a condition that no event announces.
func until(t testing.TB, what string, ok func() bool) {
	t.Helper()
	await.Until(t, patience, what, ok)
}
