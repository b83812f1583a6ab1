package turn

import (
	"context"
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// decidesOne ends the one question of a turn's commands.
func (b *bundle) decidesOne(id string, next approval.State) approval.Card {
	b.t.Helper()
	card := b.doorCards(id, 1)[0]
	b.until("the turn waits", func() bool { return b.row(id).state == Parked })
	b.decides(card.Ref, next, "")
	return card
}

// A held call that runs a shell whose own calls wait has the turn wait once more,
// and ends after them: each is made once, in whatever process.
func TestAHeldShellWaitsAgain(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]bool{"one process": false, "a process for each decision": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newMinimal(t, mode.Minimal, nil)
			inner := quoted("# ask\n& probe.gated {\"key\":\"g\"}")
			b.model.plays(calls("bash", bash(`& shell.run_shell_command {"args":`+inner+`}`)), says("Done."))
			id := b.ask("$1", "do it")
			again := func() {
				if restart {
					b.until("the turn waits", func() bool { return b.row(id).state == Parked })
					b.reopen()
				}
			}
			again()
			if card := b.decidesOne(id, approval.Approved); card.Name != shellTool {
				t.Fatalf("asked about %s", card.Name)
			}
			b.until("the shell ran", func() bool { return b.tools.times("$ # ask") == 1 })
			b.doorCards(id, 1)
			again()
			if card := b.decidesOne(id, approval.Approved); card.Name.Function != "gated" {
				t.Fatalf("asked about %s", card.Name)
			}
			b.ends(id, Answered)
			text := b.model.asked()[1].Messages[2].Results()[0].Text
			if !strings.Contains(text, "shell.run_shell_command was approved by "+ann) || !strings.Contains(text, "probe.gated was approved by "+ann+"]\nnever") {
				t.Errorf("the model reads %q", text)
			}
			if b.tools.times("g") != 1 || b.tools.times("$ # ask") != 1 {
				t.Errorf("ran %v", b.tools.ran)
			}
			records := map[string]int{}
			for _, e := range b.audit.all() {
				records[string(e.Call.Door)+" "+e.Call.Name.String()+" "+string(e.Outcome.State)]++
			}
			if records["cli shell.run_shell_command completed"] != 1 || records["cli probe.gated completed"] != 1 ||
				records["turn shell.run_shell_command completed"] != 1 || len(records) != 3 {
				t.Errorf("the audit has %v", records)
			}
			b.nothingHeld(id)
		})
	}
}

// An orderly stop while a command waits for a decision keeps the question and what
// the command had said.
func TestAStopWhileACommandWaits(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, nil)
	b.model.plays(calls("bash", bash(`probe.echo {"key":"a"}`, `probe.gated {"key":"g"}`)), says("Done."))
	id := b.ask("$1", "do it")
	b.doorCards(id, 1)
	b.reopen()
	b.decidesOne(id, approval.Approved)
	b.ends(id, Answered)
	text := b.model.asked()[1].Messages[2].Results()[0].Text
	if !strings.Contains(text, "probe.gated was approved by "+ann+"]\nnever") || b.tools.times("g") != 1 || b.tools.times("a") != 1 {
		t.Errorf("the model reads %q, ran %v", text, b.tools.ran)
	}
	b.oneAnswer(id, "Done.")
	b.nothingHeld(id)
}

// A decided call that had begun when the process died is not made again, and is on
// record: with nothing else to wait for the turn ends interrupted (C22).
func TestABegunHeldCallIsNotMadeAgain(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, func(p *Parts) { p.Room.Policy = askHold{} })
	b.model.plays(calls("bash", bash(`probe.hold {"key":"h"}`)))
	id := b.ask("$1", "do it")
	b.decides(b.doorCards(id, 1)[0].Ref, approval.Approved, "")
	b.until("the call runs", func() bool { return b.tools.times("h") == 1 })
	next := b.forkMinimal()
	next.start()
	next.ends(id, Interrupted)
	if b.tools.times("h") != 1 {
		t.Errorf("ran %v", b.tools.ran)
	}
	var lost []string
	for _, e := range next.audit.all() {
		if e.Outcome.State == tool.StateIndeterminate {
			lost = append(lost, string(e.Call.Door)+" "+e.Call.Name.String())
		}
	}
	if got := strings.Join(lost, ", "); got != "turn shell.run_shell_command, cli probe.hold" {
		t.Errorf("on record are %s", got)
	}
	next.nothingHeld(id)
}

// askHold asks about calls that the test holds up.
type askHold struct{ shellRules }

func (askHold) Evaluate(ctx context.Context, q tool.Question) tool.Verdict {
	if q.Call.Name.Function == "hold" {
		return tool.Verdict{Kind: tool.Ask, Rule: "rule hold"}
	}
	return shellRules{}.Evaluate(ctx, q)
}

// A process that dies with a claimed turn proves nothing about the calls that it
// was about to make: they are not made.
func TestAClaimedHeldCallIsNotMade(t *testing.T) {
	t.Parallel()
	b := newMinimal(t, mode.Minimal, nil)
	b.model.plays(calls("bash", bash(`& probe.gated {"key":"g"}`)), says("I see."))
	id := b.ask("$1", "do it")
	b.parks(id)
	b.stop()
	b.decides(b.doorCards(id, 1)[0].Ref, approval.Approved, "")
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		if err := b.engine.move(tx, id, Ready, ByWork, ""); err != nil {
			return err
		}
		return b.engine.move(tx, id, Claimed, ByWork, "")
	}))
	b.reopen()
	b.ends(id, Interrupted)
	b.ends(b.ask("$2", "and now?"), Answered)
	own := b.model.asked()[1].Messages[1].Text()
	if b.tools.times("g") != 0 || !strings.Contains(own, "may have taken effect") {
		t.Errorf("ran %v, the model reads %q", b.tools.ran, own)
	}
	b.nothingHeld(id)
}

// A command that was stopped at its time-out returns when its calls have ended,
// one that waits for a person included (M24).
func TestAFailedCommandTellsWhatItsCallsBrought(t *testing.T) {
	t.Parallel()
	p := paused{Outcome: storedOutcome{State: tool.StatePaused, Then: tool.StateFailed, Fault: tool.Faultf(tool.FaultTool, "it was ended")},
		Told: []toldCall{{ID: "u", Name: tool.Name{Toolkit: "probe", Function: "gated"}, Verdict: "was approved by " + ann, Text: "never"}}}
	result := resultOf(settledOutcome(p.whole()))
	if !result.IsError || result.Text != "tool_failure: it was ended\n\n[mindroom-agent call u: probe.gated was approved by "+ann+"]\nnever" {
		t.Errorf("the model reads %q", result.Text)
	}
}
