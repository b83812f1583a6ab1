package turn

import (
	"context"
	"slices"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/config"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Task is work for a subagent.
type Task struct {
	// Text is all that the subagent is told; never empty.
	Text string
	// Agent is who does it; empty is the caller itself where it may hand work to
	// itself, else the only agent it may hand work to.
	Agent string
	// Model is a configured model; empty is the agent's own.
	Model string
	// Minimal gives it the minimal interface (M11).
	Minimal bool
	// Prompt stands in place of the agent's role and instructions, and Tools are
	// toolkits or toolkit.function of the agent's that it may call: nil all, empty
	// none. Either makes an authored subagent, which only the caller itself can be.
	Prompt string
	Tools  []string
	// Background lets it go on after the response.
	Background bool
}

// Report is how a subagent stands, for its caller.
type Report struct {
	ID, Agent  string
	Mode       mode.Mode
	State      SubagentState
	Background bool
	// Result is what it said last; empty while it runs.
	Result  string
	Created time.Time
}

// RunSubagent starts a subagent and waits for its answer, or only starts it where
// it is to work in the background. A *Refusal says why there is none; any other error
// leaves open what became of it.
func (e *Engine) RunSubagent(ctx context.Context, in tool.Invocation, t Task) (Report, error) {
	c, err := e.calling(in)
	if err != nil {
		return Report{}, err
	}
	snap := e.Config.Current()
	s, err := e.planned(ctx, c, snap, t)
	if err != nil {
		return Report{}, err
	}
	return e.turnOf(ctx, c, s, t.Text, func(tx *store.Tx, s subagent) error { return e.insertSubagent(tx, s) })
}

// ContinueSubagent gives a subagent of the caller another message and waits for its
// answer. It goes on from all that it has said and done, in the same mode (M11).
func (e *Engine) ContinueSubagent(ctx context.Context, in tool.Invocation, id, message string) (Report, error) {
	c, err := e.calling(in)
	if err != nil {
		return Report{}, err
	}
	s, err := e.owned(ctx, c, id)
	if err != nil {
		return Report{}, err
	}
	if s.state == SubagentRunning {
		return Report{}, refusedf("Subagent %s is still at work. Wait for it, or end it with stop_subagent.", id)
	}
	snap := e.Config.Current()
	if err := e.reachable(ctx, c, snap, s); err != nil {
		return Report{}, err
	}
	s.background = false
	return e.turnOf(ctx, c, s, message, func(tx *store.Tx, s subagent) error {
		fresh, err := e.wakeSubagent(tx, s.id, s.turn)
		if err == nil && !fresh {
			err = refusedf("Subagent %s is still at work. Wait for it, or end it with stop_subagent.", id)
		}
		return err
	})
}

// Subagents lists the caller's, oldest first: those it started in this conversation
// for this requester.
func (e *Engine) Subagents(ctx context.Context, in tool.Invocation) ([]Report, error) {
	c, err := e.calling(in)
	if err != nil {
		return nil, err
	}
	var all []subagent
	err = e.DB.Read(ctx, func(q *store.Reader) (err error) {
		all, err = subagentsOf(q, c)
		return err
	})
	reports := make([]Report, 0, len(all))
	for _, s := range all {
		reports = append(reports, s.report())
	}
	return reports, err
}

// StopSubagent ends a subagent of the caller and waits for its end. One that does
// not run is as it was.
func (e *Engine) StopSubagent(ctx context.Context, in tool.Invocation, id string) (Report, error) {
	c, err := e.calling(in)
	if err != nil {
		return Report{}, err
	}
	s, err := e.owned(ctx, c, id)
	if err != nil || s.state != SubagentRunning {
		return s.report(), err
	}
	if _, err := e.Cancel(ctx, s.turn, c.agent); err != nil {
		return Report{}, err
	}
	if _, err := e.Wait(ctx, s.turn); err != nil {
		return Report{}, err
	}
	return e.reported(ctx, id)
}

// owned reads a subagent of the caller; of others it is said what is said of none.
func (e *Engine) owned(ctx context.Context, c caller, id string) (s subagent, err error) {
	found := false
	err = e.DB.Read(ctx, func(q *store.Reader) (err error) {
		s, found, err = loadSubagent(q, id)
		return err
	})
	if err != nil {
		return s, err
	}
	if !found || s.caller != c.agent || s.parent != c.subagent() || s.conversation != c.conversation() || s.requester != c.who.Requester {
		return subagent{}, refusedf("There is no subagent %.64q of yours in this conversation; list_subagents lists them.", id)
	}
	return s, nil
}

// reported reads how a subagent stands.
func (e *Engine) reported(ctx context.Context, id string) (Report, error) {
	var s subagent
	err := e.DB.Read(context.WithoutCancel(ctx), func(q *store.Reader) (err error) {
		s, _, err = loadSubagent(q, id)
		return err
	})
	return s.report(), err
}

func (s subagent) report() Report {
	created, _ := clock.ParseStamp(s.created) // unreadable is unknown
	return Report{ID: s.id, Agent: s.agent, Mode: s.mode, State: s.state, Background: s.background, Result: s.result, Created: created}
}

// reachable reports, as a *Refusal, why a caller may not hand work to a subagent's
// agent now: the configuration and the requester's rights may have changed.
func (e *Engine) reachable(ctx context.Context, c caller, snap *config.Snapshot, s subagent) error {
	a := snap.Config.Agents[c.agent]
	switch {
	case a == nil:
		return refusedf("Agent %s is no longer configured.", c.agent)
	case !slices.Contains(a.DelegateTo, s.agent) || snap.Config.Agents[s.agent] == nil:
		return refusedf("You may not hand work to agent %.64q. You may hand work to: %s.", s.agent, allowed(a))
	}
	if s.model != "" {
		if _, err := e.modelNamed(snap, s.model); err != nil {
			return refusedf("The subagent cannot use model %.64q: %v", s.model, err)
		}
	}
	who := c.identity(s.agent)
	e.undoubted(ctx, who)
	switch e.Room.Authority.May(ctx, who, e.Config.Current()) {
	case tool.Yes:
		return nil
	case tool.No:
		return refusedf("%s may not use agent %s here, so it cannot work as a subagent.", c.who.Requester, s.agent)
	}
	return refusedf("It cannot be told right now whether %s may use agent %s here. Try again shortly.", c.who.Requester, s.agent)
}
