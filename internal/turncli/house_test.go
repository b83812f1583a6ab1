package turncli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/canonical"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/hooks"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/media"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m, goleak.IgnoreTopFunction("internal/poll.runtime_pollWait"))
}

const patience = 60 * time.Second // a deadline that only a fault reaches

// house is a runtime without Matrix, models and processes: a real store, a real
// room, real cards and a real listener. Its shell runs Go functions.
type house struct {
	*Registry
	t      testing.TB
	db     *store.DB
	media  *media.Store
	cards  *approval.Cards
	group  *lifecycle.Group
	server *httptest.Server
	audit  audit.Log
	// may is the answer of the authority.
	may    atomic.Int32
	ahead  atomic.Int64 // of the wall clock
	dir    string
	spaced bool // the agent has a workspace
	kit    *kit
	turns  atomic.Int64

	mu      sync.Mutex
	scripts map[string]func(ctx context.Context, env []string, scope tool.Scope) (any, error)
}

const houseYAML = `
models: {default: {provider: scripted, id: offline}}
agents:
  helper: {display_name: Helper, tools: [shell, kit, wide]}
authorization: {default_room_access: true}
defaults: {tools: []}
tool_approval:
  default: auto_approve
  rules:
    - {match: ask, action: require_approval}
`

func (h *house) now() time.Time { return time.Now().Add(time.Duration(h.ahead.Load())) }

func (h *house) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	return tool.Answer(h.may.Load())
}
func (h *house) UserID(entity string) (string, bool)                { return "@mindroom_" + entity + ":x", true }
func (h *house) Own(user string) bool                               { return strings.HasPrefix(user, "@mindroom_") }
func (h *house) Joined(context.Context, string, string) tool.Answer { return tool.Yes }

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, kit: newKit(), dir: t.TempDir(), spaced: true, scripts: map[string]func(context.Context, []string, tool.Scope) (any, error){}}
	h.may.Store(int32(tool.Yes))
	h.db = storetest.Open(t, chat.Schema, approval.Schema, audit.Schema, media.Schema)
	var err error
	h.media, err = media.Open(media.Options{Folder: t.TempDir(), DB: h.db})
	must(t, err)
	registry, err := tool.NewRegistry(h.shell(), h.kit.toolkit(), wide())
	must(t, err)
	cfg, _, err := config.Parse("/etc/mindroom/config.yaml", []byte(houseYAML), registry, config.Env{})
	must(t, err)
	holder := config.NewHolder(cfg)
	h.group = lifecycle.New(context.WithoutCancel(t.Context()))
	h.audit = audit.Log{Redactor: &secret.Redactor{}}
	outbox, err := chat.OpenOutbox(t.Context(), h.db, h.now)
	must(t, err)
	h.cards = approval.NewCards(approval.Parts{DB: h.db, Outbox: outbox, Config: holder, Authority: h, Accounts: h, Rooms: h, Router: "router", Wall: h.now})
	room := &tool.Room{
		Registry: registry, Config: holder, Policy: approval.Rules{}, Authority: h, Hooks: hooks.New(hooks.Parts{Config: holder}), Audit: h.audit,
		Router: tool.Local{}, Now: time.Now, Run: h.group, Linger: time.Second, Keep: h.media.Keep,
		Workspace: func(*config.Snapshot, identity.Execution) string {
			if !h.spaced {
				return ""
			}
			return h.dir
		},
	}
	h.Registry = New(Config{
		Room: room, Cards: h.cards, DB: h.db, Media: h.media, Wall: h.now, Run: h.group,
		Origin: func() string { return h.server.URL }, Folder: func() (string, error) { return "/opt/agent_cli_bin", nil },
		Log: slog.New(slog.DiscardHandler),
	})
	mux := http.NewServeMux()
	h.Routes(mux)
	h.server = httptest.NewServer(mux)
	t.Cleanup(h.stop)
	return h
}

func (h *house) stop() {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := h.Registry.Close(ctx); err != nil {
		h.t.Errorf("close: %v", err)
	}
	h.server.Close()
	if err := h.group.Stop(ctx); err != nil {
		h.t.Errorf("group: %v", err)
	}
}

