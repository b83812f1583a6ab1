package turn

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// A batch with several questions goes on when the last of them is decided, each
// call as was decided about it.
func TestSeveralQuestions(t *testing.T) {
	t.Parallel()
	b := newAsking(t, "", nil)
	b.model.plays(calls("gated", `{"key":"a"}`, "gated", `{"key":"b"}`, "echo", `{"key":"c"}`, "gated", `{"key":"d"}`), says("Done."))
	id := b.ask("$1", "do it")
	b.parks(id)
	cards := b.cards(id)
	if len(cards) != 3 {
		t.Fatalf("%d cards", len(cards))
	}
	b.decides(cards[0].Ref, approval.Approved, "")
	b.decides(cards[2].Ref, approval.Expired, "nobody decided in time")
	b.parks(id)
	if len(b.tools.ran) != 0 {
		t.Fatalf("ran while one question stands: %v", b.tools.ran)
	}
	b.decides(cards[1].Ref, approval.Denied, "not b")
	b.ends(id, Answered)
	for key, want := range map[string]int{"a": 1, "b": 0, "c": 1, "d": 0} {
		if n := b.tools.times(key); n != want {
			t.Errorf("%s ran %d times", key, n)
		}
	}
	results := b.model.asked()[1].Messages[2].Results()
	for i, want := range []string{"never\n\n[" + ann + " approved", "approval_denied: ", "echo c", "approval_expired: "} {
		if !strings.HasPrefix(results[i].Text, want) {
			t.Errorf("result %d reads %q", i, results[i].Text)
		}
	}
	b.oneAnswer(id, "🔧 `gated` [1]\n🔧 `gated` [2]\n🔧 `echo` [3]\n🔧 `gated` [4]\n\nDone.")
}

// What was decided about one batch decides nothing about the next: the same call
// asks again, under a card of its own.
func TestAsksAgainInALaterBatch(t *testing.T) {
	t.Parallel()
	b := newAsking(t, "", nil)
	b.model.plays(calls("gated", `{"key":"a"}`), calls("gated", `{"key":"a"}`), says("Done."))
	id := b.ask("$1", "do it twice")
	b.parks(id)
	first := b.cards(id)[0]
	b.decides(first.Ref, approval.Approved, "")
	b.waits(id, 1, first.ID)
	second := b.cards(id)[0]
	if b.tools.times("a") != 1 {
		t.Errorf("ran %v", b.tools.ran)
	}
	b.reopen()
	b.decides(second.Ref, approval.Approved, "")
	b.ends(id, Answered)
	if b.tools.times("a") != 2 {
		t.Errorf("ran %v", b.tools.ran)
	}
}

// waits waits until the turn is parked with questions other than one.
func (b *bundle) waits(id string, questions int, besides string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.t.Context(), patient)
	defer cancel()
	for {
		must(b.t, b.engine.Idle(ctx))
		all := b.cards(id)
		if len(all) == questions && all[0].ID != besides && b.row(id).state == Parked {
			return
		}
	}
}

// changing is a policy that can change its mind.
type changing struct {
	now atomic.Pointer[func(function string) tool.Verdict]
}

func (*changing) Might(*config.Snapshot, *tool.Function) bool { return true }
func (c *changing) Evaluate(_ context.Context, q tool.Question) tool.Verdict {
	return (*c.now.Load())(q.Call.Name.Function)
}

func (c *changing) rule(fn func(function string) tool.Verdict) { c.now.Store(&fn) }

// Rules and settings that changed while a turn waited: a new denial wins over an
// approval, a person's no over everything, an approval stands only for the
// settings it was given under, and what has begun to ask is asked about.
func TestRulesChangedMeanwhile(t *testing.T) {
	t.Parallel()
	verdict := func(k tool.VerdictKind) func(string) tool.Verdict {
		return func(string) tool.Verdict {
			return tool.Verdict{Kind: k, Rule: "the new rule", Reason: "the new rule says no"}
		}
	}
	for name, c := range map[string]struct {
		rule      func(function string) tool.Verdict
		next      approval.State
		otherwise string
		ran       int
		reads     string
	}{
		"denied by a rule since":           {rule: verdict(tool.Deny), next: approval.Approved, reads: "approval_denied: the new rule says no"},
		"allowed by a rule since":          {rule: verdict(tool.Allow), next: approval.Approved, ran: 1, reads: "never"},
		"allowed since, a person denied":   {rule: verdict(tool.Allow), next: approval.Denied, reads: "approval_denied: "},
		"the same rule":                    {rule: verdict(tool.Ask), next: approval.Approved, ran: 1, reads: "never"},
		"approved under other settings":    {rule: verdict(tool.Ask), next: approval.Approved, otherwise: "depends", reads: "not_available: the settings of probe.gated changed"},
		"approved for other arguments":     {rule: verdict(tool.Ask), next: approval.Approved, otherwise: "digest", reads: "approval_denied: the approval was given for other arguments"},
		"denied, and the settings changed": {rule: verdict(tool.Ask), next: approval.Denied, otherwise: "depends", reads: "approval_denied: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			policy := &changing{}
			policy.rule(verdict(tool.Ask))
			b := newAsking(t, "", func(p *Parts) { p.Room.Policy = policy })
			b.model.plays(calls("gated", `{"key":"a"}`), says("Done."))
			id := b.ask("$1", "do it")
			b.parks(id)
			if c.otherwise != "" {
				must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
					_, err := tx.Exec(fmt.Sprintf(`UPDATE approval_cards SET %s = 'others'`, c.otherwise))
					return err
				}))
			}
			policy.rule(c.rule)
			b.decides(b.cards(id)[0].Ref, c.next, "")
			b.ends(id, Answered)
			results := b.model.asked()[1].Messages[2].Results()
			if b.tools.times("a") != c.ran || !strings.HasPrefix(results[0].Text, c.reads) {
				t.Errorf("ran %d times, the model reads %q", b.tools.times("a"), results[0].Text)
			}
		})
	}
}

