package main

import (
	"context"
	"fmt"
	"path/filepath"

	"mindroom/internal/identity"
	"mindroom/internal/store"
)

// Tally counts what the database has at the end.
type Tally struct {
	// Runs are those that are not pruned yet, Receipts and Records theirs.
	Runs     int `json:"runs"`
	Pruned   int `json:"pruned"`
	Receipts int `json:"receipts"`
	// Seen are the calls that long scripts saw completed; each was compared.
	Seen int `json:"seen"`
}

// keptOutput is how much of a run's output is kept, in bytes (spec/scripts.md).
const keptOutput = 64 << 10

// reckon compares the database with what the long scripts saw and did.
func (r *Result) reckon(ctx context.Context) error {
	runs, err := ledger(r.Plan.Dir)
	if err != nil {
		return err
	}
	db, err := store.OpenReadOnly(ctx, filepath.Join(r.Plan.Dir, "mindroom.db"))
	if err != nil {
		return err
	}
	defer db.Close()
	return db.Read(ctx, func(q *store.Reader) error {
		if err := r.totals(q); err != nil {
			return err
		}
		for _, run := range runs {
			if err := r.compare(q, run); err != nil {
				return fmt.Errorf("run %s: %w", run.ID, err)
			}
		}
		return nil
	})
}

func (r *Result) totals(q store.Queryer) error {
	var live, pending int
	for query, to := range map[string]*int{
		`SELECT count(*) FROM script_runs`:                          &r.Tally.Runs,
		`SELECT count(*) FROM script_calls`:                         &r.Tally.Receipts,
		`SELECT count(*) FROM script_runs WHERE nonterminal = 1`:    &live,
		`SELECT count(*) FROM script_calls WHERE state = 'pending'`: &pending,
	} {
		if err := q.QueryRow(query).Scan(to); err != nil {
			return err
		}
	}
	r.Tally.Pruned = int(r.Ended.Launched) - r.Tally.Runs
	if live > 0 {
		r.wrong("%d runs are not terminal after the stop", live)
	}
	if pending > 0 {
		r.wrong("%d receipts are pending after the stop", pending)
	}
	return nil
}

// compare holds one long run's receipts against its output and its marks.
func (r *Result) compare(q store.Queryer, run ran) error {
	var output, state string
	if err := q.QueryRow(`SELECT state FROM script_runs WHERE run_id = $1`, run.ID).Scan(&state); err != nil {
		return err
	}
	if err := q.QueryRow(`SELECT output FROM script_outputs WHERE run_id = $1`, run.ID).Scan(&output); err != nil {
		return fmt.Errorf("its output: %w", err)
	}
	caller := run.Script == "caller"
	if caller && state != "exited" {
		r.wrong("run %s of the script caller is %s", run.ID, state)
	}
	if !caller { // it was ended by the stop, maybe in the middle of a line
		output = whole(output)
	}
	t, err := tell(output, len(output) >= keptOutput-64)
	if err != nil {
		return err
	}
	if caller && len(t.failed) > 0 {
		r.wrong("calls of run %s failed although nothing disturbed them: %v", run.ID, t.failed)
	}
	b, err := read(q, identity.RunID(run.ID))
	if err != nil {
		return err
	}
	r.Tally.Seen += t.calls()
	for _, wrong := range check(t, run.Marks, b) {
		r.wrong("run %s of the script %s: %s", run.ID, run.Script, wrong)
	}
	return nil
}
