package explain

import (
	"slices"

	"mindroom/internal/audit"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// maxCalls bounds the list of an owner's calls.
const maxCalls = 20

// gone fails unless retention deleted the owner and left the audit of its calls.
func (v *view) gone(id string) error {
	records, err := audit.Newest(v.q, id, 1)
	if err == nil && len(records) == 0 {
		err = ErrUnknown
	}
	return err
}

// run reads a run; one that retention deleted is known by its calls.
func (v *view) run(id string) (*Run, error) {
	r, found, err := script.Read(v.q, identity.RunID(id))
	if err != nil {
		return nil, err
	}
	if !found {
		if err := v.gone(id); err != nil {
			return nil, err
		}
		return &Run{ID: id, Granted: []Granted{}, Gone: true}, nil
	}
	out := &Run{
		ID: id, Name: v.words(r.Name), Agent: r.Who.Agent, Requester: r.Who.Requester, Room: r.Who.Room, Thread: r.Who.ResolvedThread,
		Source: r.SourceDigest, Granted: []Granted{}, Local: r.Local, Key: string(r.Key), Containment: r.Containment,
		State: r.State, Reason: r.Reason, ExitCode: r.ExitCode, Signal: r.ExitSignal, Error: v.words(r.Error),
		Created: instant(r.CreatedAt), Started: instant(r.StartedAt), Cancel: instant(r.CancelAt), Finished: instant(r.FinishedAt),
	}
	for _, g := range r.Grants {
		out.Granted = append(out.Granted, Granted{g, slices.Contains(r.Unambiguous, g), v.offered(r.Who.Agent, g)})
	}
	if r.LaunchedBy.Owner != "" {
		by := r.LaunchedBy
		out.LaunchedBy = &by
	}
	out.Counts, err = script.Calls(v.q, r.ID)
	return out, err
}

// turn reads a turn, and the account that heard its message. One that retention
// deleted is known by its calls.
func (v *view) turn(id string) (*Turn, string, error) {
	t, found, err := turn.Read(v.q, id)
	if err != nil {
		return nil, "", err
	}
	if !found {
		return &Turn{ID: id, Gone: true}, "", v.gone(id)
	}
	return &Turn{
		ID: t.ID, Agent: t.Agent, Requester: t.Who.Requester, Room: t.Room, Thread: t.ThreadRoot, State: string(t.State), Reason: t.Reason,
		Cancelled: t.CancelledBy, Depth: t.Depth, Trigger: t.Trigger, Subagent: t.Subagent, CalledBy: t.Caller, Created: instant(t.Created), Changed: instant(t.Changed),
	}, t.Account, nil
}

// runCalls are the newest calls of a run: its receipts, or what the audit has
// when those are gone with it.
func (v *view) runCalls(r *Run) ([]Brief, error) {
	if r.Gone {
		return v.audited(r.ID)
	}
	receipts, err := script.Newest(v.q, identity.RunID(r.ID), maxCalls)
	if err != nil {
		return nil, err
	}
	all := []Brief{}
	for _, c := range receipts {
		b := Brief{ID: c.ID, Name: c.Name, State: c.State, At: instant(c.Created)}
		if c.Fault != nil {
			b.Fault = c.Fault.Kind
		}
		all = append(all, b)
	}
	return all, nil
}

// turnCalls are the running calls of a turn and the newest that ended.
func (v *view) turnCalls(id string) ([]Brief, error) {
	open, err := turn.Open(v.q, id)
	if err != nil {
		return nil, err
	}
	all := []Brief{}
	for _, c := range open {
		if c.Outcome == nil {
			all = append(all, Brief{ID: c.Ref.ID, Name: tool.Name{Function: c.Function}, State: tool.StatePending})
		}
	}
	ended, err := v.audited(id)
	return append(all, ended...), err
}

func (v *view) audited(owner string) ([]Brief, error) {
	records, err := audit.Newest(v.q, owner, maxCalls)
	if err != nil {
		return nil, err
	}
	all := []Brief{}
	for _, r := range records {
		all = append(all, Brief{ID: r.Ref.ID, Name: r.Name, State: r.State, Fault: r.Fault, Rule: v.words(r.Rule), At: instant(r.At)})
	}
	return all, nil
}

// offered is what Options.Offered says; nil when nobody can.
func (v *view) offered(agent string, name tool.Name) *bool {
	if v.Offered == nil {
		return nil
	}
	yes := v.Offered(agent, name)
	return &yes
}
