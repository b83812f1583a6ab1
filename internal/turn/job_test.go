package turn

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/message"
	"mindroom/internal/store"
)

// woken is the message that tells of the end of a turn of a subagent; nil for none.
func (b *bundle) woken(turn string) map[string]any {
	b.t.Helper()
	d, ok := deliveries(b.t, b.db)["subagent:"+b.row(turn).trigger]
	if !ok {
		return nil
	}
	var content map[string]any
	must(b.t, json.Unmarshal(d.content, &content))
	return content
}

// A background job goes on after the answer, and its end starts its agent again for
// the same person.
func TestBackgroundJob(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.agents = map[string][]answer{
		"watcher": {calls("run_subagent", `{"task":"x","agent":"helper","background":true}`), says("I will tell you.")},
		"helper":  {calls("hold", `{"key":"h"}`), says("Found.")},
	}
	id := b.ask("$1", "please")
	b.arrives()
	b.ends(id, Answered)
	r := b.report()
	if r.State != SubagentRunning || !r.Background || b.said(id) == "" {
		t.Errorf("the report is %+v", r)
	}
	turn := b.subagent(r.ID).turn
	if b.woken(turn) != nil {
		t.Error("its end is told before it came")
	}
	close(b.tools.release)
	b.ends(turn, Answered)
	got := b.woken(turn)
	if body, _ := got["body"].(string); !strings.Contains(body, r.ID) || !strings.Contains(body, "Found.") {
		t.Errorf("the agent is told %v", got)
	}
	if got[message.KeyOriginalSender] != ann || got[message.KeyDepth] != 1.0 || got[message.KeySourceKind] != string(message.SourceRelay) {
		t.Errorf("the agent is told as %v", got)
	}
	if s := b.subagent(r.ID); s.state != SubagentCompleted || s.result != "Found." {
		t.Errorf("it is %s with %q", s.state, s.result)
	}
}

// The end of the answer that started it does not end a background job; stop_subagent
// does, and tells nobody who knows.
func TestStopBackgroundJob(t *testing.T) {
	t.Parallel()
	b := withJob(t)
	r := b.report()
	id := args(map[string]string{"id": r.ID, "message": "More."})
	b.model.plan("watcher", calls("list_subagents", `{}`, "continue_subagent", id), calls("stop_subagent", id), says("Stopped."))
	b.ends(b.ask("$2", "stop it"), Answered)
	if got := b.report(); got.State != SubagentCancelled {
		t.Errorf("it is %+v", got)
	}
	if turn := b.subagent(r.ID).turn; b.row(turn).state != Cancelled || b.woken(turn) != nil {
		t.Errorf("its turn is %s, told %v", b.row(turn).state, b.woken(turn))
	}
	var read []string
	for _, q := range b.model.asked() {
		for _, result := range q.Messages[len(q.Messages)-1].Results() {
			read = append(read, result.Text)
		}
	}
	if all := strings.Join(read, "|"); !strings.Contains(all, "helper running") || !strings.Contains(all, "is still at work") {
		t.Errorf("the caller read %s", all)
	}
}

// Who stops what is live in a thread stops its background jobs; subagents that are
// waited for end with their callers, and are not listed beside them.
func TestLiveSubagents(t *testing.T) {
	t.Parallel()
	live := func(b *bundle) (ids []string) {
		must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
			turns, err := Live(q, roomID, "$root")
			ids = nil
			for _, l := range turns {
				ids = append(ids, l.ID)
			}
			return err
		}))
		return ids
	}
	for name, background := range map[string]bool{"waited for": false, "in the background": true} {
		b := newFamily(t)
		b.model.agents = map[string][]answer{
			"watcher": {calls("run_subagent", args(map[string]any{"task": "x", "agent": "helper", "background": background})), says("Begun.")},
			"helper":  {calls("hold", `{"key":"h"}`)},
		}
		id := b.ask("$1", "please")
		b.arrives()
		want := []string{id}
		if background {
			b.ends(id, Answered)
			want = []string{b.only().turn}
		}
		if got := live(b); !slices.Equal(got, want) {
			t.Errorf("%s: %v is live, want %v", name, got, want)
		}
		sub := b.only().turn
		b.cancels(want[0], true)
		b.ends(sub, Cancelled)
	}
}

// A restart ends a background job honestly: its agent is told, and nothing runs again.
func TestRestartWithBackgroundJob(t *testing.T) {
	t.Parallel()
	b := withJob(t)
	b.reopen()
	s := b.only()
	b.ends(s.turn, Interrupted)
	s = b.only()
	if body, _ := b.woken(s.turn)["body"].(string); s.state != SubagentInterrupted || !strings.Contains(body, "has ended: interrupted") {
		t.Errorf("it is %s, told %q", s.state, body)
	}
	if b.tools.times("h") != 1 {
		t.Errorf("the tool ran %d times", b.tools.times("h"))
	}
}

// Without background_jobs nothing goes on after an answer, and a subagent starts
// nothing that would.
func TestBackgroundIsRefused(t *testing.T) {
	t.Parallel()
	b := newFamily(t)
	b.model.agents = map[string][]answer{
		"watcher": {calls("run_subagent", `{"task":"x","agent":"helper"}`), says("So.")},
		"helper":  {calls("run_subagent", `{"task":"y","background":true}`), says("No.")},
	}
	b.ends(b.ask("$1", "please"), Answered)
	if got := b.model.askedOf("helper")[1].Messages[2].Results()[0].Text; !strings.Contains(got, "Background jobs are not enabled") {
		t.Errorf("the helper reads %q", got)
	}
}

// withJob is a family in which an answer left a background job that holds.
func withJob(t *testing.T) *bundle {
	t.Helper()
	b := newFamily(t)
	b.model.agents = map[string][]answer{
		"watcher": {calls("run_subagent", `{"task":"x","agent":"helper","background":true}`), says("Begun.")},
		"helper":  {calls("hold", `{"key":"h"}`)},
	}
	first := b.ask("$1", "please")
	b.arrives()
	b.ends(first, Answered)
	return b
}
