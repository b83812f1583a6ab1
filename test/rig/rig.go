package rig

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/authz"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/hooks"
	"mindroom/internal/httpapi"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/turncli"
	"mindroom/internal/worker"
	"mindroom/internal/worker/local"
	pythonsdk "mindroom/sdk/python"
)

// Options change a rig before it is opened. The zero value has processes and
// needs Linux, Python and mindroom-supervise (see test/binary).
type Options struct {
	// WithoutProcesses gives runs no process; see the package's sentence 3.
	WithoutProcesses bool
	// Hold bounds how long a request waits for its receipt; 0 is the product's
	// own bound.
	Hold time.Duration
	// Toolkits are more toolkits of the agent, beside the Kit.
	Toolkits []tool.Toolkit
	// Retention is how long ended runs are kept; 0 is a day. Whoever wants them
	// pruned runs Manager.Maintain, which the rig does not.
	Retention time.Duration
}

// Rig is an open runtime.
type Rig struct {
	Manager   *script.Manager
	DB        *store.DB
	Registry  *tool.Registry
	Snapshots *config.Holder
	Kit       *Kit
	// Cards owns the questions about calls of asked; the test decides them.
	Cards *approval.Cards
	// Commands serves what mindroom-agent asks inside the shell commands of a response
	// (see Respond), on the listener that serves scripts.
	Commands *turncli.Registry
	// URL is the base that scripts get as MINDROOM_SCRIPT_GATEWAY_URL.
	URL string
	// Python is the interpreter of the rig's scripts; empty without processes.
	Python string

	runs, origin string
	group        *lifecycle.Group

	mu    sync.Mutex
	ended chan struct{}
}

const configuration = `
models: {default: {provider: scripted, id: offline}}
agents:
  ` + Agent + `: {display_name: Worker, tools: [script, %s]}
authorization: {default_room_access: true}
tool_approval: {rules: [{match: asked, action: require_approval}]}
defaults: {tools: []}
`

// stopWithin bounds Close: one graceful end of every process, side by side.
const stopWithin = time.Minute

// Open builds a rig in dir, which must exist, and lets it admit launches and
// calls. ctx bounds the opening only. What it opened is ended by Close.
func Open(ctx context.Context, dir string, o Options) (rig *Rig, err error) {
	r := &Rig{Kit: newKit(), runs: filepath.Join(dir, "script_runs"), ended: make(chan struct{}), group: lifecycle.New(context.WithoutCancel(ctx))}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("open the rig: %w", err), r.Close())
		}
	}()
	kits := append([]tool.Toolkit{r.Kit.toolkit()}, o.Toolkits...)
	r.Registry, err = tool.NewRegistry(append(kits, tool.Toolkit{
		Name: "script", Purpose: "lets the agent start scripts", Build: func(tool.Env) ([]tool.Function, error) { return nil, nil },
	})...)
	if err != nil {
		return nil, err
	}
	if r.Snapshots, err = configure(dir, r.Registry, kits); err != nil {
		return nil, err
	}
	if r.DB, err = store.Open(ctx, filepath.Join(dir, "mindroom.db"), script.Schema, audit.Schema, chat.Schema, approval.Schema); err != nil {
		return nil, err
	}
	r.group.OnStop(lifecycle.Step{Name: "store", Stop: func(context.Context) error { return r.DB.Close() }})
	var backend worker.Backend = newNobody()
	sdk := pythonsdk.Files()
	if !o.WithoutProcesses {
		if backend, sdk, err = r.processes(ctx, dir); err != nil {
			return nil, err
		}
	}
	workspace := filepath.Join(dir, "workspace")
	if err := os.MkdirAll(workspace, 0o700); err != nil {
		return nil, err
	}
	folder := func(*config.Snapshot, identity.Execution) string { return workspace }
	if o.Retention == 0 {
		o.Retention = 24 * time.Hour
	}
	authority := authz.Authority{Membership: everyone{}}
	room := &tool.Room{
		Registry: r.Registry, Config: r.Snapshots, Policy: approval.Rules{}, Authority: authority, Hooks: hooks.New(hooks.Parts{Config: r.Snapshots}),
		Audit: audit.Log{Redactor: &secret.Redactor{}}, Router: tool.Local{}, Now: time.Now, Run: r.group,
		Workspace: folder,
	}
	outbox, err := chat.OpenOutbox(ctx, r.DB, nil)
	if err != nil {
		return nil, err
	}
	r.Cards = approval.NewCards(approval.Parts{DB: r.DB, Outbox: outbox, Config: r.Snapshots, Authority: authority, Accounts: account{}, Rooms: everyone{},
		Router: Agent, Log: slog.New(slog.DiscardHandler)})
	r.group.Go("cards", r.Cards.Run)
	r.Manager = script.New(script.Config{
		Cards: r.Cards, DB: r.DB, Room: room, Registry: r.Registry, Snapshots: r.Snapshots, Authority: authority, Backend: backend,
		Local: func() error { return nil }, Run: r.group, Folders: r.runs, SDK: sdk,
		GatewayURL: func() string { return r.URL },
		Workspace:  folder, Environ: os.Environ, Python: func() (string, error) { return r.Python, nil }, Retention: o.Retention, Hold: o.Hold, Step: r.step, Log: slog.New(slog.DiscardHandler),
	})
	r.Commands = turncli.New(turncli.Config{
		Room: room, Cards: r.Cards, DB: r.DB, Run: r.group, Origin: func() string { return r.origin }, Log: slog.New(slog.DiscardHandler),
	})
	if err := r.serve(ctx); err != nil {
		return nil, err
	}
	r.group.OnStop(lifecycle.Step{Name: "responses", Stop: r.Commands.Close})
	r.group.OnStop(lifecycle.Step{Name: "scripts", Stop: r.Manager.Shutdown})
	return r, r.Manager.Recover(ctx)
}

