package audit

import (
	"context"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Record is one row as it is read back.
type Record struct {
	// Sequence counts up in the order in which ends became durable; numbers may be missing.
	Sequence                       int64
	At                             time.Time
	Ref                            tool.Ref
	Name                           tool.Name
	Agent, Requester, Room, Thread string
	Digest, Arguments              string
	Verdict, Rule                  string
	Began                          bool
	State                          tool.State
	Fault                          tool.FaultKind
	Message                        string
	Duration                       time.Duration
	Place                          tool.Place
	Decision                       tool.DecisionKind // empty: nobody was asked
	DecidedBy                      string
}

// Of are the records of one owner (a run or a turn), oldest first.
func Of(ctx context.Context, db *store.DB, owner string) ([]Record, error) {
	var out []Record
	err := db.Read(ctx, func(q *store.Reader) (err error) {
		out, err = list(q, `WHERE owner = $1 ORDER BY id`, owner)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", owner, err)
	}
	return out, nil
}

// Newest are the last records of one owner, newest first; at most limit.
func Newest(q store.Queryer, owner string, limit int) ([]Record, error) {
	out, err := list(q, `WHERE owner = $1 ORDER BY id DESC LIMIT $2`, owner, limit)
	if err != nil {
		return nil, fmt.Errorf("audit of %s: %w", owner, err)
	}
	return out, nil
}

// OfCall are the records of the calls that have this id, oldest first. An empty
// owner means all owners, which reads the whole audit: call ids are unique only
// with their owner.
func OfCall(q store.Queryer, owner, id string) (out []Record, err error) {
	if owner == "" {
		out, err = list(q, `WHERE call_id = $1 ORDER BY id`, id)
	} else {
		out, err = list(q, `WHERE owner = $1 AND call_id = $2 ORDER BY id`, owner, id)
	}
	if err != nil {
		return nil, fmt.Errorf("audit of call %s: %w", id, err)
	}
	return out, nil
}

func list(q store.Queryer, where string, args ...any) (out []Record, err error) {
	err = store.Each(q, func(rows *store.Rows) error {
		r, err := scan(rows)
		out = append(out, r)
		return err
	}, `SELECT id, at, door, owner, call_id, toolkit, function, agent, requester, room, thread, digest, arguments,
		verdict, rule, began, state, fault, message, microseconds, place, decision, decided_by FROM audit `+where, args...)
	return out, err
}

func scan(rows *store.Rows) (Record, error) {
	var r Record
	var at, door, state, fault, place, decision string
	var began int
	var micros int64
	if err := rows.Scan(&r.Sequence, &at, &door, &r.Ref.Owner, &r.Ref.ID, &r.Name.Toolkit, &r.Name.Function, &r.Agent, &r.Requester,
		&r.Room, &r.Thread, &r.Digest, &r.Arguments, &r.Verdict, &r.Rule, &began, &state, &fault, &r.Message, &micros, &place, &decision, &r.DecidedBy); err != nil {
		return r, err
	}
	when, err := clock.ParseStamp(at)
	r.At, r.Ref.Door, r.Began = when, tool.Door(door), began != 0
	r.Place, r.Decision = tool.Place(place), tool.DecisionKind(decision)
	r.State, r.Fault, r.Duration = tool.State(state), tool.FaultKind(fault), time.Duration(micros)*time.Microsecond
	return r, err
}
