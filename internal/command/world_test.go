package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/authz"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/lifecycle"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	ops, lab  = "!ops:x", "!lab:x"
	ann, ben  = "@ann:x", "@ben:x"
	dora, eve = "@dora:x", "@eve:x" // a room admin, a stranger
	global    = "@glo:x"
	router    = "@router:x"
	patient   = 20 * time.Second
)

// shell is the toolkit that minimal mode needs; everything of it is offered.
var shell = tool.Toolkit{Name: "shell", Build: func(tool.Env) ([]tool.Function, error) {
	run := func(context.Context, tool.Invocation, struct{}) (any, error) { return "", nil }
	return []tool.Function{tool.Typed(tool.Spec{Name: "run_shell_command"}, run), tool.Typed(tool.Spec{Name: "check_shell_command"}, run)}, nil
}}

// world is a desk over a real store.
type world struct {
	t      *testing.T
	path   string
	yaml   string
	db     *store.DB
	outbox *chat.Outbox
	modes  *Modes
	// deployment is what !mode finds.
	deployment mode.Deployment
	desk       *Desk
	stop       func()

	mu     sync.Mutex
	answer map[string]tool.Answer // "room user"; joined or governs, yes where nothing is said
	ran    []string               // what commands with an effect did
	during func(ctx context.Context) error
}

const people = `
models: {default: {provider: scripted, id: demo}}
agents:
  watcher: {display_name: Watcher, role: "Watch\n  pages.", rooms: [ops]}
  helper: {display_name: Helper, rooms: [lab]}
authorization:
  default_room_access: true
  global_users: ["@glo:x"]
  aliases: {"@ann:x": ["@ghost:x"]}
  agent_reply_permissions: {router: ["@ann:x", "@ben:x", "@dora:x"], watcher: ["*"], helper: ["@ben:x", "@dora:x"]}
`

func newWorld(t *testing.T, yaml string) *world {
	t.Helper()
	w := &world{t: t, yaml: yaml, path: filepath.Join(t.TempDir(), "m.db"), answer: map[string]tool.Answer{}}
	if yaml == "" {
		w.yaml = people
	}
	for _, user := range []string{ann, ben, eve, "@ghost:x"} {
		w.set(ops+" governs "+user, tool.No)
		w.set(lab+" governs "+user, tool.No)
	}
	w.set(ops+" @ghost:x", tool.No)
	w.open()
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open is what a new process does.
func (w *world) open() {
	w.t.Helper()
	w.db = storetest.OpenAt(w.t, w.path, chat.Schema, Schema, mode.Schema)
	var err error
	w.outbox, err = chat.OpenOutbox(w.t.Context(), w.db, nil)
	must(w.t, err)
	catalog, err := tool.NewRegistry(shell)
	must(w.t, err)
	cfg, _, err := config.Parse("config.yaml", []byte(w.yaml), catalog, config.Env{})
	must(w.t, err)
	w.modes, err = OpenModes(w.t.Context(), w.db, nil)
	must(w.t, err)
	authority := authz.Authority{Membership: w, Powers: w}
	residents := Residents{Authority: authority, UserID: func(entity string) (string, bool) { return "@" + entity + ":x", true }, Modes: w.modes}
	agentModes := AgentModes{Residents: residents, DB: w.db, Surface: catalog.Surface, Deployment: w.deployed}
	registry, err := NewRegistry(Help(), ThreadMode(residents), Hello(residents), agentModes.Command(),
		Command{Name: "change_it", Brief: "b", Help: "h", Who: Anybody, Changes: Always, Run: w.change},
		Command{Name: "reload", Brief: "b", Help: "h", Who: GlobalUsers, Run: w.change},
		Command{Name: "fail", Brief: "b", Help: "h", Who: Anybody, Run: func(context.Context, Call) (string, error) { return "", fmt.Errorf("secret") }},
		Command{Name: "fall", Brief: "b", Help: "h", Who: Anybody, Changes: Always, Run: func(context.Context, Call) (string, error) { panic("secret") }},
	)
	must(w.t, err)
	w.desk = NewDesk(Parts{
		DB: w.db, Outbox: w.outbox, Config: config.NewHolder(cfg), Registry: registry, Residents: residents, Authority: authority,
		Router: "router", Log: slog.New(slog.DiscardHandler), Repair: time.Hour,
	})
}

func (w *world) deployed() mode.Deployment {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.deployment
}

func (w *world) deploy(d mode.Deployment) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deployment = d
}

