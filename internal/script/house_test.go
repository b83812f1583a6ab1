package script_test

import (
	"cmp"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/hooks"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/script"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/worker/local"
	pythonsdk "mindroom/sdk/python"
	"mindroom/test/binary"
)

func TestMain(m *testing.M) {
	os.Exit(binary.Main(m, binary.Supervisor, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait")))
}

const (
	room   = "!ops:example.org"
	thread = "$root"
	anna   = "@anna:example.org"
	ben    = "@ben:example.org"
)

// house is a runtime without Matrix and models: a real store, a real room, real
// supervisors and Python, and a real HTTP listener.
type house struct {
	*script.Manager
	t         testing.TB
	db        *store.DB
	storage   string
	server    *httptest.Server
	holder    *config.Holder
	registry  *tool.Registry
	authority *switchable
	calls     *recorder
	steps     chan step.Name
	backend   *local.Backend
	group     *lifecycle.Group
	audit     audit.Log
	cards     *approval.Cards // nil unless options.asking

	mu       sync.Mutex
	hooks    map[step.Name]func()
	refusals chan struct{}
}

// onStep runs fn at each reaching of a named step.
func (h *house) onStep(name step.Name, fn func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.hooks[name] = fn
}

// RefusalsForTest waits until the gateway answered 503 n times.
func (h *house) RefusalsForTest(n int) {
	h.t.Helper()
	for range n {
		select {
		case <-h.refusals:
		case <-time.After(20 * time.Second):
			h.t.Fatal("nobody called while the gateway was fenced")
		}
	}
}

// observed tells of each 503 the gateway gives.
func (h *house) observed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		next.ServeHTTP(&statusWriter{w, h}, r)
	})
}

type statusWriter struct {
	http.ResponseWriter
	h *house
}

// Unwrap lets the server's own controls through.
func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

