package dispatch

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/lifecycle"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

func TestAMessageStartsATurn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.start()
	old := text("$old", ops, ann, "long ago")
	old.Live = false
	w.hears(old, text("$1", ops, ann, "hello"), text("$2", ops, watcher, "my answer"),
		chat.Event{EventID: "$3", Room: ops, Sender: ann, Type: "m.reaction", Live: true})
	got := w.settles(0)
	if len(got) != 1 {
		t.Fatalf("created %+v", got)
	}
	r := got[0]
	if r.TriggerEvent != "$1" || r.Agent != "watcher" || r.Account != watcher || r.ThreadRoot != "$1" || r.Depth != 0 ||
		r.Who.Requester != ann || r.Who.Thread != "" || r.Who.ResolvedThread != "$1" || r.Who.Session != ops+":$1" || r.Who.Agent != "watcher" {
		t.Errorf("created %+v", r)
	}
	// Heard again, as after a lost sync token.
	w.hears(text("$1", ops, ann, "hello"))
	w.hears(text("$4", ops, ann, "again", inThreadOf("$1")))
	if got := w.settles(0); triggers(got) != "$1 $4" || got[1].Who.Thread != "$1" || got[1].ThreadRoot != "$1" {
		t.Errorf("created %+v", got)
	}
}

// Sentence 3: a row and its turn change together, or both not at all.
func TestARowAndItsTurnChangeTogether(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.refuse = errors.New("not now")
	w.start()
	w.hears(text("$1", ops, ann, "hello"))
	<-w.tick
	if got := w.settles(1); len(got) != 0 {
		t.Fatalf("created %+v", got)
	}
	w.mu.Lock()
	w.refuse = nil
	w.mu.Unlock()
	w.pump.Wake()
	if got := w.settles(0); triggers(got) != "$1" {
		t.Errorf("created %+v", got)
	}
}

// What was journalled before the process died is worked on by the next one.
func TestAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.hears(text("$1", ops, ann, "hello"))
	must(t, w.db.Close())
	w.open()
	w.start()
	w.settles(0)
	w.stop()
	must(t, w.db.Close())
	w.open()
	w.start()
	w.hears(text("$1", ops, ann, "hello"), text("$2", ops, ann, "more"))
	if got := w.settles(0); triggers(got) != "$1 $2" {
		t.Errorf("created %+v", got)
	}
}

// Sentence 4: what cannot be told waits with its room; others go on.
func TestWhatCannotBeToldWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.set(ops, ann, tool.CannotTell)
	var many []chat.Event
	for i := range 2*batch + 10 {
		many = append(many, text(fmt.Sprintf("$m%d", i), ops, ann, "waiting"))
	}
	w.hears(append(many, text("$lab", lab, ann, "hello"))...)
	w.start()
	if got := w.settles(len(many)); triggers(got) != "$lab" {
		t.Fatalf("created %s", triggers(got))
	}
	w.set(ops, ann, tool.Yes)
	w.pump.Wake()
	got := w.settles(0)
	if len(got) != len(many)+1 {
		t.Fatalf("created %d", len(got))
	}
	for i, r := range got[1:] {
		if r.TriggerEvent != fmt.Sprintf("$m%d", i) {
			t.Fatalf("number %d is %s", i, r.TriggerEvent)
		}
	}
}

// Without a wake the repair pass finds it.
func TestDeferredRowsAreLookedAtAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.pump.Repair = 5 * time.Millisecond
	w.set(ops, ann, tool.CannotTell)
	w.hears(text("$1", ops, ann, "hello"))
	w.start()
	w.settles(1)
	w.set(ops, ann, tool.Yes)
	if got := w.settles(0); triggers(got) != "$1" {
		t.Errorf("created %+v", got)
	}
}

