package turn

import (
	"testing"

	"mindroom/internal/store"
)

// At whatever point of a subagent the process dies, every turn has one end, nothing
// runs a second time, and what the subagents go on from is whole (sentences 19 and 22).
func TestCrashWithSubagents(t *testing.T) {
	t.Parallel()
	down := calls("run_subagent", `{"task":"x","agent":"helper"}`)
	background := calls("run_subagent", `{"task":"x","agent":"helper","background":true}`)
	for name, c := range map[string]struct {
		watcher, helper, deeper []answer
		// writing: the point is a model that writes, not a tool that runs.
		writing   bool
		subagents int
		caller    State
	}{
		"its model writes":        {[]answer{down}, nil, nil, true, 1, Interrupted},
		"its call runs":           {[]answer{down}, []answer{calls("hold", `{"key":"h"}`)}, nil, false, 1, Interrupted},
		"its call has ended":      {[]answer{down}, []answer{calls("echo", `{"key":"h"}`)}, nil, true, 1, Interrupted},
		"beside another call":     {[]answer{calls("run_subagent", `{"task":"x","agent":"helper"}`, "echo", `{"key":"o"}`)}, nil, nil, true, 1, Interrupted},
		"one below it writes":     {[]answer{down}, []answer{calls("run_subagent", `{"task":"y"}`)}, nil, true, 2, Interrupted},
		"one below it calls":      {[]answer{down}, []answer{calls("run_subagent", `{"task":"y"}`)}, []answer{calls("hold", `{"key":"h"}`)}, false, 2, Interrupted},
		"it is in the background": {[]answer{background, says("Begun.")}, nil, nil, true, 1, Answered},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newFamily(t)
			reached := make(chan struct{})
			b.model.agents = map[string][]answer{"watcher": c.watcher, "helper": c.helper, "deeper": c.deeper}
			if c.writing {
				last := "helper"
				if c.subagents == 2 {
					last = "deeper"
				}
				b.model.agents[last] = append(b.model.agents[last], hangs("Half", reached))
			}
			id := b.ask("$1", "please")
			if c.caller == Answered {
				b.ends(id, Answered)
			}
			if c.writing {
				<-reached
			} else {
				b.arrives()
			}
			next := b.fork()
			next.start()
			next.ends(id, c.caller)
			ids := next.subagentIDs()
			if len(ids) != c.subagents {
				t.Fatalf("there are %d subagents", len(ids))
			}
			for _, sub := range ids {
				next.ends(next.subagent(sub).turn, Interrupted)
				s := next.subagent(sub)
				if err := unbroken(s.transcript); err != nil || s.state != SubagentInterrupted {
					t.Errorf("%s is %s and goes on from %+v: %v", s.agent, s.state, s.transcript, err)
				}
			}
			next.idle()
			var live int
			must(t, next.db.Read(t.Context(), func(q *store.Reader) error {
				return q.QueryRow(`SELECT (SELECT count(*) FROM turn_calls) + (SELECT count(*) FROM turns WHERE state NOT IN ('answered', 'interrupted'))`).Scan(&live)
			}))
			if live != 0 || len(next.tools.ran) != 0 || len(next.model.asked()) != 0 {
				t.Errorf("%d rows are open, ran %v, asked %d times", live, next.tools.ran, len(next.model.asked()))
			}
			close(b.tools.release)
		})
	}
}
