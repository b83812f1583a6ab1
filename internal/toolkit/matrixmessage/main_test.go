package matrixmessage

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/canonical"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/dispatch"
	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const (
	anna   = "@anna:example.org"
	room   = "!ops:example.org"
	other  = "!lab:example.org"
	thread = "$root"
)

// world is the accounts, the rooms and the authority of a test: who is in
// which room, and whom an agent may answer.
type world struct {
	mu       sync.Mutex
	joined   map[string]tool.Answer // "room user"
	may      map[string]tool.Answer // "agent requester room"; absent is yes
	accounts map[string]Account
}

func (w *world) Account(entity string) (Account, bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	a, ok := w.accounts[entity]
	return a, ok
}

func (w *world) Own(userID string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, a := range w.accounts {
		if a.UserID == userID {
			return true
		}
	}
	return false
}

func (w *world) Joined(_ context.Context, room, user string) tool.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.joined[room+" "+user]; ok {
		return a
	}
	return tool.No
}

func (w *world) RoomID(key string) (string, bool) {
	id, ok := map[string]string{"operations": room, "lab": other}[key]
	return id, ok
}

func (w *world) May(_ context.Context, who identity.Execution, _ *config.Snapshot) tool.Answer {
	w.mu.Lock()
	defer w.mu.Unlock()
	if a, ok := w.may[who.Agent+" "+who.Requester+" "+who.Room]; ok {
		return a
	}
	return tool.Yes
}

// bench is the toolkit over a real store, with a homeserver that takes what it
// is given unless the test holds or refuses it.
type bench struct {
	*world
	t       *testing.T
	db      *store.DB
	outbox  *chat.Outbox
	journal *chat.Journal
	media   *media.Store
	fn      tool.Function
	in      tool.Invocation
	ctx     context.Context // of calls; nil is the test's
	refuse  string          // kind of refusal; empty: every event is taken
}

func userID(agent string) string { return "@mindroom_" + agent + ":example.org" }

func newBench(t *testing.T) *bench {
	t.Helper()
	b := &bench{t: t, db: storetest.Open(t, media.Schema, chat.Schema), world: &world{
		joined: map[string]tool.Answer{}, may: map[string]tool.Answer{}, accounts: map[string]Account{},
	}}
	agents := map[string]*config.Agent{}
	for _, agent := range []string{"watcher", "helper"} {
		agents[agent] = &config.Agent{Name: agent}
		b.accounts[agent] = Account{Name: userID(agent), UserID: userID(agent)}
		b.joined[room+" "+userID(agent)] = tool.Yes
	}
	b.accounts["router"] = Account{Name: userID("router"), UserID: userID("router")}
	b.joined[room+" "+anna] = tool.Yes
	var err error
	if b.outbox, err = chat.OpenOutbox(t.Context(), b.db, nil); err != nil {
		t.Fatal(err)
	}
	b.journal = chat.NewJournal(b.db, nil)
	if b.media, err = media.Open(media.Options{Folder: t.TempDir(), DB: b.db}); err != nil {
		t.Fatal(err)
	}
	functions, err := New(Deps{DB: b.db, Outbox: b.outbox, Journal: b.journal, Authority: b, Rooms: b, Accounts: b, Media: b.media}).Build(tool.Env{})
	if err != nil || len(functions) != 1 {
		t.Fatalf("Build = %d functions, %v", len(functions), err)
	}
	b.fn = functions[0]
	b.in = tool.Invocation{
		Call:     tool.Call{Ref: tool.Ref{Door: tool.DoorScript, Owner: "script-1", ID: "0"}, Name: b.fn.Name, Who: identity.InThread("watcher", anna, room, thread), Depth: 2},
		Snapshot: &config.Snapshot{Config: &config.Config{Agents: agents}},
	}
	return b
}

// pump plays the homeserver until the test ends.
func (b *bench) pump() *bench {
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	account := userID("watcher")
	wake, unsubscribe := b.outbox.Wake(account)
	go func() {
		defer close(done)
		for {
			due, _, err := b.outbox.Next(ctx, account)
			if err != nil && ctx.Err() == nil {
				b.t.Errorf("next: %v", err)
			}
			for _, d := range due {
				if err := b.db.Write(ctx, func(tx *store.Tx) error { return b.answer(tx, d) }); err != nil && ctx.Err() == nil {
					b.t.Errorf("answer: %v", err)
				}
			}
			if len(due) > 0 {
				continue
			}
			select {
			case <-wake:
			case <-ctx.Done():
				return
			}
		}
	}()
	b.t.Cleanup(func() { cancel(); <-done; unsubscribe() })
	return b
}

