package script

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Receipt is one call of a run as the database has it, for those who look on
// from outside of the runtime.
type Receipt struct {
	Run    identity.RunID
	ID     string
	Name   tool.Name
	Digest string
	State  tool.State
	// Begun says that the body may have run (S70).
	Begun  bool
	Result json.RawMessage
	Fault  *tool.Fault
	// Created is the instant of the claim; Ended is zero while it is pending.
	Created, Ended time.Time
}

// Read is the run of that id; false when there is none, or none any more.
func Read(q store.Queryer, id identity.RunID) (*Run, bool, error) {
	r, err := getRun(q, id)
	if errors.Is(err, errNotFound) {
		return nil, false, nil
	}
	return r, err == nil, err
}

// Calls says how the calls of a run stand.
func Calls(q store.Queryer, run identity.RunID) (CallCounts, error) { return countCalls(q, run) }

// Newest are the last claimed receipts of a run, newest first; at most limit.
func Newest(q store.Queryer, run identity.RunID, limit int) ([]Receipt, error) {
	return receipts(q, `WHERE run_id = $1 ORDER BY created_at DESC, call_id LIMIT $2`, string(run), limit)
}

// OfCall are the receipts of the calls that have this id. An empty run means all
// runs, which reads every receipt: call ids are unique only with their run.
func OfCall(q store.Queryer, run identity.RunID, id string) ([]Receipt, error) {
	if run == "" {
		return receipts(q, `WHERE call_id = $1 ORDER BY created_at, run_id`, id)
	}
	return receipts(q, `WHERE run_id = $1 AND call_id = $2`, string(run), id)
}

func receipts(q store.Queryer, where string, args ...any) (all []Receipt, err error) {
	type key struct{ run, call, ended string }
	var keys []key
	err = store.Each(q, func(rows *store.Rows) error {
		var k key
		err := rows.Scan(&k.run, &k.call, &k.ended)
		keys = append(keys, k)
		return err
	}, `SELECT run_id, call_id, ended_at FROM script_calls `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("list calls: %w", err)
	}
	for _, k := range keys {
		r, err := getCall(q, identity.RunID(k.run), k.call)
		if err != nil {
			return nil, err
		}
		if r == nil { // gone between two statements of a queryer that is no single state
			continue
		}
		out := Receipt{Run: r.Run, ID: r.ID, Name: r.Name, Digest: r.Digest, State: r.State, Begun: r.Begun, Result: r.Result, Fault: r.Fault}
		for _, d := range []struct {
			raw string
			to  *time.Time
		}{{r.createdText, &out.Created}, {k.ended, &out.Ended}} {
			if d.raw == "" {
				continue
			}
			if *d.to, err = clock.ParseStamp(d.raw); err != nil {
				return nil, fmt.Errorf("call %s is damaged in the database: %w", k.call, err)
			}
		}
		all = append(all, out)
	}
	return all, nil
}
