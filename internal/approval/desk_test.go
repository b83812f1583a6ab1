package approval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

const (
	ann, ben     = "@ann:x", "@ben:x"
	ops          = "!ops:x"
	routerUser   = "@router:x"
	watcherUser  = "@watcher:x"
	cardPatience = 2 * time.Minute // a deadline that only a fault reaches
)

// desk is a Cards over a real store and outbox, with rooms and authority that
// the test decides.
type desk struct {
	t      testing.TB
	db     *store.DB
	media  *media.Store
	outbox *chat.Outbox
	cards  *Cards
	// wall is what the wall clock is ahead of the machine's.
	wall atomic.Int64

	mu      sync.Mutex
	may     tool.Answer
	router  tool.Answer
	settled []string
}

func newDesk(t testing.TB) *desk {
	t.Helper()
	d := &desk{t: t, may: tool.Yes, router: tool.Yes}
	d.db = storetest.Open(t, chat.Schema, Schema, media.Schema)
	var err error
	if d.media, err = media.Open(media.Options{Folder: t.TempDir(), DB: d.db}); err != nil {
		t.Fatal(err)
	}
	d.again()
	return d
}

// again makes new Cards over the same database, as the next process does.
func (d *desk) again() {
	d.t.Helper()
	var err error
	if d.outbox, err = chat.OpenOutbox(context.Background(), d.db, d.now); err != nil {
		d.t.Fatal(err)
	}
	settled := func(owner string) {
		d.mu.Lock()
		defer d.mu.Unlock()
		d.settled = append(d.settled, owner)
	}
	cfg := &config.Config{Agents: map[string]*config.Agent{"watcher": {}}}
	d.cards = NewCards(Parts{
		DB: d.db, Outbox: d.outbox, Config: config.NewHolder(cfg), Authority: d, Accounts: d, Rooms: d, Router: "router", Files: d.media, Wall: d.now,
		Mask:    func(s string) string { return string(bytes.ReplaceAll([]byte(s), []byte("hunter2"), []byte("***"))) },
		Settled: map[tool.Door]func(string){tool.DoorTurn: settled}, Log: slog.New(slog.DiscardHandler),
	})
	d.outbox.GivenUp = d.cards.GivenUp
}

func (d *desk) now() time.Time { return time.Now().Add(time.Duration(d.wall.Load())) }

// May, UserID, Own and Joined make the desk the view of its room.
func (d *desk) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.may
}

func (d *desk) UserID(entity string) (string, bool) {
	return map[string]string{"router": routerUser, "watcher": watcherUser}[entity], entity == "router" || entity == "watcher"
}

func (d *desk) Own(user string) bool { return user == routerUser || user == watcherUser }

func (d *desk) Joined(context.Context, string, string) tool.Answer {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.router
}

func (d *desk) set(fn func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	fn()
}

func (d *desk) must(err error) {
	d.t.Helper()
	if err != nil {
		d.t.Fatal(err)
	}
}

// plan is a call that a rule asks about.
func (d *desk) plan(ref tool.Ref, args any) tool.Plan {
	d.t.Helper()
	doc, err := canonical.FromValue(args)
	d.must(err)
	return tool.Plan{
		Call:    tool.Call{Ref: ref, Name: tool.Name{Toolkit: "kit", Function: "act"}, Args: doc, Who: identity.InThread("watcher", ann, ops, "$root")},
		Verdict: tool.Verdict{Kind: tool.Ask, Rule: "rule 1", Timeout: time.Hour}, Depends: "settings",
	}
}

func turnRef(owner string) tool.Ref { return tool.Ref{Door: tool.DoorTurn, Owner: owner, ID: "1.1.c"} }

func scriptRef(owner string) tool.Ref {
	return tool.Ref{Door: tool.DoorScript, Owner: owner, ID: "call-1"}
}

// asks puts a question.
func (d *desk) asks(ref tool.Ref, args any) Card {
	d.t.Helper()
	card, fault := d.cards.Draw(context.Background(), d.plan(ref, args))
	if fault != nil {
		d.t.Fatal(fault)
	}
	d.write(func(tx *store.Tx) error { return d.cards.Put(tx, card) })
	return card
}