func (b *bench) answer(tx *store.Tx, d chat.Delivery) error {
	if b.refuse != "" {
		_, err := b.outbox.MarkFailed(tx, d.ID, b.refuse, time.Time{})
		return err
	}
	_, err := b.outbox.MarkSent(tx, d.ID, "$of-"+d.ID)
	return err
}

type args map[string]any

func (b *bench) call(id string, a args) tool.Outcome {
	b.t.Helper()
	doc, err := canonical.FromValue(map[string]any(a))
	if err != nil {
		b.t.Fatal(err)
	}
	in := b.in
	in.Ref.ID, in.Args = id, doc
	in.Keep = func(ctx context.Context, part int, data io.Reader, mime, name string) (media.Ref, error) {
		return b.media.Keep(ctx, tool.FileOwner(in.Call, part), data, mime, name)
	}
	ctx := b.ctx
	if ctx == nil {
		ctx = b.t.Context()
	}
	return b.fn.Body.Run(ctx, in)
}

// sent makes a call that must succeed, and returns its result and its delivery.
func (b *bench) sent(id string, a args) (map[string]any, chat.Delivery) {
	b.t.Helper()
	value := b.ok(id, a)
	var d chat.Delivery
	err := b.db.Read(b.t.Context(), func(r *store.Reader) (err error) {
		d, err = chat.Get(r, "matrix_message:script:script-1:"+id)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
	return value, d
}

func (b *bench) ok(id string, a args) map[string]any {
	b.t.Helper()
	out := b.call(id, a)
	if out.State != tool.StateCompleted {
		b.t.Fatalf("%v = %s %v", a, out.State, out.Fault)
	}
	var value map[string]any
	if err := json.Unmarshal(out.Value, &value); err != nil {
		b.t.Fatal(err)
	}
	if value["status"] != "ok" || value["tool"] != "matrix_message" {
		b.t.Errorf("the result %s lacks its head", out.Value)
	}
	return value
}

// fails makes a call that must be refused, and holds that nothing was enqueued.
func (b *bench) fails(kind tool.FaultKind, id string, a args) *tool.Fault {
	b.t.Helper()
	out := b.call(id, a)
	if out.Fault == nil || out.Fault.Kind != kind {
		b.t.Fatalf("%.200v = %s %s %v, want %s", a, out.State, out.Value, out.Fault, kind)
	}
	err := b.db.Read(b.t.Context(), func(r *store.Reader) error {
		_, err := chat.Get(r, "matrix_message:script:script-1:"+id)
		return err
	})
	if !errors.Is(err, chat.ErrUnknown) {
		b.t.Errorf("a refused call left a delivery: %v", err)
	}
	return out.Fault
}

// decide is what an agent makes of a message that the watcher's account sent.
func (b *bench) decide(agent string, d chat.Delivery) dispatch.Decision {
	content := dispatch.ParseContent(d.Content)
	return dispatch.Decide(dispatch.Input{
		Agent: agent, UserID: userID(agent), Type: "m.room.message", Sender: d.Account, Live: true, Content: content, Mentions: content.MentionIDs, Own: b.Own,
		Candidates: []dispatch.Candidate{{Agent: "watcher", May: tool.Yes}, {Agent: "helper", May: tool.Yes}},
	})
}

// hear records messages as the watcher's account heard them.
func (b *bench) hear(events ...chat.Event) {
	b.t.Helper()
	for i := range events {
		if events[i].Type == "" {
			events[i].Type = "m.room.message"
		}
		if events[i].Content == nil {
			events[i].Content = json.RawMessage(`{"msgtype":"m.text","body":"` + events[i].EventID + `"}`)
		}
	}
	err := b.db.Write(b.t.Context(), func(tx *store.Tx) error {
		_, err := b.journal.RecordSync(tx, userID("watcher"), "", events)
		return err
	})
	if err != nil {
		b.t.Fatal(err)
	}
}
