package dispatch

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
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
	ops, lab = "!ops:x", "!lab:x"
	patient  = 20 * time.Second
)

// turnsSchema is where the tests' Turns keeps what was created.
var turnsSchema = store.Schema{Name: "test", Steps: []string{`CREATE TABLE created (n INTEGER PRIMARY KEY, request TEXT NOT NULL)`}}

// world is a pump over a real store and journal.
type world struct {
	t       *testing.T
	path    string
	db      *store.DB
	pump    *Pump
	journal *chat.Journal
	stop    func()

	mu     sync.Mutex
	joined map[string]tool.Answer // "room user"; yes where nothing is said
	refuse error                  // what Create answers
	tick   chan struct{}          // a signal after each attempt to create
}

func newWorld(t *testing.T, yaml string) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "m.db"), joined: map[string]tool.Answer{}, tick: make(chan struct{}, 1000)}
	if yaml == "" {
		yaml = `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher}, helper: {display_name: Helper}}
authorization: {default_room_access: true, aliases: {"@ann:x": ["@ghost:x"]}}
`
	}
	registry, err := tool.NewRegistry()
	must(t, err)
	cfg, _, err := config.Parse("config.yaml", []byte(yaml), registry, config.Env{})
	must(t, err)
	w.pump = &Pump{Turns: w, Config: config.NewHolder(cfg), Accounts: ours, Rooms: w, Authority: w, Log: slog.New(slog.DiscardHandler), Repair: time.Hour}
	w.set(ops, helper, tool.No)
	w.set(lab, helper, tool.No)
	w.open()
	return w
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *world) open() {
	w.t.Helper()
	db, err := store.Open(w.t.Context(), w.path, chat.Schema, turnsSchema)
	must(w.t, err)
	w.t.Cleanup(func() { _ = db.Close() })
	outbox, err := chat.OpenOutbox(w.t.Context(), db, nil)
	must(w.t, err)
	w.db, w.journal = db, chat.NewJournal(db, nil)
	w.pump.DB, w.pump.Journal, w.pump.Outbox = db, w.journal, outbox
}

func (w *world) start() {
	w.t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	group := lifecycle.New(ctx)
	if !w.pump.Watch(group, Account{Name: watcher, UserID: watcher, Agent: "watcher"}) {
		w.t.Fatal("the pump did not start")
	}
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := group.Wait(); err != nil {
			w.t.Errorf("the pump ended with %v", err)
		}
	})
	w.t.Cleanup(w.stop)
}

func (w *world) set(room, user string, a tool.Answer) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.joined[room+" "+user] = a
}

// Joined, RoomNames and May make the world the view of its rooms.
func (w *world) Joined(_ context.Context, room, user string) tool.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.joined[room+" "+user]; ok {
		return a
	}
	return tool.Yes
}

func (w *world) RoomNames(room string) []string { return []string{room} }

func (w *world) May(ctx context.Context, who identity.Execution, _ *config.Snapshot) tool.Answer {
	return w.Joined(ctx, who.Room, who.Requester)
}

// Create keeps the request, or fails as told.
func (w *world) Create(tx *store.Tx, r Request) error {
	defer func() { w.tick <- struct{}{} }()
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.refuse != nil {
		return w.refuse
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO created (request) VALUES ($1)`, string(raw))
	return err
}

// hears journals messages as the watcher's account hears them.
func (w *world) hears(events ...chat.Event) {
	w.t.Helper()
	must(w.t, w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		_, err := w.journal.RecordSync(tx, watcher, "next", events)
		return err
	}))
}

var clockTick atomic.Int64

func text(id, room, sender, body string, more ...string) chat.Event {
	content := fmt.Sprintf(`{"msgtype":"m.text","body":%q%s}`, body, strings.Join(more, ""))
	return chat.Event{EventID: id, Room: room, Sender: sender, Type: "m.room.message", OriginTS: clockTick.Add(1), Content: json.RawMessage(content), Live: true}
}

func inThreadOf(root string) string {
	return fmt.Sprintf(`,"m.relates_to":{"rel_type":"m.thread","event_id":%q}`, root)
}

// settles waits until no row is new but n, by the wakes of the journal's own
// commits, and returns what was created.
func (w *world) settles(n int) []Request {
	w.t.Helper()
	deadline := time.Now().Add(patient)
	for {
		left, err := w.journal.New(w.t.Context(), watcher, 10_000)
		must(w.t, err)
		if len(left) == n {
			return w.created()
		}
		if time.Now().After(deadline) {
			w.t.Fatalf("%d rows are new, want %d", len(left), n)
		}
		time.Sleep(2 * time.Millisecond)
	}
}

func (w *world) created() []Request {
	w.t.Helper()
	var all []Request
	must(w.t, w.db.Read(w.t.Context(), func(r *store.Reader) error {
		all = nil
		return store.Each(r, func(rows *store.Rows) error {
			var raw string
			if err := rows.Scan(&raw); err != nil {
				return err
			}
			var req Request
			err := json.Unmarshal([]byte(raw), &req)
			all = append(all, req)
			return err
		}, `SELECT request FROM created ORDER BY n`)
	}))
	return all
}

func triggers(requests []Request) string {
	var ids []string
	for _, r := range requests {
		ids = append(ids, r.TriggerEvent)
	}
	return strings.Join(ids, " ")
}
