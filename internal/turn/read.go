package turn

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Turn is a turn as the database has it, for those who look on from outside of
// the engine.
type Turn struct {
	ID             string
	Agent, Account string
	Who            identity.Execution
	// Trigger is the event id of the message it answers, as Account heard it.
	Room, ThreadRoot, Trigger string
	// Subagent is whose turn it is, Caller the call that asked for it, and Trigger is
	// empty then; an answer to a message has neither.
	Subagent string
	Caller   *tool.Ref
	// Depth is the number of self-triggers that led here.
	Depth  int
	State  State
	Reason string
	// CancelledBy is who ended it; empty when nobody did.
	CancelledBy      string
	Created, Changed time.Time
}

// Read is the turn of that id; false when there is none.
func Read(q store.Queryer, id string) (Turn, bool, error) {
	r, err := load(q, id)
	if errors.Is(err, ErrUnknown) {
		return Turn{}, false, nil
	}
	if err != nil {
		return Turn{}, false, err
	}
	t, err := r.public()
	return t, err == nil, err
}

// public is the row as those outside of the engine read it.
func (r row) public() (Turn, error) {
	t := Turn{
		ID: r.id, Agent: r.agent, Account: r.account, Who: r.who, Room: r.room, ThreadRoot: r.threadRoot, Trigger: r.trigger,
		Depth: r.depth, State: r.state, Reason: r.reason, CancelledBy: r.cancelBy,
	}
	if r.subagent != "" {
		t.Subagent, t.Trigger = r.subagent, ""
		if ref, ok := tool.ParseRef(r.trigger); ok {
			t.Caller = &ref
		}
	}
	var err error
	if t.Created, err = clock.ParseStamp(r.created); err == nil {
		t.Changed, err = clock.ParseStamp(r.changed)
	}
	if err != nil {
		return Turn{}, fmt.Errorf("turn %s is damaged in the database: %w", r.id, err)
	}
	return t, nil
}

// OpenCall is a begun call of a turn's open batch.
type OpenCall struct {
	Ref tool.Ref
	// Function is the name the model called it by; empty when the checkpoint is
	// of a build that this one cannot read.
	Function string
	// Outcome is nil while the call runs.
	Outcome *tool.Outcome
}

// Open are the begun calls of a turn's open batch, by their ids. Once the batch
// is over its calls are known from the audit alone.
func Open(q store.Queryer, turn string) ([]OpenCall, error) {
	begun, err := begunCalls(q, turn)
	if err != nil || len(begun) == 0 {
		return nil, err
	}
	r, err := load(q, turn)
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	if cp, err := decodeCheckpoint(r.checkpoint); err == nil {
		for _, c := range cp.Calls {
			names[c.Ref] = c.Call.Name
		}
	}
	var all []OpenCall
	for ref, out := range begun {
		all = append(all, OpenCall{tool.Ref{Door: tool.DoorTurn, Owner: turn, ID: ref}, names[ref], out})
	}
	slices.SortFunc(all, func(a, b OpenCall) int { return strings.Compare(a.Ref.ID, b.Ref.ID) })
	return all, nil
}
