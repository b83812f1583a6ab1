package provider

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/hooks"
	"mindroom/internal/identity"
	"mindroom/internal/lifecycle"
	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

const (
	room    = "!ops:x"
	thread  = "$root"
	account = "@mindroom_watcher:x"
	ann     = "@ann:x"
	// patient is a deadline that only a fault reaches.
	patient = 90 * time.Second
)

const configuration = `
models: {default: {provider: scripted, id: test-model}}
agents:
  watcher: {display_name: Watcher, role: You watch., tools: [probe]}
authorization: {default_room_access: true}
`

// everybody may use every agent: who may is not what is tested here.
type everybody struct{}

func (everybody) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	return tool.Yes
}

// world is an engine whose model is a provider over HTTP.
type world struct {
	t      *testing.T
	path   string
	db     *store.DB
	engine *turn.Engine
	log    *locked
	// waits receives each wait for another attempt.
	waits chan time.Duration
	// ran counts the bodies of the one tool.
	ran  atomic.Int32
	stop func()
}

// locked is a buffer that a logger may write to while a test reads.
type locked struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// policy is the product's with shorter waits.
func (w *world) policy() model.Policy {
	p := model.Policy{Attempts: 4, Base: 10 * time.Millisecond, Longest: 20 * time.Second, Total: time.Minute}
	p.Waiting = func(_ int, wait time.Duration, failure *model.Error) {
		slog.New(slog.NewTextHandler(w.log, nil)).Warn("again", "err", failure)
		w.waits <- wait
	}
	return p
}

func open(t *testing.T, d modeltest.Dialect, s *modeltest.Server, c fault) *world {
	t.Helper()
	w := &world{t: t, path: filepath.Join(t.TempDir(), "m.db"), log: &locked{}, waits: make(chan time.Duration, 64)}
	w.start(d, s, c)
	return w
}

// start opens the store and runs an engine over it, as a process does.
func (w *world) start(d modeltest.Dialect, s *modeltest.Server, c fault) {
	t := w.t
	t.Helper()
	policy := w.policy()
	if c.total > 0 {
		policy.Total = c.total
	}
	policy.Attempt = c.attempt
	idle := c.idle
	if idle == 0 {
		idle = patient
	}
	provider := model.Retrying(d.Provider(t, s, idle), policy)
	db, err := store.Open(t.Context(), w.path, chat.Schema, turn.Schema, audit.Schema)
	must(t, err)
	w.db = db
	outbox, err := chat.OpenOutbox(t.Context(), db, nil)
	must(t, err)
	registry, err := tool.NewRegistry(w.toolkit())
	must(t, err)
	cfg, _, err := config.Parse("config.yaml", []byte(configuration), registry, config.Env{})
	must(t, err)
	holder := config.NewHolder(cfg)
	bodies := lifecycle.New(context.Background())
	log := slog.New(slog.NewTextHandler(w.log, &slog.HandlerOptions{Level: slog.LevelDebug}))
	w.engine = turn.New(turn.Parts{
		DB: db, Outbox: outbox, History: chat.NewJournal(db, nil), Config: holder, Log: log,
		Room: &tool.Room{Registry: registry, Config: holder, Policy: approval.Rules{}, Authority: everybody{}, Hooks: hooks.New(hooks.Parts{Config: holder}),
			Audit: audit.Log{Redactor: &secret.Redactor{}}, Router: tool.Local{}, Now: time.Now, Run: bodies},
		Models: func(*config.Snapshot, string, string) (turn.Model, error) {
			return turn.Model{Provider: provider, Name: "default", Kind: provider.Name(), ID: "test-model", Window: c.window}, nil
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- w.engine.Run(ctx) }()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := errors.Join(<-done, bodies.Wait(), db.Close()); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
}

func (w *world) toolkit() tool.Toolkit {
	type keyed struct {
		Key string `json:"key"`
	}
	return tool.Toolkit{Name: "probe", Purpose: "for tests", Build: func(tool.Env) ([]tool.Function, error) {
		return []tool.Function{tool.Typed(tool.Spec{Name: "echo"}, func(_ context.Context, _ tool.Invocation, in keyed) (any, error) {
			w.ran.Add(1)
			return "echo " + in.Key, nil
		})}, nil
	}}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// hear journals a message of Ann's in the thread.
func (w *world) hear(id, text string) {
	w.t.Helper()
	raw, err := json.Marshal(map[string]any{"msgtype": "m.text", "body": text,
		"m.relates_to": map[string]any{"rel_type": "m.thread", "event_id": thread}})
	must(w.t, err)
	must(w.t, w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		_, err := chat.NewJournal(w.db, nil).RecordSync(tx, account, "", []chat.Event{{
			EventID: id, Room: room, Sender: ann, Type: "m.room.message", OriginTS: time.Now().UnixMilli(), Content: raw, Live: true}})
		return err
	}))
}

// ask has Ann ask and returns the turn.
func (w *world) ask() string {
	w.t.Helper()
	w.hear("$ask", "How is it?")
	must(w.t, w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		return w.engine.Create(tx, turn.Request{Agent: "watcher", Account: account, Who: identity.InThread("watcher", ann, room, thread),
			Room: room, ThreadRoot: thread, TriggerEvent: "$ask"})
	}))
	var id string
	must(w.t, w.db.Read(w.t.Context(), func(r *store.Reader) error {
		return r.QueryRow(`SELECT turn_id FROM turns`).Scan(&id)
	}))
	return id
}

