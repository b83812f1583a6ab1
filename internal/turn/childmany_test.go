package turn

import (
	"fmt"
	"strings"
	"testing"

	"mindroom/internal/store"
)

// Only so many subagents of an agent are at work at once.
func TestSubagentsAreBounded(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	plan := []string{}
	for range maxRunning + 1 {
		plan = append(plan, "run_subagent", `{"task":"x","agent":"helper","background":true}`)
	}
	b.model.agents = map[string][]answer{"watcher": {calls(plan...), says("Begun.")}, "helper": nil}
	for i := range maxRunning {
		b.model.plan("helper", calls("hold", fmt.Sprintf(`{"key":"h%d"}`, i)))
	}
	b.ends(b.ask("$1", "please"), Answered)
	refused := 0
	for _, r := range b.model.askedOf("watcher")[1].Messages[2].Results() {
		if strings.Contains(r.Text, "refused: 16 subagents of yours are at work") {
			refused++
		}
	}
	if refused != 1 || len(b.subagentIDs()) != maxRunning {
		t.Errorf("%d were refused, %d were started", refused, len(b.subagentIDs()))
	}
}

// A subagent whose turn was left in a form that this build cannot read goes on from
// what it was before.
func TestSubagentOfAnotherBuild(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.plays(calls("run_subagent", `{"task":"First.","agent":"helper"}`), says("One."), says("So."))
	b.ends(b.ask("$1", "begin"), Answered)
	sub := b.report().ID
	b.model.plays(calls("continue_subagent", args(map[string]string{"id": sub, "message": "Second."})), calls("hold", `{"key":"h"}`))
	b.ask("$2", "go on")
	b.arrives()
	next := b.fork()
	must(t, next.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`UPDATE turns SET checkpoint = '{"version":99}' WHERE turn_id = $1`, next.subagent(sub).turn)
		return err
	}))
	next.start()
	next.ends(next.subagent(sub).turn, Interrupted)
	s := next.subagent(sub)
	if err := unbroken(s.transcript); err != nil || s.state != SubagentInterrupted || s.transcript[len(s.transcript)-1].Text() != "One." {
		t.Errorf("it is %s and goes on from %+v: %v", s.state, s.transcript, err)
	}
	close(b.tools.release)
}