// A call of the batch that has begun to ask while the others waited is asked
// about before any of them runs.
func TestAsksOnlySince(t *testing.T) {
	t.Parallel()
	policy := &changing{}
	only := func(names string) func(string) tool.Verdict {
		return func(function string) tool.Verdict {
			if strings.Contains(names, function) {
				return tool.Verdict{Kind: tool.Ask, Rule: "a rule"}
			}
			return tool.Verdict{Kind: tool.Allow}
		}
	}
	policy.rule(only("gated"))
	b := newAsking(t, "", func(p *Parts) { p.Room.Policy = policy })
	b.model.plays(calls("gated", `{"key":"a"}`, "echo", `{"key":"b"}`), says("Done."))
	id := b.ask("$1", "do it")
	b.parks(id)
	first := b.cards(id)[0]
	policy.rule(only("gated echo"))
	b.decides(first.Ref, approval.Approved, "")
	b.waits(id, 1, first.ID)
	if len(b.tools.ran) != 0 {
		t.Errorf("ran %v", b.tools.ran)
	}
	b.decides(b.cards(id)[0].Ref, approval.Denied, "")
	b.ends(id, Answered)
	if b.tools.times("a") != 1 || b.tools.times("b") != 0 {
		t.Errorf("ran %v", b.tools.ran)
	}
}

// Each commit on the way fails once, on a full disk and on one that is read
// only: the call runs once or, where nobody can know, the turn says so; the card
// is over, and there is one answer.
func TestEveryCommitFailsOnce(t *testing.T) {
	t.Parallel()
	var hit atomic.Int32
	t.Run("all", func(t *testing.T) {
		for kind, fault := range map[string]error{"full": store.ErrFull, "read only": store.ErrReadOnly} {
			for n := 1; n <= 12; n++ {
				t.Run(fmt.Sprintf("%s, commit %d", kind, n), func(t *testing.T) {
					t.Parallel()
					if commitFails(t, fault, n) {
						hit.Add(1)
					}
				})
			}
		}
	})
	if hit.Load() < 12 { // ask, park, decide, ready, claim, begin, end, checkpoint, conclude: some share a commit
		t.Errorf("only %d commits failed", hit.Load())
	}
}

// commitFails plays a turn of which the n-th commit fails; false when it has
// none.
func commitFails(t *testing.T, fault error, n int) bool {
	t.Helper()
	b := newAsking(t, "defaults: {enable_streaming: false}\n", nil)
	defer func() { b.stop(); must(t, b.db.Close()) }()
	b.model.plays(calls("gated", `{"key":"a"}`), says("Done."), says("Done."))
	var commits, failed atomic.Int32
	arm := func() {
		b.db.SetFault(func(p store.Point) error {
			if p == store.BeforeCommit && commits.Add(1) == int32(n) {
				failed.Add(1)
				return fault
			}
			return nil
		})
	}
	id := b.ask("$1", "do it")
	arm()
	b.waits(id, 1, "")
	b.approvePatiently(b.cards(id)[0])
	state := b.endWithFaults(id)
	if ran := b.tools.times("a"); state != Answered || ran > 1 || ran == 0 && !strings.Contains(results(b), "was not run") {
		t.Errorf("the turn is %s, the call ran %d times, the model reads %q", state, ran, results(b))
	}
	if left := b.cards(id); len(left) != 0 {
		t.Errorf("%d questions stand", len(left))
	}
	if said := b.said(id); said != "🔧 `gated` [1]\n\nDone." {
		t.Errorf("the room reads %q", said)
	}
	return failed.Load() > 0
}

// results are what the model read of the calls of its last question.
func results(b *bundle) string {
	all := b.model.asked()
	messages := all[len(all)-1].Messages
	text := ""
	for _, r := range messages[len(messages)-1].Results() {
		text += r.Text
	}
	return text
}
