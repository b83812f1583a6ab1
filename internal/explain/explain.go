package explain

import (
	"context"
	"fmt"
	"slices"

	"mindroom/internal/audit"
	"mindroom/internal/chat"
	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// Options are what an explanation needs. DB and Redactor are required.
type Options struct {
	// DB may be opened for reading only.
	DB       *store.DB
	Redactor *secret.Redactor
	// Offered says whether an agent has a function under the present
	// configuration; nil when that cannot be told.
	Offered func(agent string, name tool.Name) bool
}

// ID explains the run, turn or call of that id. A call is named by its owner, a
// run or a turn, and its id; by its id alone when only one call has it, else an
// *AmbiguousError says which do; or by its correlation id as logs carry it. An
// empty owner means that id is not qualified. What the database does not have is
// ErrUnknown.
func ID(ctx context.Context, o Options, owner, id string) (Report, error) {
	var report Report
	err := o.DB.Read(ctx, func(q *store.Reader) error {
		v := &view{Options: o, q: q, journal: chat.NewJournal(o.DB, nil)}
		first, err := v.find(owner, id)
		if err != nil {
			return err
		}
		report, err = v.report(first)
		return err
	})
	if err != nil {
		return Report{}, fmt.Errorf("explain %s: %w", id, err)
	}
	return report, nil
}

// view is one committed state of the database.
type view struct {
	Options
	q       *store.Reader
	journal *chat.Journal
}

// target is what a link is made of: a run, a turn, or a call, whose Ref has an
// id then; or a message as a turn's account heard it.
type target struct {
	ref     tool.Ref
	account string
	event   string
}

// find says what an id means.
func (v *view) find(owner, id string) (target, error) {
	if owner == "" {
		if door, ok := doorOf(id); ok {
			return target{ref: tool.Ref{Door: door, Owner: id}}, nil
		}
		if ref, ok := tool.ParseRef(id); ok {
			return target{ref: ref}, nil
		}
	} else if _, ok := doorOf(owner); !ok {
		return target{}, fmt.Errorf("%w: %q is no id of a run or a turn", ErrUnknown, owner)
	}
	refs, err := v.calls(owner, id)
	switch {
	case err != nil:
		return target{}, err
	case len(refs) == 0:
		return target{}, ErrUnknown
	case len(refs) > 1:
		return target{}, &AmbiguousError{ID: id, Refs: refs}
	}
	return target{ref: refs[0]}, nil
}

// doorOf is the door behind which the calls of a run or a turn are made.
func doorOf(owner string) (tool.Door, bool) {
	if _, err := identity.ParseRunID(owner); err == nil {
		return tool.DoorScript, true
	}
	if _, err := identity.ParseTurnID(owner); err == nil {
		return tool.DoorTurn, true
	}
	return "", false
}

// calls are all calls with the id, of one owner or of all. The running calls of
// a turn are found by their owner only.
func (v *view) calls(owner, id string) ([]tool.Ref, error) {
	var refs []tool.Ref
	add := func(r tool.Ref) {
		if !slices.Contains(refs, r) {
			refs = append(refs, r)
		}
	}
	records, err := audit.OfCall(v.q, owner, id)
	if err != nil {
		return nil, err
	}
	for _, r := range records {
		add(r.Ref)
	}
	receipts, err := script.OfCall(v.q, identity.RunID(owner), id)
	if err != nil {
		return nil, err
	}
	for _, r := range receipts {
		add(tool.Ref{Door: tool.DoorScript, Owner: string(r.Run), ID: r.ID})
	}
	if door, _ := doorOf(owner); door == tool.DoorTurn {
		open, err := turn.Open(v.q, owner)
		if err != nil {
			return nil, err
		}
		for _, c := range open {
			if c.Ref.ID == id {
				add(c.Ref)
			}
		}
	}
	return refs, nil
}
