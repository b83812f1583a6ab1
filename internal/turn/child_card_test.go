package turn

import (
	"strings"
	"testing"

	"mindroom/internal/approval"
)

func newAskingFamily(t *testing.T) *bundle {
	t.Helper()
	// An orderly stop has all the time it needs.
	return newAskingOf(t, family, func(p *Parts) { p.Grace = patient })
}

// A call of a subagent that needs a person's word is asked about where its caller
// answers, and waits in place.
func TestApprovalInSubagent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next  approval.State
		ran   int
		reads string
	}{
		"approved": {approval.Approved, 1, "never"},
		"denied":   {approval.Denied, 0, "approval_denied: "},
		"expired":  {approval.Expired, 0, "approval_expired: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newAskingFamily(t)
			b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("gated", `{"key":"g"}`), says("Inner."), says("Outer."))
			id := b.ask("$1", "please")
			card := b.cardOfOnly()
			if card.Agent != "helper" || card.Requester != ann || card.Conversation.ThreadRoot != "$root" || card.Conversation.Account != ownID {
				t.Errorf("the card is %+v", card)
			}
			if s := b.row(id).state; s != Dirty {
				t.Errorf("the caller is %s", s)
			}
			b.decides(card.Ref, c.next, "")
			b.ends(id, Answered)
			if got := b.result(2, 0); !strings.HasPrefix(got, c.reads) || b.tools.times("g") != c.ran {
				t.Errorf("the subagent reads %q, the tool ran %d times", got, b.tools.times("g"))
			}
		})
	}
}

// cardOfOnly waits for the one question of the one subagent.
func (b *bundle) cardOfOnly() approval.Card {
	b.t.Helper()
	b.until("a question", func() bool { return len(b.subagentIDs()) == 1 && len(b.cards(b.only().turn)) == 1 })
	return b.cards(b.only().turn)[0]
}

// The question of a subagent whose caller ends, or whose process dies, is withdrawn;
// the call never runs.
func TestQuestionOfSubagentIsWithdrawn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		end           func(b *bundle, id string) *bundle
		child, caller State
	}{
		"cancelled": {func(b *bundle, id string) *bundle { b.cancels(id, true); return b }, Cancelled, Cancelled},
		// An orderly stop lets the caller hear of it, and so go on.
		"restart": {func(b *bundle, _ string) *bundle { b.model.plays(says("So.")); b.reopen(); return b }, Interrupted, Answered},
		"killed":  {func(b *bundle, _ string) *bundle { next := b.fork(); next.start(); return next }, Interrupted, Interrupted},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newAskingFamily(t)
			b.model.plays(calls("run_subagent", `{"task":"x","agent":"helper"}`), calls("gated", `{"key":"g"}`))
			id := b.ask("$1", "please")
			card := b.cardOfOnly()
			next := c.end(b, id)
			next.ends(next.only().turn, c.child)
			next.ends(id, c.caller)
			if d := next.decision(card.Ref); d.Kind != "withdrawn" || next.tools.times("g") != 0 {
				t.Errorf("the question is %+v, the tool ran %d times", d, next.tools.times("g"))
			}
			if got := next.model.asked(); c.caller == Answered && !strings.Contains(next.result(len(got)-1, 0), "was interrupted. continue_subagent goes on") {
				t.Errorf("the caller reads %q", next.result(len(got)-1, 0))
			}
		})
	}
}
