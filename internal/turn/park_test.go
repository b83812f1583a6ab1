package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/model"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// house is the accounts and rooms as cards ask for them.
type house struct{}

func (house) UserID(entity string) (string, bool)                { return ownID, entity == "watcher" }
func (house) Own(user string) bool                               { return user == ownID }
func (house) Joined(context.Context, string, string) tool.Answer { return tool.Yes }

// newAsking is a bundle whose gated calls ask.
func newAsking(t *testing.T, more string, parts func(*Parts)) *bundle {
	t.Helper()
	return newAskingOf(t, baseConfig+more, parts)
}

func newAskingOf(t *testing.T, text string, parts func(*Parts)) *bundle {
	t.Helper()
	var b *bundle
	b = newBundleOf(t, text, func(p *Parts) {
		p.Cards = approval.NewCards(approval.Parts{
			DB: p.DB, Outbox: p.Outbox.(approval.Outbox), Config: p.Config, Authority: p.Room.Authority, Accounts: house{}, Rooms: house{}, Router: "router",
			Settled: map[tool.Door]func(string){tool.DoorTurn: func(turn string) { b.engine.Settled(turn) }},
		})
		if parts != nil {
			parts(p)
		}
	})
	return b
}

// decides ends the question about one call of a turn.
func (b *bundle) decides(ref tool.Ref, next approval.State, say string) {
	b.t.Helper()
	must(b.t, b.db.Write(b.t.Context(), func(tx *store.Tx) error {
		card, found, err := approval.Of(tx, ref)
		if err != nil || !found {
			return fmt.Errorf("no card of %s: %w", ref, err)
		}
		_, _, _, err = b.engine.Cards.(*approval.Cards).Decide(tx, card.ID, next, ann, say)
		return err
	}))
}

// parks waits until the turn is parked and nothing of it runs any more.
func (b *bundle) parks(id string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patient)
	defer cancel()
	must(b.t, b.engine.Idle(ctx))
	if s := b.row(id).state; s != Parked {
		b.t.Fatalf("the turn is %s; the room reads %q", s, b.said(id))
	}
}

func (b *bundle) cards(id string) []approval.Card {
	b.t.Helper()
	var cards []approval.Card
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		cards, err = approval.Waiting(q, tool.DoorTurn, id)
		return err
	}))
	return cards
}

// A batch waits as a whole for the questions in it, and goes on with what was
// decided (sentences 12 and 13).
func TestParkAndResume(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next    approval.State
		say     string
		ran     int
		reads   string
		restart bool
	}{
		"approved":                 {next: approval.Approved, ran: 1, reads: "never\n\n[" + ann + " approved this call.]"},
		"denied":                   {next: approval.Denied, say: "not today", reads: "approval_denied: probe.gated was denied by " + ann + ": not today"},
		"expired":                  {next: approval.Expired, say: "nobody decided in time", reads: "approval_expired: "},
		"approved after a restart": {next: approval.Approved, ran: 1, reads: "never", restart: true},
		"denied across a restart":  {next: approval.Denied, reads: "approval_denied: probe.gated was denied by " + ann, restart: true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newAsking(t, "", nil)
			b.model.plays(calls("gated", `{"key":"a"}`, "echo", `{"key":"b"}`), says("Done so."))
			id := b.ask("$1", "do it")
			b.parks(id)
			if b.tools.times("a")+b.tools.times("b") != 0 {
				t.Fatalf("ran before the decision: %v", b.tools.ran)
			}
			cards := b.cards(id)
			if len(cards) != 1 || cards[0].Name.Function != "gated" || cards[0].Requester != ann || string(cards[0].Arguments) != `{"key":"a"}` {
				t.Fatalf("the cards are %+v", cards)
			}
			if c.restart {
				b.reopen()
				b.parks(id)
			}
			b.decides(cards[0].Ref, c.next, c.say)
			b.ends(id, Answered)
			if b.tools.times("a") != c.ran || b.tools.times("b") != 1 {
				t.Errorf("ran %v", b.tools.ran)
			}
			results := b.model.asked()[1].Messages[2].Results()
			if !strings.HasPrefix(results[0].Text, c.reads) || results[1].Text != "echo b" {
				t.Errorf("the model reads %+v", results)
			}
			b.oneAnswer(id, "🔧 `gated` [1]\n🔧 `echo` [2]\n\nDone so.")
		})
	}
}