// ends waits for the turn's end.
func (w *world) ends(id string) (turn.State, string) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), patient)
	defer cancel()
	state, err := w.engine.Wait(ctx, id)
	if err != nil {
		w.t.Fatalf("the turn does not end: %v\n%s", err, w.log)
	}
	var reason string
	must(w.t, w.db.Read(w.t.Context(), func(q *store.Reader) error {
		t, _, err := turn.Read(q, id)
		reason = t.Reason
		return err
	}))
	return state, reason
}

// final is what the room shows in the end: of everything that was to be sent,
// one message and one edit that ends it (sentence 1).
func (w *world) final() string {
	w.t.Helper()
	type delivery struct {
		ID, Kind, Content string
		Progress          bool
	}
	var messages, ends []string
	must(w.t, w.db.Read(w.t.Context(), func(r *store.Reader) error {
		messages, ends = nil, nil
		return store.Each(r, func(rows *store.Rows) error {
			var d delivery
			if err := rows.Scan(&d.ID, &d.Kind, &d.Content, &d.Progress); err != nil {
				return err
			}
			switch {
			case d.Kind != string(chat.KindEdit):
				messages = append(messages, d.Content)
			case !d.Progress:
				ends = append(ends, d.Content)
			}
			return nil
		}, `SELECT id, kind, content, progress FROM chat_deliveries WHERE type = 'm.room.message'`)
	}))
	if len(messages) != 1 || len(ends) != 1 {
		w.t.Fatalf("the room gets %d messages and %d ends: %q %q", len(messages), len(ends), messages, ends)
	}
	var content struct {
		Body string         `json:"body"`
		New  map[string]any `json:"m.new_content"`
	}
	must(w.t, json.Unmarshal([]byte(ends[0]), &content))
	if body, ok := content.New["body"].(string); ok {
		return body
	}
	return content.Body
}

// shown are all contents of the outbox as they are now.
func (w *world) shown() string {
	w.t.Helper()
	var all strings.Builder
	must(w.t, w.db.Read(w.t.Context(), func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			var content string
			err := rows.Scan(&content)
			all.WriteString(content)
			return err
		}, `SELECT content FROM chat_deliveries`)
	}))
	return all.String()
}

// secret makes sure that the key was neither stored nor logged (sentence 4).
func (w *world) secret() {
	w.t.Helper()
	w.stop()
	files, err := filepath.Glob(w.path + "*")
	must(w.t, err)
	for _, file := range files {
		raw, err := os.ReadFile(file)
		must(w.t, err)
		if bytes.Contains(raw, []byte(modeltest.Key)) {
			w.t.Errorf("%s holds the key", filepath.Base(file))
		}
	}
	if strings.Contains(w.log.String(), modeltest.Key) {
		w.t.Errorf("the log holds the key:\n%s", w.log)
	}
}

func (w *world) told() string { return fmt.Sprintf("log:\n%s", w.log) }
