package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// said puts a message of one of our accounts into the room as an event.
func (w *world) said(account, room, id, event string) {
	w.t.Helper()
	outbox, err := chat.OpenOutbox(w.t.Context(), w.db, nil)
	must(w.t, err)
	must(w.t, w.db.Write(w.t.Context(), func(tx *store.Tx) error {
		if _, err := outbox.Enqueue(tx, chat.Delivery{ID: id, Conversation: chat.Conversation{Account: account, Room: room},
			Kind: chat.KindMessage, Type: "m.room.message", Content: json.RawMessage(`{}`)}); err != nil {
			return err
		}
		_, err := outbox.MarkSent(tx, id, event)
		return err
	}))
}

func react(id, room, sender, target, key string) chat.Event {
	return chat.Event{EventID: id, Room: room, Sender: sender, Type: "m.reaction", OriginTS: clockTick.Add(1), Live: true,
		Content: json.RawMessage(fmt.Sprintf(`{"m.relates_to":{"rel_type":"m.annotation","event_id":%q,"key":%q}}`, target, key))}
}

func answering(to string) string {
	return fmt.Sprintf(`,"m.relates_to":{"m.in_reply_to":{"event_id":%q}}`, to)
}

// takes is a taker of one key or text that writes down what it was asked and
// what it did.
type takes struct {
	mu    sync.Mutex
	what  string
	later bool
	fails error
	log   []string
}

func (k *takes) taker(_ context.Context, t Touch) (Taking, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	said := t.Key + t.Text
	k.log = append(k.log, "asked "+said+" by "+t.Person+" about "+t.Message.ID)
	if !strings.HasPrefix(said, k.what) {
		return Taking{}, nil
	}
	return Taking{Claimed: true, Later: k.later, Do: func(*store.Tx) error {
		k.mu.Lock()
		defer k.mu.Unlock()
		if k.fails != nil {
			return k.fails
		}
		k.log = append(k.log, "did "+said)
		return nil
	}}, nil
}

func (k *takes) did(what string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return slices.Contains(k.log, what)
}

// Sentence 6: reactions of people to our own messages, in the takers' order.
func TestReactionsAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher}}
authorization: {default_room_access: true, aliases: {"@ann:x": ["@ghost:x"]}}
bot_accounts: ["@bot:x"]
`)
	stop, every := &takes{what: "S"}, &takes{what: ""}
	w.pump.Reactions = []Taker{stop.taker, every.taker}
	w.said(watcher, ops, "turn:1:0", "$ours")
	w.said(helper, ops, "turn:2:0", "$theirs")
	old := react("$old", ops, ann, "$ours", "S")
	old.Live = false
	w.start()
	w.hears(
		react("$1", ops, "@ghost:x", "$ours", "S"), react("$2", ops, ann, "$ours", "x"),
		react("$3", ops, watcher, "$ours", "S"), react("$4", ops, "@bot:x", "$ours", "S"),
		react("$5", ops, ann, "$theirs", "S"), react("$6", ops, ann, "$nobodys", "S"), react("$7", lab, ann, "$ours", "S"), old,
	)
	w.settles(0)
	if got, want := strings.Join(stop.log, "; "), "asked S by @ann:x about turn:1:0; did S; asked x by @ann:x about turn:1:0"; got != want {
		t.Errorf("the first taker: %s", got)
	}
	if got, want := strings.Join(every.log, "; "), "asked x by @ann:x about turn:1:0; did x"; got != want {
		t.Errorf("the second taker: %s", got)
	}
}

// A reaction whose decision does not commit stays, and is decided later.
func TestAReactionIsNotLost(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	yes := &takes{what: "Y", fails: errors.New("not now")}
	w.pump.Reactions = []Taker{yes.taker}
	w.said(watcher, ops, "card", "$card")
	w.start()
	w.hears(react("$1", ops, ann, "$card", "Y"))
	w.settles(1)
	yes.mu.Lock()
	yes.fails, yes.later = nil, true
	yes.mu.Unlock()
	w.pump.Wake()
	w.settles(1)
	yes.mu.Lock()
	yes.later = false
	yes.mu.Unlock()
	w.pump.Wake()
	w.settles(0)
	if !yes.did("did Y") {
		t.Errorf("%v", yes.log)
	}
}

// A reply that is claimed starts no turn, whichever of our accounts said what it
// answers; any other reply is a message.
func TestRepliesAreOffered(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	no := &takes{what: "deny"}
	w.pump.Replies = []Taker{no.taker}
	w.said(watcher, ops, "card", "$card")
	w.said(helper, ops, "other card", "$other")
	w.start()
	w.hears(
		text("$1", ops, ann, "deny: not today", answering("$card")),
		text("$2", ops, ann, "deny", answering("$other")),
		text("$3", ops, ann, "what is this?", answering("$card")),
		text("$4", ops, ann, "deny", answering("$somebodys")),
		text("$5", ops, ann, "deny", `,"m.relates_to":{"rel_type":"m.thread","event_id":"$root","is_falling_back":true,"m.in_reply_to":{"event_id":"$card"}}`),
		text("$6", ops, ann, "deny all", `,"m.relates_to":{"rel_type":"m.thread","event_id":"$root","m.in_reply_to":{"event_id":"$card"}}`),
	)
	if got := triggers(w.settles(0)); got != "$3 $4 $5" {
		t.Errorf("turns for %s", got)
	}
	if !no.did("did deny: not today") || no.did("did deny") || !no.did("did deny all") {
		t.Errorf("%v", no.log)
	}
}