// change is a command with an effect.
func (w *world) change(ctx context.Context, c Call) (string, error) {
	w.mu.Lock()
	during := w.during
	w.mu.Unlock()
	w.did(c.EventID)
	if during != nil {
		if err := during(ctx); err != nil {
			return "", err
		}
	}
	return "changed", nil
}

func (w *world) did(what string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ran = append(w.ran, what)
}

func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	group := lifecycle.New(ctx)
	group.Go("desk", w.desk.Run)
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := group.Wait(); err != nil {
			w.t.Errorf("the desk ended with %v", err)
		}
	})
	w.t.Cleanup(w.stop)
}

// reopen ends this process and begins another over the same file.
func (w *world) reopen() {
	w.t.Helper()
	w.stop()
	must(w.t, w.db.Close())
	w.open()
	w.start()
}

func (w *world) set(what string, a tool.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.answer[what] = a
}

func (w *world) ask(what string) tool.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.answer[what]; ok {
		return a
	}
	return tool.Yes
}

// The world is who is in which room.
func (w *world) Joined(_ context.Context, room, user string) tool.Answer {
	return w.ask(room + " " + user)
}
func (w *world) Governs(_ context.Context, room, user string) tool.Answer {
	return w.ask(room + " governs " + user)
}
func (w *world) RoomNames(room string) []string {
	return []string{room, map[string]string{ops: "ops", lab: "lab"}[room]}
}
func (w *world) RoomID(string) (string, bool) { return "", false }
func (w *world) Own(user string) bool         { return user == router }

// says accepts a command as dispatch does.
func (w *world) says(r Request) {
	w.t.Helper()
	if r.Account == "" {
		r.Account, r.Entity = router, "router"
	}
	if r.Person == "" {
		r.Person = r.Sender
	}
	must(w.t, w.db.Write(w.t.Context(), func(tx *store.Tx) error { return w.desk.Accept(tx, r) }))
}

// state is how a command stands; "" for none.
func (w *world) state(event string) (s State) {
	w.t.Helper()
	must(w.t, w.db.Read(w.t.Context(), func(q *store.Reader) error {
		s = ""
		return store.Each(q, func(rows *store.Rows) error { return rows.Scan(&s) }, `SELECT state FROM commands WHERE event_id = $1`, event)
	}))
	return s
}

// becomes waits for a state.
func (w *world) becomes(event string, want State) {
	w.t.Helper()
	for deadline := time.Now().Add(patient); w.state(event) != want; time.Sleep(2 * time.Millisecond) {
		if time.Now().After(deadline) {
			w.t.Fatalf("%s is %s, not %s", event, w.state(event), want)
		}
	}
}

// answered is the delivery that answers a command; false for none.
func (w *world) answered(event string) (d chat.Delivery, body string, ok bool) {
	w.t.Helper()
	d, ok = w.delivery("command:" + event)
	return d, chat.Body(d.Content), ok
}

func (w *world) delivery(id string) (d chat.Delivery, ok bool) {
	w.t.Helper()
	err := w.db.Read(w.t.Context(), func(q *store.Reader) (err error) {
		d, err = chat.Get(q, id)
		return err
	})
	if err != nil && !errors.Is(err, chat.ErrUnknown) {
		w.t.Fatal(err)
	}
	return d, err == nil
}

func content(t *testing.T, d chat.Delivery) map[string]any {
	t.Helper()
	var c map[string]any
	must(t, json.Unmarshal(d.Content, &c))
	return c
}
