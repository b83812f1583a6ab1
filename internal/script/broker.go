package script

import (
	"context"
	"errors"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/lifecycle/step"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// submission is one call as the gateway received it.
type submission struct {
	id   string
	name tool.Name
	args canonical.Doc
}

var (
	// errUnavailable is the uniform refusal of a capability.
	errUnavailable = errors.New("unavailable")
	// errTaken: the call id was claimed before.
	errTaken = errors.New("the call id is taken")
	// errConflict: the call id is taken by a different call.
	errConflict = errors.New("the call id belongs to a different call")
)

// rateError says how long until the next call is free.
type rateError struct{ after time.Duration }

func (e *rateError) Error() string { return "the run's calls of this minute are used up" }

// submit accepts a call: a known id is joined, a new one is claimed durably and
// handed to an executor. The claim is complete before submit returns, whatever
// became of the request (S33, S60). A fresh id is the common case, so nothing is
// looked up for it: the insert itself tells whether the id is taken.
func (m *Manager) submit(ctx context.Context, lv *live, s submission) (receipt, *pending, error) {
	ctx = context.WithoutCancel(ctx)
	lv.calls.claiming.Lock()
	defer lv.calls.claiming.Unlock()
	if lv.calls.find(s.id) != nil {
		return m.join(ctx, lv, s, errUnavailable)
	}
	if !lv.run.Granted(s.name) {
		return m.join(ctx, lv, s, errUnavailable)
	}
	if after, ok := lv.calls.quota.take(time.Now()); !ok {
		return m.join(ctx, lv, s, &rateError{after})
	}
	r, p, err := m.claim(ctx, lv, s)
	if err != nil {
		lv.calls.quota.giveBack()
	}
	if errors.Is(err, errTaken) {
		return m.join(ctx, lv, s, errUnavailable)
	}
	return r, p, err
}

// join answers an id that was claimed before: an identical call is joined, any
// other conflicts. otherwise is the answer when the id is new after all.
func (m *Manager) join(ctx context.Context, lv *live, s submission, otherwise error) (receipt, *pending, error) {
	known, p, err := m.known(ctx, lv, s.id)
	switch {
	case err != nil:
		return receipt{}, nil, err
	case known == nil:
		return receipt{}, nil, otherwise
	case known.Name != s.name || known.Digest != s.args.Digest():
		return receipt{}, nil, errConflict
	}
	return *known, p, nil
}

// known finds an earlier claim of the id, and its executor if it has one. A
// pending claim without an executor was left behind when its receipt could not
// be stored; it is settled here, never run again.
func (m *Manager) known(ctx context.Context, lv *live, id string) (*receipt, *pending, error) {
	if p := lv.calls.find(id); p != nil {
		r := p.receipt
		return &r, p, nil
	}
	r, err := m.readCall(ctx, lv, id)
	if err != nil || r == nil || r.terminal() {
		return r, nil, err
	}
	err = m.write(ctx, func(tx *store.Tx) error { return m.settleOrphan(tx, lv.run, id, m.cfg.Now.Now()) })
	if err != nil {
		return nil, nil, err
	}
	r, err = m.readCall(ctx, lv, id)
	return r, nil, err
}

func (m *Manager) readCall(ctx context.Context, lv *live, id string) (*receipt, error) {
	var r *receipt
	err := m.cfg.DB.Read(ctx, func(q *store.Reader) (err error) {
		r, err = getCall(q, lv.run.ID, id)
		return err
	})
	return r, err
}

// claim makes a new call durable and starts its executor. A call that may run
// and finds its lane free is claimed and begun in one write.
func (m *Manager) claim(ctx context.Context, lv *live, s submission) (receipt, *pending, error) {
	call := tool.Call{
		Ref:  tool.Ref{Door: tool.DoorScript, Owner: string(lv.run.ID), ID: s.id},
		Name: s.name, Args: s.args, Who: lv.run.Who, Depth: lv.run.Depth,
	}
	terms := m.terms(lv)
	plan, fault := m.cfg.Room.Plan(ctx, call, terms)
	first := lv.calls.lane.Reserve(call.Ref)
	now := m.cfg.Now.Now()
	p := &pending{done: make(chan struct{}), receipt: receipt{
		Run: lv.run.ID, ID: s.id, Name: s.name, Digest: s.args.Digest(), State: tool.StatePending,
		Created: now, createdText: stamp(now), Begun: first && fault == nil && plan.Verdict.Kind == tool.Allow,
	}}
	if !lv.calls.admit(p) {
		lv.calls.lane.Abandon(call.Ref)
		return receipt{}, nil, errUnavailable
	}
	if err := m.write(ctx, func(tx *store.Tx) error { return m.insertClaim(tx, p.receipt) }); err != nil {
		lv.calls.lane.Abandon(call.Ref)
		lv.calls.drop(p)
		return receipt{}, nil, err
	}
	m.reached(step.CallClaimed)
	accepted := p.receipt
	execute := func(context.Context) error {
		defer lv.calls.drop(p)
		defer lv.calls.lane.Abandon(call.Ref)
		if !accepted.Begun {
			m.reached(step.CallWaits)
		}
		if fault != nil {
			m.cfg.Room.Refuse(lv.calls.ctx, plan, fault, terms)
		} else {
			m.cfg.Room.Perform(lv.calls.ctx, plan, nil, terms)
		}
		return nil
	}
	if !m.cfg.Run.Go("script call "+call.Ref.String(), execute) {
		// The process is going down. The row is settled like any other that its
		// executor left behind.
		lv.calls.lane.Abandon(call.Ref)
		lv.calls.drop(p)
	}
	return accepted, p, nil
}

// insertClaim stores a claim if its id is new and the run is still active: a
// revocation that is durable already wins over any call.
func (m *Manager) insertClaim(tx *store.Tx, r receipt) error {
	fresh, err := insertCall(tx, r)
	if err != nil || fresh {
		return err
	}
	taken, err := getCall(tx, r.Run, r.ID)
	if err != nil {
		return err
	}
	if taken != nil {
		return errTaken
	}
	return errUnavailable
}

// terms is the script door: the launch grant, unattended approval, one call at
// a time, durable receipts of at most 64 KiB.
func (m *Manager) terms(lv *live) tool.Terms {
	return tool.Terms{
		Surface:     lv.run.Granted,
		Preapproved: lv.run.preapproved,
		Unattended:  true,
		Live: func(context.Context) *tool.Fault {
			if lv.revoked.Load() {
				return tool.Faultf(tool.FaultRevoked, "the run was ended before the call began; it never ran")
			}
			return nil
		},
		Ask:    m.asker(),
		Lane:   &lv.calls.lane,
		Ledger: &ledger{m: m, lv: lv},
		Bound:  boundReceipt,
	}
}

// asker puts calls before people; nil where nobody can be asked.
func (m *Manager) asker() tool.Asker {
	if m.cfg.Cards == nil {
		return nil
	}
	return m.cfg.Cards.Ask
}

// preapproved reports whether the launch made name eligible for unattended
// approval (S09).
func (r *Run) preapproved(name tool.Name) bool {
	for _, n := range r.Unambiguous {
		if n == name {
			return true
		}
	}
	return false
}
