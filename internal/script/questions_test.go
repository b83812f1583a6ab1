package script_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// household is the accounts and rooms as cards ask for them.
type household struct{}

func (household) UserID(entity string) (string, bool)                { return "@mindroom_" + entity + ":x", true }
func (household) Own(user string) bool                               { return strings.HasPrefix(user, "@mindroom_") }
func (household) Joined(context.Context, string, string) tool.Answer { return tool.Yes }

// asked waits until the run's requester is asked, and returns the card.
func (h *house) asked(run *script.Run) approval.Card {
	h.t.Helper()
	var cards []approval.Card
	h.passes("somebody is asked", func() bool {
		must(h.t, h.db.Read(h.t.Context(), func(q *store.Reader) (err error) {
			cards, err = approval.Waiting(q, tool.DoorScript, string(run.ID))
			return err
		}))
		return len(cards) > 0
	})
	if len(cards) != 1 {
		h.t.Fatalf("%d questions at once", len(cards))
	}
	return cards[0]
}

func (h *house) card(ref tool.Ref) approval.Card {
	h.t.Helper()
	var card approval.Card
	must(h.t, h.db.Read(h.t.Context(), func(q *store.Reader) (err error) {
		card, _, err = approval.Of(q, ref)
		return err
	}))
	return card
}

// says lets a person react or reply to a card, and reports whether it was theirs.
func (h *house) says(person, key, text string, card approval.Card) {
	h.t.Helper()
	v, err := h.cards.Hear(h.t.Context(), approval.Word{Delivery: "card:" + card.ID, Person: person, Key: key, Text: text})
	must(h.t, err)
	if !v.Claimed || v.Do == nil {
		h.t.Fatalf("the word is %+v", v)
	}
	must(h.t, h.db.Write(h.t.Context(), v.Do))
}

// A call that asks stays pending, what the run calls later waits behind it, and
// both can be seen; the decision ends it (S12, S18, S37, S61).
func TestAScriptsCallWaitsForItsRequester(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		decide func(h *house, card approval.Card)
		state  string
		kind   string
		reason string
		ran    int
	}{
		"approved":          {func(h *house, card approval.Card) { h.says(anna, "✅", "", card) }, "completed", "", "", 1},
		"denied":            {func(h *house, card approval.Card) { h.says(anna, "", "not on a Sunday", card) }, "failed", "approval_denied", "not on a Sunday", 0},
		"denied by a cross": {func(h *house, card approval.Card) { h.says(anna, "❌", "", card) }, "failed", "approval_denied", "", 0},
		"expired": {func(h *house, card approval.Card) {
			must(h.t, h.db.Write(h.t.Context(), func(tx *store.Tx) error {
				_, _, _, err := h.cards.Decide(tx, card.ID, approval.Expired, "", "nobody decided in time")
				return err
			}))
		}, "failed", "approval_expired", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := opened(t, options{asking: true})
			run := h.start(sleeper)
			client := h.client(run)
			if a := client.call("c1", "confirm", `{}`, "Prefer", "wait=0"); a.body.State != "pending" {
				t.Fatalf("the call is %s", a.raw)
			}
			card := h.asked(run)
			if a := client.call("c2", "echo", `{"text":"later"}`, "Prefer", "wait=0"); a.body.State != "pending" {
				t.Fatalf("a later call is %s", a.raw)
			}
			_, _, standing, err := h.Get(t.Context(), owner(anna), string(run.ID))
			must(t, err)
			if standing.Pending != 2 || len(standing.Waiting) != 1 || standing.Waiting[0].Call != "c1" || standing.Waiting[0].Function != "probe.confirm" {
				t.Errorf("its calls stand %+v", standing)
			}
			// Somebody else decides nothing, and consumes nothing.
			h.says("@ben:example.org", "✅", "", card)
			if h.card(card.Ref).State != approval.Pending || h.calls.count("probe.confirm") != 0 {
				t.Fatal("somebody else decided")
			}
			c.decide(h, card)
			a := client.finished("c1")
			if a.body.State != c.state || c.kind != "" && (a.body.Error == nil || string(a.body.Error.Kind) != c.kind || a.body.Error.Retryable || !strings.Contains(a.body.Error.Message, c.reason)) {
				t.Errorf("the call ended %s", a.raw)
			}
			if a := client.finished("c2"); a.body.State != "completed" {
				t.Errorf("the later call ended %s", a.raw)
			}
			if n := h.calls.count("probe.confirm"); n != c.ran {
				t.Errorf("the body ran %d times", n)
			}
			// The same id again is the same call: no new card.
			again := client.call("c1", "confirm", `{}`)
			if string(again.raw) != string(a.raw) || h.card(card.Ref).State == approval.Pending {
				t.Errorf("again it is %s", again.raw)
			}
		})
	}
}