func (d *desk) write(fn func(tx *store.Tx) error) {
	d.t.Helper()
	d.must(d.db.Write(context.Background(), fn))
}

// decides ends a question as its requester, or nobody, does.
func (d *desk) decides(id string, next State, reason string) (card Card, first bool) {
	d.t.Helper()
	d.write(func(tx *store.Tx) (err error) {
		by := ann
		if next == Expired {
			by = ""
		}
		card, first, _, err = d.cards.Decide(tx, id, next, by, reason)
		return err
	})
	return card, first
}

// hears does what becomes of a word, as dispatch does.
func (d *desk) hears(w Word) Verdict {
	d.t.Helper()
	v, err := d.cards.Hear(context.Background(), w)
	d.must(err)
	if v.Do != nil {
		d.write(v.Do)
	}
	return v
}

func (d *desk) card(id string) (card Card) {
	d.t.Helper()
	d.must(d.db.Read(context.Background(), func(q *store.Reader) error {
		var found bool
		var err error
		card, found, err = get(q, id)
		if err == nil && !found {
			err = fmt.Errorf("no card %s", id)
		}
		return err
	}))
	return card
}

// exists reports whether a question was put, waiting how many wait.
func (d *desk) exists(id string) (found bool) {
	d.must(d.db.Read(context.Background(), func(q *store.Reader) (err error) {
		_, found, err = get(q, id)
		return err
	}))
	return found
}

func (d *desk) waiting() (n int) {
	d.must(d.db.Read(context.Background(), func(q *store.Reader) error {
		return q.QueryRow(`SELECT count(*) FROM approval_cards WHERE state = 'pending'`).Scan(&n)
	}))
	return n
}

// delivery is one of the outbox, with its content; false when there is none.
func (d *desk) delivery(id string) (found chat.Delivery, content map[string]any, ok bool) {
	d.t.Helper()
	d.must(d.db.Read(context.Background(), func(q *store.Reader) (err error) {
		if found, err = chat.Get(q, id); err == nil {
			ok = true
			return json.Unmarshal(found.Content, &content)
		}
		return nil
	}))
	return found, content, ok
}

// notes are the occasions on which somebody was told something about a card.
func (d *desk) notes(id string) []string {
	d.t.Helper()
	var all []string
	d.must(d.db.Read(context.Background(), func(q *store.Reader) error {
		return store.Each(q, func(rows *store.Rows) error {
			var delivery string
			err := rows.Scan(&delivery)
			all = append(all, delivery[len("card-note:"+id+":"):])
			return err
		}, `SELECT id FROM chat_deliveries WHERE id LIKE $1 ORDER BY seq`, "card-note:"+id+":%")
	}))
	slices.Sort(all)
	return all
}

// shown holds sentence 4: a card that has ended is shown as such, both ways.
func (d *desk) shown(id string) {
	d.t.Helper()
	card := d.card(id)
	for _, of := range []string{eventDelivery, textDelivery} {
		end, content, ok := d.delivery(of + id + endSuffix)
		if ok != card.State.Terminal() {
			d.t.Errorf("%s is %s, its end is shown: %v", of+id, card.State, ok)
		}
		if ok && (end.Kind != chat.KindEdit || of == eventDelivery && content["status"] != card.State.published()) {
			d.t.Errorf("%s ends with %s %v", of+id, end.Kind, content)
		}
	}
}

// sends has the router's pump take one delivery, which must be id, and fail or
// succeed.
func (d *desk) sends(id, fault string) {
	d.t.Helper()
	due, _, err := d.outbox.Next(context.Background(), routerUser)
	d.must(err)
	if len(due) != 1 || due[0].ID != id {
		d.t.Fatalf("to be sent is %+v, not %s", due, id)
	}
	d.write(func(tx *store.Tx) error {
		if fault == "" {
			_, err := d.outbox.MarkSent(tx, id, "$event of "+id)
			return err
		}
		_, err := d.outbox.MarkFailed(tx, id, fault, time.Time{})
		return err
	})
}
