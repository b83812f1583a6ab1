package script

import (
	"context"
	"errors"
	"fmt"

	"mindroom/internal/excerpt"
	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// Owner is whose runs a control function sees: those of one requester and agent.
type Owner struct{ Requester, Agent string }

// Get is a run of the owner, as it is now, with its output and how its calls
// stand. A run of anybody else reads as not found (S27).
func (m *Manager) Get(ctx context.Context, owner Owner, id string) (*Run, string, Standing, error) {
	r, err := m.owned(ctx, owner, id)
	if err != nil {
		return nil, "", Standing{}, err
	}
	if !r.State.Terminal() {
		if r, err = m.refresh(ctx, r); err != nil {
			return nil, "", Standing{}, err
		}
	}
	out, err := m.Output(ctx, r, -1)
	if err != nil {
		return nil, "", Standing{}, err
	}
	standing, err := m.Standing(ctx, r.ID)
	return r, out.Text, standing, err
}

// refresh settles a run whose end was seen or asked for, without waiting for
// anything else; a run that cannot be settled yet is returned as it stands.
func (m *Manager) refresh(ctx context.Context, r *Run) (*Run, error) {
	lv := m.lookup(r.ID)
	if lv == nil || !lv.mu.TryLock() {
		return r, nil
	}
	defer lv.mu.Unlock()
	_, known := m.cfg.Backend.Exit(r.ID)
	if !known && !r.Revoked() {
		return r, nil
	}
	after, err := m.settle(ctx, lv, true)
	var refused *Error
	if errors.As(err, &refused) && refused.Kind == KindUnconfirmed {
		return m.get(ctx, r.ID)
	}
	return after, err
}

// List are the owner's runs, newest first.
func (m *Manager) List(ctx context.Context, owner Owner, includeFinished bool) ([]*Run, error) {
	where := `WHERE requester = $1 AND agent = $2`
	if !includeFinished {
		where += ` AND nonterminal = 1`
	}
	var runs []*Run
	err := m.cfg.DB.Read(ctx, func(q *store.Reader) (err error) {
		runs, err = listRuns(q, where+` ORDER BY created_at DESC, run_id DESC`, owner.Requester, owner.Agent)
		return err
	})
	return runs, err
}

// All are the runs of everybody, newest first, for operators. limit 0 means all.
func (m *Manager) All(ctx context.Context, includeFinished bool, limit int) ([]*Run, error) {
	where := ``
	if !includeFinished {
		where = `WHERE nonterminal = 1`
	}
	where += ` ORDER BY created_at DESC, run_id DESC`
	if limit > 0 {
		where += fmt.Sprintf(` LIMIT %d`, limit)
	}
	var runs []*Run
	err := m.cfg.DB.Read(ctx, func(q *store.Reader) (err error) {
		runs, err = listRuns(q, where)
		return err
	})
	return runs, err
}

// Find is a run of anybody, for operators.
func (m *Manager) Find(ctx context.Context, id string) (*Run, error) {
	run, err := identity.ParseRunID(id)
	if err != nil {
		return nil, notFound(id)
	}
	r, err := m.get(ctx, run)
	if errors.Is(err, errNotFound) {
		return nil, notFound(id)
	}
	return r, err
}

// Cancel ends a run of the owner. The capability is revoked before anything is
// signalled, and cancelled is only told after the end is confirmed. An end that
// cannot be confirmed in time is KindUnconfirmed: the intent is stored and tried
// again (S28–S30). A terminal run is returned as it is.
func (m *Manager) Cancel(ctx context.Context, owner Owner, id string, force bool) (*Run, error) {
	r, err := m.owned(ctx, owner, id)
	if err != nil {
		return nil, err
	}
	return m.end(ctx, r, ReasonOwnerCancel, "", !force)
}

// CancelAny ends anybody's run on behalf of an operator.
func (m *Manager) CancelAny(ctx context.Context, id string, force bool) (*Run, error) {
	r, err := m.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	return m.end(ctx, r, ReasonOperator, "", !force)
}

func (m *Manager) end(ctx context.Context, r *Run, reason Reason, text string, graceful bool) (*Run, error) {
	if r.State.Terminal() {
		return r, nil
	}
	lv := m.lookup(r.ID)
	if lv == nil {
		// It became terminal between the two looks.
		return m.get(ctx, r.ID)
	}
	if err := m.revoke(ctx, lv, reason, text); err != nil {
		return nil, err
	}
	lv.mu.Lock()
	defer lv.mu.Unlock()
	return m.settle(ctx, lv, graceful)
}

// Output is what a run wrote, from byte offset on as far as it is kept; a
// negative offset means the kept tail. It is readable while the run goes on and
// after it ended (S26, S75).
func (m *Manager) Output(ctx context.Context, r *Run, offset int64) (Output, error) {
	if r.FinishedAt.IsZero() && !r.State.Terminal() {
		out, err := m.cfg.Backend.Output(ctx, r.ID, string(m.folder(r.ID)), offset)
		if err == nil {
			return Output{Text: out.Text, Offset: out.Offset, Total: out.Total, Live: true}, nil
		}
		// Its end may have been settled between the two looks.
		if again, getErr := m.get(ctx, r.ID); getErr == nil && again.FinishedAt.IsZero() {
			m.log.Debug("no output yet", "run", r.ID, "error", err)
			return Output{Live: true}, nil
		}
	}
	text, err := readOutput(ctx, m.cfg.DB, r.ID)
	return Output{Text: text, Total: int64(len(text))}, err
}

// Output is a part of a run's output stream.
type Output struct {
	Text string
	// Offset and Total are bytes of the live stream; of a finished run only the
	// kept tail counts.
	Offset, Total int64
	// Live is true while the process may still write.
	Live bool
}

func (m *Manager) owned(ctx context.Context, owner Owner, id string) (*Run, error) {
	r, err := m.Find(ctx, id)
	if err != nil {
		return nil, err
	}
	if r.Who.Requester != owner.Requester || r.Who.Agent != owner.Agent {
		return nil, notFound(id)
	}
	return r, nil
}

func notFound(id string) *Error {
	return errorf(KindNotFound, "there is no script run %q of yours with this agent; list_scripts shows them", excerpt.Head(id, 64))
}