// A decision that came while no process ran is found at the start.
func TestDecidedWhileNobodyHeard(t *testing.T) {
	t.Parallel()
	b := newAsking(t, "", nil)
	b.model.plays(calls("gated", `{"key":"a"}`), says("Done."))
	id := b.ask("$1", "do it")
	b.parks(id)
	b.stop()
	b.decides(b.cards(id)[0].Ref, approval.Approved, "")
	b.reopen()
	b.ends(id, Answered)
	if b.tools.times("a") != 1 {
		t.Errorf("ran %v", b.tools.ran)
	}
}

// A process that dies with a claimed turn proves nothing about it: the next one
// runs nothing and says so.
func TestClaimedIsInterrupted(t *testing.T) {
	t.Parallel()
	b := newAsking(t, "", nil)
	b.model.plays(calls("gated", `{"key":"a"}`))
	id := b.ask("$1", "do it")
	b.parks(id)
	b.stop()
	b.decides(b.cards(id)[0].Ref, approval.Approved, "")
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		if err := b.engine.move(tx, id, Ready, ByWork, ""); err != nil {
			return err
		}
		return b.engine.move(tx, id, Claimed, ByWork, "")
	}))
	b.reopen()
	b.ends(id, Interrupted)
	if b.tools.times("a") != 0 {
		t.Error("an interrupted call ran")
	}
}

// Whatever ends a parked turn withdraws its questions, and nothing runs (S19).
func TestParkedEnds(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end   func(b *bundle, access *may, id string)
		state State
		note  string
		why   string
	}{
		"cancelled": {func(b *bundle, _ *may, id string) { b.cancels(id, true) }, Cancelled, noteCancelled, "the response was stopped"},
		"agent removed": {func(b *bundle, _ *may, _ string) {
			cfg, _, err := config.Parse("config.yaml", []byte("models: {default: {provider: scripted, id: demo}}\nagents: {other: {display_name: Other}}\n"), b.engine.Room.Registry, config.Env{})
			must(b.t, err)
			_, err = b.holder.Publish(cfg)
			must(b.t, err)
			b.engine.News()
		}, Failed, "no longer configured", "the agent was removed"},
		"access lost": {func(b *bundle, access *may, _ string) { access.denied.Store(true); b.engine.News() }, Failed, "may not use this agent here any more", "the requester may not use the agent any more"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			access := &may{}
			b := newAsking(t, "", func(p *Parts) { p.Room.Authority = access })
			b.model.plays(calls("gated", `{"key":"a"}`))
			id := b.ask("$1", "do it")
			b.parks(id)
			ref := b.cards(id)[0].Ref
			c.end(b, access, id)
			b.ends(id, c.state)
			if !strings.Contains(b.said(id), c.note) {
				t.Errorf("the room reads %q", b.said(id))
			}
			var card approval.Card
			must(t, b.db.Read(t.Context(), func(q *store.Reader) (err error) {
				card, _, err = approval.Of(q, ref)
				return err
			}))
			if card.State != approval.Withdrawn || card.Reason != c.why || b.tools.times("a") != 0 {
				t.Errorf("the card is %s (%s), ran %v", card.State, card.Reason, b.tools.ran)
			}
			// A late word changes nothing.
			b.decides(ref, approval.Approved, "")
			b.idle()
			if b.row(id).state != c.state || b.tools.times("a") != 0 {
				t.Error("a late approval did something")
			}
		})
	}
}

// may is an authority that can change its mind.
type may struct{ denied atomic.Bool }

func (m *may) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer {
	if m.denied.Load() {
		return tool.No
	}
	return tool.Yes
}

// Other turns of the conversation do not wait for a parked one.
func TestParkedHoldsUpNobody(t *testing.T) {
	t.Parallel()
	b := newAsking(t, "", nil)
	b.model.plays(calls("gated", `{"key":"a"}`), says("The second."), says("The first."))
	first := b.ask("$1", "do it")
	b.parks(first)
	second := b.ask("$2", "and this?")
	b.ends(second, Answered)
	b.decides(b.cards(first)[0].Ref, approval.Approved, "")
	b.ends(first, Answered)
	if b.said(first) != "🔧 `gated` [1]\n\nThe first." || b.said(second) != "The second." {
		t.Errorf("the room reads %q and %q", b.said(first), b.said(second))
	}
}