func (w *statusWriter) WriteHeader(status int) {
	if status == http.StatusServiceUnavailable {
		select {
		case w.h.refusals <- struct{}{}:
		default:
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// switchable is an authority that tests change.
type switchable struct{ answer atomic.Int32 }

func (s *switchable) set(a tool.Answer) { s.answer.Store(int32(a)) }

func (s *switchable) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	return tool.Answer(s.answer.Load())
}

// options change a house before it is built.
type options struct {
	yaml    string
	storage string
	refuse  error
	hold    time.Duration
	retain  time.Duration
	step    func(step.Name)
	hooks   tool.Hooks // nil: those of the configuration
	asking  bool       // questions go to people
	// noGateway: the runtime has no API.
	noGateway bool
	now       clock.Wall
}

const houseYAML = `
models: {default: {provider: scripted, id: offline}}
agents:
  watcher:
    display_name: Watcher
    tools: [script, probe, second, scheduler]
  other:
    display_name: Other
    tools: [script, probe, twin]
authorization: {default_room_access: true}
defaults: {tools: []}
`

func open(t testing.TB, o options) *house {
	t.Helper()
	h := &house{t: t, authority: &switchable{}, storage: o.storage, steps: make(chan step.Name, 1000),
		hooks: map[step.Name]func(){}, refusals: make(chan struct{}, 100),
		calls: &recorder{hold: make(chan struct{}), entered: make(chan string, 100)}}
	h.authority.set(tool.Yes)
	if h.storage == "" {
		h.storage = t.TempDir()
	}
	if o.yaml == "" {
		o.yaml = houseYAML
	}
	if o.retain == 0 {
		o.retain = time.Hour
	}
	registry, err := tool.NewRegistry(h.calls.toolkit("probe", ""), h.calls.toolkit("second", "second_"), h.calls.toolkit("scheduler", "schedule_"),
		h.calls.toolkit("twin", ""),
		tool.Toolkit{Name: "script", Build: func(tool.Env) ([]tool.Function, error) { return nil, nil }})
	must(t, err)
	h.registry = registry
	h.holder = config.NewHolder(load(t, registry, o.yaml))
	redactor := &secret.Redactor{}
	h.audit = audit.Log{Redactor: redactor}
	h.db, err = store.Open(t.Context(), filepath.Join(h.storage, "mindroom.db"), chat.Schema, approval.Schema, script.Schema, audit.Schema)
	must(t, err)
	h.group = lifecycle.New(context.WithoutCancel(t.Context()))
	h.backend, err = local.New()
	must(t, err)
	theRoom := &tool.Room{
		Registry: registry, Config: h.holder, Policy: approval.Rules{}, Authority: h.authority, Hooks: cmp.Or[tool.Hooks](o.hooks, hooks.New(hooks.Parts{Config: h.holder})),
		Audit: h.audit, Router: tool.Local{}, Now: time.Now, Run: h.group, Linger: time.Second,
	}
	python, err := exec.LookPath("python3")
	must(t, err)
	workspace := filepath.Join(h.storage, "workspace")
	var cards script.Cards
	outbox, err := chat.OpenOutbox(t.Context(), h.db, o.now)
	must(t, err)
	if o.asking {
		h.cards = approval.NewCards(approval.Parts{DB: h.db, Outbox: outbox, Config: h.holder, Authority: h.authority, Accounts: household{}, Rooms: household{},
			Router: "router", Wall: o.now,
			Asked: map[tool.Door]func(*store.Tx, approval.Card) error{tool.DoorScript: func(tx *store.Tx, card approval.Card) error { return h.Waits(tx, card) }}})
		h.group.Go("questions", h.cards.Run)
		cards = h.cards
	}
	h.Manager = script.New(script.Config{
		Cards: cards, Outbox: outbox, Speaker: func(agent string) (string, bool) { return "@mindroom_" + agent + ":example.org", true },
		DB: h.db, Room: theRoom, Registry: registry, Snapshots: h.holder, Authority: h.authority, Backend: h.backend,
		Local: func() error { return o.refuse }, Run: h.group, Folders: filepath.Join(h.storage, "script_runs"),
		SDK: pythonsdk.Files(), GatewayURL: h.gateway(o),
		Workspace: func(*config.Snapshot, identity.Execution) string { return workspace }, Environ: os.Environ,
		Python: func() (string, error) { return python, nil }, Now: o.now, Retention: o.retain, Hold: o.hold, Log: slog.New(slog.DiscardHandler),
		Step: func(name step.Name) {
			select {
			case h.steps <- name:
			default:
			}
			h.mu.Lock()
			hook := h.hooks[name]
			h.mu.Unlock()
			if hook != nil {
				hook()
			}
			if o.step != nil {
				o.step(name)
			}
		},
	})
	mux := http.NewServeMux()
	h.Routes(mux)
	h.server = httptest.NewServer(h.observed(mux))
	t.Cleanup(h.close)
	return h
}

// opened is open and admitting.
// gateway tells where the gateway is, if there is one.
func (h *house) gateway(o options) func() string {
	return func() string {
		if o.noGateway {
			return ""
		}
		return h.server.URL + script.GatewayPath
	}
}

func opened(t testing.TB, o options) *house {
	h := open(t, o)
	must(t, h.Recover(t.Context()))
	return h
}

func (h *house) close() {
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	if err := h.Shutdown(ctx); err != nil {
		h.t.Errorf("shutdown: %v", err)
	}
	if err := h.backend.Close(ctx); err != nil {
		h.t.Errorf("backend: %v", err)
	}
	h.server.Close()
	if err := h.group.Stop(ctx); err != nil {
		h.t.Errorf("group: %v", err)
	}
	if err := h.db.Close(); err != nil {
		h.t.Errorf("store: %v", err)
	}
}

func load(t testing.TB, catalog config.Catalog, yaml string) *config.Config {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config.yaml")
	must(t, os.WriteFile(path, []byte(yaml), 0o600))
	env, err := config.ReadEnv(filepath.Dir(path), os.LookupEnv)
	must(t, err)
	c, _, err := config.Load(path, catalog, env)
	must(t, err)
	return c
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func who(requester string) identity.Execution {
	return identity.InThread("watcher", requester, room, thread)
}

func owner(requester string) script.Owner {
	return script.Owner{Requester: requester, Agent: "watcher"}
}

func request(t testing.TB, source string) script.Request {
	t.Helper()
	src, err := script.InlineSource(source)
	must(t, err)
	return script.Request{Who: who(anna), Source: src, Allowed: []string{"probe"}, MaxConcurrent: 3, MaxCallsPerMinute: 1000, MaxRuntime: time.Hour}
}

// start launches source and fails the test if it does not run.
func (h *house) start(source string) *script.Run {
	h.t.Helper()
	run, err := h.Launch(h.t.Context(), request(h.t, source))
	must(h.t, err)
	return run
}

// until waits until the run is as wanted, woken by steps of the manager.
func (h *house) until(id identity.RunID, what string, ok func(*script.Run) bool) *script.Run {
	h.t.Helper()
	deadline := time.After(20 * time.Second)
	for {
		run, err := h.Find(h.t.Context(), string(id))
		must(h.t, err)
		if ok(run) {
			return run
		}
		select {
		case <-h.steps:
		case <-deadline:
			out, _ := h.Output(h.t.Context(), run, -1)
			h.t.Fatalf("run %s never was %s: it is %s (%s, %s); output:\n%s", id, what, run.State, run.Reason, run.Error, out.Text)
		}
	}
}

func (h *house) terminal(id identity.RunID) *script.Run {
	h.t.Helper()
	return h.until(id, "terminal", func(r *script.Run) bool { return r.State.Terminal() })
}

// token is the capability of a running run, read as its script reads it.
func (h *house) token(run *script.Run) string {
	h.t.Helper()
	raw, err := os.ReadFile(filepath.Join(h.storage, "script_runs", string(run.ID), "capability"))
	must(h.t, err)
	return string(raw)
}

// sleeper is a script that only waits.
const sleeper = "import time\nprint('up', flush=True)\ntime.sleep(600)\n"