// finished asks for a receipt until it has ended.
func (c client) finished(id string) answer {
	c.h.t.Helper()
	for range 3 {
		if a := c.do("GET", "/runs/"+c.run+"/calls/"+id, "", "Prefer", "wait=8"); a.body.State != "pending" {
			return a
		}
	}
	c.h.t.Fatalf("call %s does not end", id)
	return answer{}
}

// leaver is a script that ends when it is told to.
const leaver = "import os, time\nwhile not os.path.exists(os.environ['MINDROOM_SCRIPT_WORKSPACE_ROOT'] + '/go'): time.sleep(0.02)\n"

// Whatever ends the run ends its question visibly, runs nothing, and says that
// the call never ran; a late word does nothing (S19; traps: an orphan card).
func TestQuestionsEndWithTheirRun(t *testing.T) {
	t.Parallel()
	without := func(h *house, yaml string) {
		_, err := h.holder.Publish(load(h.t, h.registry, yaml))
		must(h.t, err)
		h.Poke()
	}
	for name, end := range map[string]func(h *house, run *script.Run){
		"cancelled": func(h *house, run *script.Run) {
			_, err := h.Cancel(h.t.Context(), owner(anna), string(run.ID), false)
			must(h.t, err)
		},
		"forced": func(h *house, run *script.Run) {
			_, err := h.Cancel(h.t.Context(), owner(anna), string(run.ID), true)
			must(h.t, err)
		},
		"agent removed": func(h *house, _ *script.Run) { without(h, strings.Replace(houseYAML, "  watcher:", "  renamed:", 1)) },
		"tool removed": func(h *house, _ *script.Run) {
			without(h, strings.Replace(houseYAML, "[script, probe, second, scheduler]", "[probe]", 1))
		},
		"access lost": func(h *house, _ *script.Run) { h.authority.set(tool.No); h.Poke() },
		"ended by itself": func(h *house, _ *script.Run) {
			must(h.t, os.WriteFile(filepath.Join(h.storage, "workspace", "go"), nil, 0o600))
		},
		"stopped": func(h *house, _ *script.Run) { must(h.t, h.Shutdown(h.t.Context())) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := opened(t, options{asking: true})
			run := h.start(leaver)
			client := h.client(run)
			if a := client.call("c1", "confirm", `{}`, "Prefer", "wait=0"); a.body.State != "pending" {
				t.Fatalf("the call is %s", a.raw)
			}
			card := h.asked(run)
			end(h, run)
			h.passes("the run is terminal", func() bool {
				r, err := h.Find(t.Context(), string(run.ID))
				must(t, err)
				return r.State.Terminal()
			})
			if after := h.card(card.Ref); after.State != approval.Withdrawn || after.Reason == "" {
				t.Errorf("the card is %s (%s)", after.State, after.Reason)
			}
			var receipts []script.Receipt
			must(t, h.db.Read(t.Context(), func(q *store.Reader) (err error) {
				receipts, err = script.OfCall(q, run.ID, "c1")
				return err
			}))
			if len(receipts) != 1 || receipts[0].State != tool.StateFailed || receipts[0].Begun {
				t.Errorf("the receipt is %+v", receipts)
			}
			h.authority.set(tool.Yes)
			h.says(anna, "✅", "", card)
			if h.card(card.Ref).State != approval.Withdrawn || h.calls.count("probe.confirm") != 0 {
				t.Error("a late approval did something")
			}
		})
	}
}

// A run that is kept no longer takes its questions along (S77).
func TestQuestionsGoWithTheirRun(t *testing.T) {
	t.Parallel()
	h := opened(t, options{asking: true, retain: time.Nanosecond})
	run := h.start(sleeper)
	if a := h.client(run).call("c1", "confirm", `{}`, "Prefer", "wait=0"); a.body.State != "pending" {
		t.Fatalf("the call is %s", a.raw)
	}
	card := h.asked(run)
	_, err := h.Cancel(t.Context(), owner(anna), string(run.ID), true)
	must(t, err)

	h.passes("the run is pruned", func() bool { return h.card(card.Ref).ID == "" })
}