// askMany asks for k0, k1, … in threads of their own, all in one transaction.
func (b *bundle) askMany(n int) []string {
	b.t.Helper()
	var events []chat.Event
	for i := range n {
		raw, err := json.Marshal(map[string]any{"msgtype": "m.text", "body": fmt.Sprintf("do it for k%d", i),
			"m.relates_to": map[string]any{"rel_type": "m.thread", "event_id": fmt.Sprintf("$root%d", i)}})
		must(b.t, err)
		events = append(events, chat.Event{EventID: fmt.Sprintf("$m%d", i), Room: roomID, Sender: ann, Type: "m.room.message",
			OriginTS: time.Now().UnixMilli(), Content: raw, Live: true})
	}
	must(b.t, b.db.Write(b.t.Context(), func(tx *store.Tx) error {
		if _, err := chat.NewJournal(b.db, nil).RecordSync(tx, ownID, "", events); err != nil {
			return err
		}
		for i := range n {
			root := fmt.Sprintf("$root%d", i)
			if err := b.engine.Create(tx, Request{Agent: "watcher", Account: ownID, Who: identity.InThread("watcher", ann, roomID, root),
				Room: roomID, ThreadRoot: root, TriggerEvent: fmt.Sprintf("$m%d", i)}); err != nil {
				return err
			}
		}
		return nil
	}))
	ids := make([]string, n)
	for i := range ids {
		ids[i] = b.turnOf(fmt.Sprintf("$m%d", i))
	}
	return ids
}

// parked waits until n turns are parked and nothing runs; the test's own deadline
// bounds it.
func (b *bundle) parked(n int) {
	b.t.Helper()
	must(b.t, b.engine.Idle(b.t.Context()))
	var all []row
	must(b.t, b.db.Read(b.t.Context(), func(q *store.Reader) (err error) {
		all, err = inState(q, Parked)
		return err
	}))
	if len(all) != n {
		b.t.Fatalf("%d turns are parked", len(all))
	}
}

// A thousand parked turns are rows: no goroutine waits for them, a restart takes
// them up, and each is carried out once.
func TestManyParked(t *testing.T) {
	t.Parallel()
	const many = 1000
	b := newAsking(t, "defaults: {enable_streaming: false}\n", nil)
	b.tools.arrived = make(chan string, many) // nobody watches them begin
	either := func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
		last := req.Messages[len(req.Messages)-1]
		if len(last.Results()) > 0 {
			return says("Done.")(ctx, req, sink)
		}
		key := regexp.MustCompile(`k[0-9]+`).FindString(last.Text())
		return calls("gated", `{"key":"`+key+`"}`)(ctx, req, sink)
	}
	for range 2 * many {
		b.model.plays(either)
	}
	ids := b.askMany(many)
	b.parked(many)
	b.reopen()
	b.parked(many)
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		cards, err := approval.AllWaiting(tx)
		for _, card := range cards {
			if err == nil {
				_, _, _, err = b.engine.Cards.(*approval.Cards).Decide(tx, card.ID, approval.Approved, ann, "")
			}
		}
		return err
	}))
	for i, id := range ids {
		if got, err := b.engine.Wait(t.Context(), id); err != nil || got != Answered {
			t.Fatalf("turn %d is %s, %v", i, got, err)
		}
		if n := b.tools.times(fmt.Sprintf("k%d", i)); n != 1 {
			t.Errorf("call %d ran %d times", i, n)
		}
	}
}

// meanwhile is a policy that does something while a call is looked at.
type meanwhile struct{ do func() }

func (meanwhile) Might(*config.Snapshot, *tool.Function) bool { return true }
func (m meanwhile) Evaluate(ctx context.Context, q tool.Question) tool.Verdict {
	m.do()
	return testPolicy{}.Evaluate(ctx, q)
}

// A turn that is cancelled just before it would ask ends, and asks nobody
// (sentences 10 and 12).
func TestCancelledBeforeAsking(t *testing.T) {
	t.Parallel()
	var b *bundle
	cancel := func() {
		if _, err := b.engine.Cancel(context.Background(), b.turnOf("$1"), ann); err != nil {
			t.Error(err)
		}
	}
	b = newAsking(t, "", func(p *Parts) { p.Room.Policy = meanwhile{cancel} })
	b.model.plays(calls("gated", `{"key":"a"}`))
	id := b.ask("$1", "do it")
	b.ends(id, Cancelled)
	if cards := b.cards(id); len(cards) != 0 || b.tools.times("a") != 0 {
		t.Errorf("asked %+v, ran %v", cards, b.tools.ran)
	}
}