// processes makes what real scripts need.
func (r *Rig) processes(ctx context.Context, dir string) (worker.Backend, fs.FS, error) {
	var err error
	if r.Python, err = Python(ctx); err != nil {
		return nil, nil, err
	}
	backend, err := local.New()
	if err != nil {
		return nil, nil, err
	}
	r.group.OnStop(lifecycle.Step{Name: "processes", Stop: backend.Close})
	// As the primary does: scripts start from compiled files.
	sdk := filepath.Join(dir, "script_sdk")
	if err := pythonsdk.Lay(sdk); err != nil {
		return nil, nil, err
	}
	if err := pythonsdk.Precompile(ctx, r.Python, sdk); err != nil {
		return nil, nil, err
	}
	return backend, os.DirFS(sdk), nil
}

func (r *Rig) serve(ctx context.Context) error {
	ready := func() httpapi.Status { return httpapi.Status{Ready: true, Phase: "ready"} }
	routes := func(mux *http.ServeMux) {
		r.Manager.Routes(mux)
		r.Commands.Routes(mux)
	}
	server, err := httpapi.Listen(ctx, "127.0.0.1", 0, ready, routes, slog.New(slog.DiscardHandler))
	if err != nil {
		return err
	}
	r.origin = server.Origin()
	r.URL = r.origin + script.GatewayPath
	r.group.OnStop(lifecycle.Step{Name: "listener", Budget: 5 * time.Second, Stop: server.Shutdown})
	r.group.Go("http", server.Serve)
	return nil
}

func configure(dir string, catalog config.Catalog, kits []tool.Toolkit) (*config.Holder, error) {
	var names []string
	for _, k := range kits {
		names = append(names, k.Name)
	}
	path := filepath.Join(dir, "config.yaml")
	if err := os.WriteFile(path, fmt.Appendf(nil, configuration, strings.Join(names, ", ")), 0o600); err != nil {
		return nil, err
	}
	// The environment of whoever benchmarks must not change what is measured.
	env, err := config.ReadEnv(dir, func(string) (string, bool) { return "", false })
	if err != nil {
		return nil, err
	}
	c, _, err := config.Load(path, catalog, env)
	if err != nil {
		return nil, err
	}
	return config.NewHolder(c), nil
}

// step hears of each end of a run, so that Finish need not ask again and again.
func (r *Rig) step(name step.Name) {
	if name != step.RunTerminal {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	close(r.ended)
	r.ended = make(chan struct{})
}

func (r *Rig) changed() <-chan struct{} {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ended
}

// Close ends every run, process and goroutine of the rig and closes its store.
// The folder stays.
func (r *Rig) Close() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopWithin)
	defer cancel()
	return r.group.Stop(ctx)
}
