package turn

import (
	"context"
	"encoding/json"
	"log/slog"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

const (
	roomID  = "!ops:x"
	ownID   = "@mindroom_watcher:x"
	ann     = "@ann:x"
	patient = 20 * time.Second // a deadline that only a fault reaches
)

// bundle is an engine over a real store and a real room, with a scripted model
// and a toolkit whose bodies the test can hold up.
type bundle struct {
	audit memoryAudit
	*fixture
	t      *testing.T
	engine *Engine
	outbox *chat.Outbox
	model  *fakeModel
	tools  *testTools
	heard  *atomic.Pointer[bundle] // whose engine hears of decisions, where processes follow one another
	order  context.CancelFunc      // tells the engine to stop
	stop   func()                  // and waits for it
}

// fixture is what outlives an engine: the database and who reads it.
type fixture struct {
	path   string
	holder *config.Holder
	parts  func(*Parts)
	db     *store.DB
}

const baseConfig = `
models:
  default: {provider: scripted, id: demo}
agents:
  watcher:
    display_name: Watcher
    role: You watch.
    tools: [probe]
authorization: {default_room_access: true}
`

// newBundle makes a started engine under the configuration, to which more is
// appended.
func newBundle(t *testing.T, more string, parts func(*Parts)) *bundle {
	t.Helper()
	return newBundleOf(t, baseConfig+more, parts)
}

// newBundleOf makes a started engine under a whole configuration.
func newBundleOf(t *testing.T, text string, parts func(*Parts)) *bundle {
	t.Helper()
	b := &bundle{fixture: &fixture{path: filepath.Join(t.TempDir(), "m.db"), parts: parts}, t: t, model: &fakeModel{}, tools: newTestTools()}
	registry, err := tool.NewRegistry(b.tools.toolkit(), delegateKit(b))
	must(t, err)
	cfg, _, err := config.Parse("config.yaml", []byte(text), registry, config.Env{})
	must(t, err)
	b.holder = config.NewHolder(cfg)
	b.open()
	b.start()
	return b
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// open opens the store and builds an engine over it, as a new process would.
func (b *bundle) open() {
	b.t.Helper()
	db, err := store.Open(b.t.Context(), b.path, schemas...)
	must(b.t, err)
	b.db = db
	b.t.Cleanup(func() { _ = db.Close() })
	registry, err := tool.NewRegistry(b.tools.toolkit(), delegateKit(b))
	must(b.t, err)
	bodies := lifecycle.New(context.Background())
	b.t.Cleanup(func() { _ = bodies.Wait() })
	outbox, history := newChat(b.t, db)
	b.outbox = outbox
	p := Parts{
		DB: db, Outbox: outbox, History: history, Config: b.holder,
		Room: &tool.Room{Registry: registry, Config: b.holder, Policy: testPolicy{}, Authority: everybody{}, Hooks: noHooks{},
			Audit: &b.audit, Router: tool.Local{}, Now: time.Now, Run: bodies, Linger: patient},
		Models: func(*config.Snapshot, string, string) (Model, error) {
			return Model{Provider: b.model, Name: "default", Kind: "scripted", ID: "demo"}, nil
		},
		Log:   slog.New(slog.DiscardHandler),
		Grace: 50 * time.Millisecond,
	}
	if b.parts != nil {
		b.parts(&p)
	}
	b.engine = New(p)
}

// start runs the engine until stop.
func (b *bundle) start() {
	ctx, cancel := context.WithCancel(context.Background())
	b.order = cancel
	done := make(chan error, 1)
	engine := b.engine
	go func() { done <- engine.Run(ctx) }()
	b.stop = sync.OnceFunc(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				b.t.Errorf("the engine ended with %v", err)
			}
		case <-time.After(patient):
			b.t.Error("the engine does not stop")
		}
	})
	b.t.Cleanup(b.stop)
}

// reopen ends this process and begins another over the same file.
func (b *bundle) reopen() {
	b.t.Helper()
	b.stop()
	must(b.t, b.db.Close())
	b.open()
	b.start()
}

// ask puts a message into the room, creates its turn and returns the turn's id.
func (b *bundle) ask(trigger, text string) string {
	b.t.Helper()
	return b.askIn("$root", trigger, text)
}

func (b *bundle) askIn(thread, trigger, text string) string {
	b.t.Helper()
	heard(b.t, b.db, thread, trigger, ann, map[string]any{"msgtype": "m.text", "body": text})
	must(b.t, b.db.Write(b.t.Context(), func(tx *store.Tx) error {
		return b.engine.Create(tx, Request{Agent: "watcher", Account: ownID, Who: identity.InThread("watcher", ann, roomID, thread),
			Room: roomID, ThreadRoot: thread, TriggerEvent: trigger})
	}))
	return b.turnOf(trigger)
}

func (b *bundle) turnOf(trigger string) string {
	b.t.Helper()
	var id string
	must(b.t, b.db.Read(b.t.Context(), func(r *store.Reader) error {
		return r.QueryRow(`SELECT turn_id FROM turns WHERE trigger_event = $1`, trigger).Scan(&id)
	}))
	return id
}

// row is the turn as stored.
func (b *bundle) row(id string) row {
	b.t.Helper()
	var r row
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		r, err = load(q, id)
		return err
	}))
	return r
}

// ends waits for the turn's end and holds it to the state.
func (b *bundle) ends(id string, want State) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patient)
	defer cancel()
	got, err := b.engine.Wait(ctx, id)
	must(b.t, err)
	if got != want {
		b.t.Fatalf("turn ended %s (%s), want %s; the room reads:\n%s", got, b.row(id).reason, want, b.said(id))
	}
}

// said is the final text of a turn.
func (b *bundle) said(id string) string {
	b.t.Helper()
	body, _ := b.final(id)["body"].(string)
	return body
}

// final is the content that ends the turn as a client shows it.
func (b *bundle) final(id string) map[string]any {
	b.t.Helper()
	all := deliveries(b.t, b.db)
	d, ok := all[lastDelivery(id)]
	if !ok {
		d, ok = all[firstDelivery(id)]
	}
	if !ok {
		b.t.Fatalf("turn %s has no final delivery among %v", id, keys(all))
	}
	var content map[string]any
	must(b.t, json.Unmarshal(d.content, &content))
	if fresh, ok := content["m.new_content"].(map[string]any); ok {
		return fresh
	}
	return content
}

func keys[V any](m map[string]V) []string {
	var all []string
	for k := range m {
		all = append(all, k)
	}
	return all
}