func TestAChainEndsWithANote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.start()
	relay := func(id string, depth int) chat.Event {
		return text(id, ops, watcher, "@watcher go on", fmt.Sprintf(`,"com.mindroom.original_sender":%q,"com.mindroom.source_kind":"trusted_internal_relay",`+
			`"com.mindroom.message_received_depth":%d,"m.mentions":{"user_ids":[%q]}`, ann, depth, watcher), inThreadOf("$root"))
	}
	w.hears(relay("$1", ChainCap), relay("$2", ChainCap+1))
	got := w.settles(0)
	if triggers(got) != "$1" || got[0].Depth != ChainCap || got[0].Who.Requester != ann {
		t.Errorf("created %+v", got)
	}
	var d chat.Delivery
	must(t, w.db.Read(t.Context(), func(r *store.Reader) (err error) {
		d, err = chat.Get(r, "note:"+watcher+":$2")
		return err
	}))
	if d.Room != ops || d.ThreadRoot != "$root" || d.Account != watcher || !strings.Contains(string(d.Content), "m.notice") {
		t.Errorf("the note is %+v", d)
	}
}

func TestWhereTheAnswerGoes(t *testing.T) {
	t.Parallel()
	t.Run("a reply without a thread", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		w.start()
		reply := func(id, to string) chat.Event {
			return text(id, ops, ann, "and?", fmt.Sprintf(`,"m.relates_to":{"m.in_reply_to":{"event_id":%q}}`, to))
		}
		w.hears(text("$root", ops, ann, "hello"), text("$a", ops, watcher, "hi", inThreadOf("$root")),
			reply("$1", "$a"), reply("$2", "$root"), reply("$3", "$2"), reply("$4", "$unknown"))
		var roots []string
		for _, r := range w.settles(0) {
			roots = append(roots, r.ThreadRoot)
		}
		if got := strings.Join(roots, " "); got != "$root $root $root $root $4" {
			t.Errorf("the answers go to %s", got)
		}
	})
	t.Run("room mode", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher, thread_mode: room}}
authorization: {default_room_access: true}
`)
		w.start()
		w.hears(text("$1", ops, ann, "hello"), text("$2", ops, ann, "inside", inThreadOf("$root")))
		got := w.settles(0)
		if len(got) != 2 || got[0].ThreadRoot != "" || got[0].Who.Session != ops || got[1].ThreadRoot != "$root" {
			t.Errorf("created %+v", got)
		}
	})
	t.Run("for the person behind a ghost", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, "")
		w.start()
		w.hears(text("$1", ops, "@ghost:x", "hello"))
		if got := w.settles(0); len(got) != 1 || got[0].Who.Requester != ann {
			t.Errorf("created %+v", got)
		}
	})
}

// Two agents in one room: the thread's own agent answers, and two people end that.
func TestThreadsOfTwoAgents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.set(ops, helper, tool.Yes)
	w.start()
	w.hears(
		text("$1", ops, ann, "who is there?"),                          // two agents: nobody
		text("$2", ops, ann, "@watcher come"),                          // mentioned
		text("$a", ops, watcher, "here", inThreadOf("$2")),             // its answer
		text("$3", ops, ann, "good", inThreadOf("$2")),                 // its thread
		text("$h", ops, helper, "me too", inThreadOf("$x")),            // the other's thread
		text("$4", ops, ann, "well", inThreadOf("$x")),                 // not ours
		text("$5", ops, ben, "and me?", inThreadOf("$2")),              // two people
		text("$6", ops, ben, "@watcher, and me?", inThreadOf("$2")),    // mentioned
		text("$7", ops, ann, "@helper, what of it?", inThreadOf("$2")), // somebody else
	)
	if got := w.settles(0); triggers(got) != "$2 $3 $6" {
		t.Errorf("created %s", triggers(got))
	}
}

// An account without an agent answers nothing and keeps nothing new.
func TestAnAccountOfNoAgent(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	group := lifecycle.New(t.Context())
	w.hears(text("$1", ops, ann, "hello"))
	w.pump.Watch(group, Account{Name: watcher, UserID: watcher, Agent: "router"})
	if got := w.settles(0); len(got) != 0 {
		t.Errorf("created %+v", got)
	}
	must(t, group.Stop(t.Context()))
}