// shell is a toolkit like the shell: its commands are functions of the test, by
// name.
func (h *house) shell() tool.Toolkit {
	type args struct {
		Command string `json:"command"`
	}
	return tool.Toolkit{Name: "shell", Purpose: "Commands.", Build: func(tool.Env) ([]tool.Function, error) {
		return []tool.Function{tool.Typed(tool.Spec{Name: "run_shell_command", Class: tool.Outer, Description: "Runs a command in Bash."},
			func(ctx context.Context, in tool.Invocation, a args) (any, error) {
				h.mu.Lock()
				script := h.scripts[a.Command]
				h.mu.Unlock()
				if script == nil {
					return nil, fmt.Errorf("no such command")
				}
				scope, err := in.Enclosure.Open(ctx, in.Ref)
				if err != nil {
					return nil, fmt.Errorf("the command was not started: %w", err)
				}
				return script(ctx, scope.Env(), scope)
			})}, nil
	}}
}

// command gives a name to a command that ends with its function, and whose calls
// are then waited for.
func (h *house) command(name string, run func(ctx context.Context, env []string) (any, error)) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.scripts[name] = func(ctx context.Context, env []string, scope tool.Scope) (any, error) {
		value, err := run(ctx, env)
		e := tool.Enclosing{Value: value, Enclosed: scope.Close(ctx)}
		if err != nil {
			e.Fault = tool.Faultf(tool.FaultTool, "%v", err)
		} else if e.Err != nil {
			e.Fault = tool.Faultf(tool.FaultTool, "inside: %v", e.Err)
		}
		return e, nil
	}
}

// open is an owner of a new response.
func (h *house) open(change func(*Opening)) *Owner {
	h.t.Helper()
	o, err := h.Open(h.opening(change))
	must(h.t, err)
	return o
}

func (h *house) opening(change func(*Opening)) Opening {
	h.t.Helper()
	snap := h.Room.Config.Current()
	surface, err := h.Room.Registry.Surface(snap, "helper")
	must(h.t, err)
	open := Opening{
		Turn: fmt.Sprintf("turn-%032d", h.turns.Add(1)), Who: identity.InThread("helper", "@anna:x", "!ops:x", "$root"),
		Began: h.now(), Snapshot: snap, Surface: surface,
	}
	if change != nil {
		change(&open)
	}
	return open
}

// asking lets calls of the response wait for a person.
func asking(holds *holds) func(*Opening) { return func(o *Opening) { o.Holds = holds } }

// window opens one under a provider's id.
func (h *house) window(o *Owner, id string) (tool.Scope, client) {
	h.t.Helper()
	scope, err := o.Open(h.t.Context(), tool.Ref{Door: tool.DoorTurn, Owner: o.turn, ID: "1.1." + id})
	must(h.t, err)
	return scope, h.client(scope.Env())
}

// decide ends the question about a call.
func (h *house) decide(ref tool.Ref, state approval.State, reason string) {
	h.t.Helper()
	must(h.t, h.db.Write(h.t.Context(), func(tx *store.Tx) error {
		card, found, err := approval.Of(tx, ref)
		if err != nil || !found {
			return errors.Join(err, fmt.Errorf("no card of %s: %v", ref, found))
		}
		_, _, _, err = h.cards.Decide(tx, card.ID, state, "@anna:x", reason)
		return err
	}))
}

func (h *house) decision(ref tool.Ref) (d tool.Decision, over bool) {
	h.t.Helper()
	must(h.t, h.db.Read(h.t.Context(), func(q *store.Reader) (err error) {
		d, over, err = h.cards.Decision(q, ref)
		return err
	}))
	return d, over
}

func ref(o *Owner, n int) tool.Ref { return tool.Ref{Door: tool.DoorCLI, Owner: o.turn, ID: uuid(n)} }

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ends runs fn beside the test and waits for it.
func ends[T any](t testing.TB, fn func() T) func() T {
	t.Helper()
	done := make(chan T, 1)
	g := lifecycle.New(context.Background())
	g.Go("beside the test", func(context.Context) error { done <- fn(); return nil })
	return func() T {
		t.Helper()
		select {
		case v := <-done:
			_ = g.Wait()
			return v
		case <-time.After(patience):
			t.Fatal("it never ended")
			os.Exit(1)
		}
		panic("unreachable")
	}
}

func document(t testing.TB, text string) canonical.Doc {
	t.Helper()
	doc, err := parseDocument(text)
	must(t, err)
	return doc
}

func parseDocument(text string) (canonical.Doc, error) {
	return canonical.Parse([]byte(text), canonical.Limits{})
}
