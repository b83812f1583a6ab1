package turn

import (
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/mode"
)

// A call inside a command waits for a person while the command waits for it.
func TestACallWaitsInsideACommand(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, nil)
	b.model.plays(calls("bash", bash(`probe.gated {"key":"g"}`, `probe.echo {"key":"a"}`)), says("Done."))
	id := b.ask("$1", "do it")
	card := b.doorCards(id, 1)[0]
	if b.tools.times("g") != 0 || card.Name.Function != "gated" || string(card.Arguments) != `{"key":"g"}` || card.Requester != ann {
		t.Fatalf("asked %+v, ran %v", card, b.tools.ran)
	}
	b.decides(card.Ref, approval.Approved, "")
	b.ends(id, Answered)
	if got := b.model.asked()[1].Messages[2].Results()[0].Text; got != "completed \"never\"\ncompleted \"echo a\"" || b.tools.times("g") != 1 {
		t.Errorf("the model reads %q, ran %v", got, b.tools.ran)
	}
	b.nothingHeld(id)
}

// A command that has returned while calls of it wait for people parks its turn;
// others of the conversation go on, and each call is made once as was decided.
func TestACommandPauses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next    approval.State
		ran     int
		tells   string
		restart bool
	}{
		"approved":                 {approval.Approved, 1, "probe.gated was approved by " + ann + "]\nnever", false},
		"denied":                   {approval.Denied, 0, "probe.gated was denied by " + ann + "]\napproval_denied: ", false},
		"expired":                  {approval.Expired, 0, "probe.gated was not decided in time]\napproval_expired: ", false},
		"approved after a restart": {approval.Approved, 1, "probe.gated was approved by " + ann + "]\nnever", true},
		"denied after a restart":   {approval.Denied, 0, "probe.gated was denied by " + ann + "]\napproval_denied: ", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Minimal, nil)
			b.model.plays(calls("bash", bash(`& probe.gated {"key":"g"}`), "bash", bash(`probe.echo {"key":"a"}`)), says("Another."), says("Done."))
			id := b.ask("$1", "do it")
			b.parks(id)
			card := b.doorCards(id, 1)[0]
			if b.tools.times("g") != 0 || b.tools.times("a") != 1 {
				t.Fatalf("ran %v", b.tools.ran)
			}
			b.ends(b.ask("$2", "and you?"), Answered)
			if c.restart {
				b.reopen()
				b.parks(id)
			}
			b.decides(card.Ref, c.next, "")
			b.ends(id, Answered)
			results := b.model.asked()[2].Messages[2].Results()
			if !strings.Contains(results[0].Text, c.tells) || results[1].Text != `completed "echo a"` || b.tools.times("g") != c.ran {
				t.Errorf("the model reads %+v, ran %v", results, b.tools.ran)
			}
			if b.tools.times("a") != 1 || b.tools.times(`$ & probe.gated {"key":"g"}`) != 1 {
				t.Errorf("ran %v", b.tools.ran)
			}
			b.nothingHeld(id)
		})
	}
}

// A process that dies while a command waits for a decision leaves the question;
// the call is made once when it is decided, the command never again (M28).
func TestACommandIsInterruptedWhileItsCallWaits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		next  approval.State
		early bool // decided while no process ran
		ran   int
		tells string
	}{
		"approved":           {approval.Approved, false, 1, "was approved by " + ann + "]\nnever"},
		"denied":             {approval.Denied, false, 0, "was denied by " + ann},
		"approved meanwhile": {approval.Approved, true, 1, "was approved by " + ann + "]\nnever"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Minimal, nil)
			b.model.plays(calls("bash", bash(`probe.echo {"key":"a"}`, `probe.gated {"key":"g"}`), "bash", bash("hold")))
			id := b.ask("$1", "do it")
			card := b.doorCards(id, 1)[0]
			b.until("the other command runs", func() bool { return b.tools.times("$ hold") == 1 })
			before := len(b.tools.ran)
			next := b.forkMinimal()
			next.model.plays(says("Done."))
			if c.early {
				next.decides(card.Ref, c.next, "")
			}
			next.start()
			if !c.early {
				next.until("the turn is parked", func() bool { return next.row(id).state == Parked })
				next.decides(card.Ref, c.next, "")
			}
			next.ends(id, Answered)
			results := next.model.asked()[0].Messages[2].Results()
			if !strings.Contains(results[0].Text, "interrupted by a restart") || !strings.Contains(results[0].Text, c.tells) ||
				!strings.Contains(results[1].Text, "indeterminate") {
				t.Errorf("the model reads %+v", results)
			}
			if got := strings.Join(b.tools.ran[before:], " "); c.ran == 1 && got != "g" || c.ran == 0 && got != "" {
				t.Errorf("ran %v", b.tools.ran)
			}
			next.oneAnswer(id, "Done.")
			next.nothingHeld(id)
		})
	}
}

// A command that waits for its own approval runs after it in the same process, and
// never in another: a saved command is never executed (C22, M28).
func TestACommandWaitsItself(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		restart bool
		next    approval.State
		ran     int
		reads   string
	}{
		"approved":                 {false, approval.Approved, 1, `completed "echo a"`},
		"approved after a restart": {true, approval.Approved, 0, "did not run. Issue it again"},
		"denied after a restart":   {true, approval.Denied, 0, "approval_denied: "},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Minimal, nil)
			b.model.plays(calls("bash", `{"command":"# ask\nprobe.echo {\"key\":\"a\"}"}`, "bash", bash(`probe.echo {"key":"b"}`)), says("Done."))
			id := b.ask("$1", "do it")
			b.parks(id)
			if c.restart {
				b.reopen()
				b.parks(id)
			}
			card := b.cards(id)[0]
			if card.Name != shellTool {
				t.Errorf("the card is about %s", card.Name)
			}
			b.decides(card.Ref, c.next, "")
			b.ends(id, Answered)
			results := b.model.asked()[1].Messages[2].Results()
			if b.tools.times("a") != c.ran || !strings.Contains(results[0].Text, c.reads) {
				t.Errorf("ran %v, the model reads %+v", b.tools.ran, results)
			}
			if want := 1; !c.restart && b.tools.times("b") != want || c.restart && b.tools.times("b") != 0 {
				t.Errorf("ran %v", b.tools.ran)
			}
		})
	}
}

// Whatever ends a turn withdraws what its commands asked, and forgets it.
func TestACancelledTurnAsksNothing(t *testing.T) {
	t.Parallel()
	for name, command := range map[string]string{"waiting": `probe.gated {"key":"g"}`, "paused": `& probe.gated {"key":"g"}`} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Minimal, nil)
			b.model.plays(calls("bash", bash(command)))
			id := b.ask("$1", "do it")
			card := b.doorCards(id, 1)[0]
			if name == "paused" {
				b.parks(id)
			}
			b.cancels(id, true)
			b.ends(id, Cancelled)
			b.decides(card.Ref, approval.Approved, "")
			b.idle()
			if b.tools.times("g") != 0 {
				t.Error("a withdrawn call ran")
			}
			b.nothingHeld(id)
			if b.engine.ownerOf(id) != nil {
				t.Error("the door is left open")
			}
		})
	}
}
