package script

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"mindroom/internal/clock"
	"mindroom/internal/excerpt"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/worker"
)

// protocolVersion is the version of what a launch promises its script: the
// environment, the SDK and the gateway.
const protocolVersion = 1

const columns = `run_id, identity, name, source_digest, grants, preapprove, unambiguous, depth, worker_key, local, handle,
	max_calls_per_minute, max_runtime_seconds, state, created_at, started_at, finished_at, exit_code, exit_signal, error,
	cancel_at, reason, containment, launched_by, isolation, notify, speaker`

// errNotFound: no such run, or one that is not the asker's (S27).
var errNotFound = errors.New("no such run")

func insertRun(tx *store.Tx, r *Run, tokenHash string) error {
	if r.State != Starting || r.MaxCallsPerMinute < 1 || r.MaxRuntime <= 0 {
		return fmt.Errorf("run %s: a new run must be starting and have positive limits", r.ID)
	}
	d, err := r.documents()
	if err != nil {
		return err
	}
	_, err = tx.Exec(`INSERT INTO script_runs (`+columns+`, agent, requester, token_hash, protocol, nonterminal)
		VALUES ($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11,$12,$13,$14,$15,$16,$17,$18,$19,$20,$21,$22,$23,$24,$25,$26,$27,$28,$29,$30,$31,1)`,
		string(r.ID), d.who, r.Name, r.SourceDigest, d.grants, number(r.Preapprove), d.unambiguous, r.Depth, string(r.Key),
		number(r.Local), d.handle, r.MaxCallsPerMinute, int64(r.MaxRuntime/time.Second), string(r.State),
		stamp(r.CreatedAt), "", "", nil, "", "", "", "", r.Containment, d.launchedBy, r.Isolation, strings.Join(r.Notify, " "), r.Speaker,
		r.Who.Agent, r.Who.Requester, tokenHash, protocolVersion)
	if err != nil {
		return fmt.Errorf("run %s: %w", r.ID, err)
	}
	return nil
}

// documents are the columns of a run that hold JSON.
type documents struct{ who, grants, unambiguous, handle, launchedBy string }

func (r *Run) documents() (d documents, err error) {
	for _, c := range []struct {
		v  any
		to *string
	}{{r.Who, &d.who}, {r.Grants, &d.grants}, {r.Unambiguous, &d.unambiguous}, {r.Handle, &d.handle}, {r.LaunchedBy, &d.launchedBy}} {
		raw, err := json.Marshal(c.v)
		if err != nil {
			return documents{}, fmt.Errorf("run %s: %w", r.ID, err)
		}
		*c.to = string(raw)
	}
	return d, nil
}

// setHandle stores where the process is, before the run is published.
func setHandle(tx *store.Tx, id identity.RunID, h worker.Handle, containment string) error {
	raw, err := json.Marshal(h)
	if err != nil {
		return fmt.Errorf("run %s: handle: %w", id, err)
	}
	_, err = tx.Exec(`UPDATE script_runs SET handle = $1, containment = $2 WHERE run_id = $3 AND nonterminal = 1`, string(raw), containment, string(id))
	return wrap(id, err)
}

// publishRunning makes a started run running. It reports false, and changes
// nothing, when the run was revoked or ended meanwhile.
func publishRunning(tx *store.Tx, id identity.RunID, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE script_runs SET state = $1, started_at = $2 WHERE run_id = $3 AND state = $4 AND cancel_at = ''`,
		string(Running), stamp(now), string(id), string(Starting))
	return n > 0, wrap(id, err)
}

// revoke records the intent to end a run. The first reason wins; a run that is
// revoked or terminal stays as it is. It reports whether this call did it.
func revoke(tx *store.Tx, id identity.RunID, reason Reason, text string, now time.Time) (bool, error) {
	n, err := tx.Exec(`UPDATE script_runs SET cancel_at = $1, reason = $2, error = CASE WHEN $3 = '' THEN error ELSE $3 END
		WHERE run_id = $4 AND cancel_at = '' AND nonterminal = 1`, stamp(now), string(reason), excerpt.Head(text, maxText), string(id))
	return n > 0, wrap(id, err)
}

// ended is what is known of a process that ended.
type ended struct {
	at     time.Time
	code   *int
	signal string
	err    string
	output string
}

// recordExit stores how the process ended, with its output, and revokes the
// run with reason if nothing did before. The state stays as it is: what belongs
// to the run is cleaned up first.
func recordExit(tx *store.Tx, id identity.RunID, e ended, reason Reason, now time.Time) error {
	n, err := tx.Exec(`UPDATE script_runs SET finished_at = $1, exit_code = $2, exit_signal = $3,
		error = CASE WHEN $4 = '' THEN error ELSE $4 END,
		cancel_at = CASE WHEN cancel_at = '' THEN $5 ELSE cancel_at END,
		reason = CASE WHEN reason = '' THEN $6 ELSE reason END
		WHERE run_id = $7 AND finished_at = '' AND nonterminal = 1`,
		stamp(e.at), code(e.code), e.signal, excerpt.Head(e.err, maxText), stamp(now), string(reason), string(id))
	if err != nil || n == 0 {
		return wrap(id, err)
	}
	_, err = tx.Exec(`INSERT INTO script_outputs (run_id, output) VALUES ($1, $2) ON CONFLICT (run_id) DO NOTHING`, string(id), excerpt.Tail(e.output, maxText))
	return wrap(id, err)
}

// finalise publishes the terminal state that the first reason and the exit lead
// to. It is the only writer of terminal states and does nothing to a run that
// has one.
func finalise(tx *store.Tx, id identity.RunID, now time.Time) error {
	r, err := getRun(tx, id)
	if err != nil || r.State.Terminal() {
		return err
	}
	next := terminalFor(r.Reason, r.ExitCode)
	if !r.State.mayBecome(next) {
		return fmt.Errorf("run %s: %s may not become %s", id, r.State, next)
	}
	_, err = tx.Exec(`UPDATE script_runs SET state = $1, nonterminal = 0, handle = 'null',
		finished_at = CASE WHEN finished_at = '' THEN $2 ELSE finished_at END WHERE run_id = $3 AND nonterminal = 1`,
		string(next), stamp(now), string(id))
	return wrap(id, err)
}

func getRun(q store.Queryer, id identity.RunID) (*Run, error) {
	r, err := scanRun(q.QueryRow(`SELECT `+columns+` FROM script_runs WHERE run_id = $1`, string(id)))
	if errors.Is(err, store.ErrNoRows) {
		return nil, fmt.Errorf("run %s: %w", id, errNotFound)
	}
	return r, wrap(id, err)
}

func listRuns(q store.Queryer, where string, args ...any) ([]*Run, error) {
	var runs []*Run
	err := store.Each(q, func(rows *store.Rows) error {
		r, err := scanRun(rows)
		runs = append(runs, r)
		return err
	}, `SELECT `+columns+` FROM script_runs `+where, args...)
	if err != nil {
		return nil, fmt.Errorf("list runs: %w", err)
	}
	return runs, nil
}

type scanner interface{ Scan(...any) error }

func scanRun(row scanner) (*Run, error) {
	var (
		r                                                      Run
		id, who, grants, unambiguous, key, handle, by          string
		state, created, started, finished, cancel, why, notify string
		preapprove, local                                      int
		seconds                                                int64
		exit                                                   sql.NullInt64
	)
	err := row.Scan(&id, &who, &r.Name, &r.SourceDigest, &grants, &preapprove, &unambiguous, &r.Depth, &key, &local, &handle,
		&r.MaxCallsPerMinute, &seconds, &state, &created, &started, &finished, &exit, &r.ExitSignal, &r.Error,
		&cancel, &why, &r.Containment, &by, &r.Isolation, &notify, &r.Speaker)
	if err != nil {
		return nil, err
	}
	r.ID, r.Key, r.State, r.Reason = identity.RunID(id), identity.WorkerKey(key), State(state), Reason(why)
	r.Preapprove, r.Local, r.MaxRuntime = preapprove != 0, local != 0, time.Duration(seconds)*time.Second
	r.Notify = strings.Fields(notify)
	if exit.Valid {
		n := int(exit.Int64)
		r.ExitCode = &n
	}
	for _, d := range []struct {
		raw string
		to  any
	}{{who, &r.Who}, {grants, &r.Grants}, {unambiguous, &r.Unambiguous}, {handle, &r.Handle}, {by, &r.LaunchedBy}} {
		if d.raw == "" {
			continue
		}
		if err := json.Unmarshal([]byte(d.raw), d.to); err != nil {
			return nil, fmt.Errorf("run %s is damaged in the database: %w", id, err)
		}
	}
	for _, d := range []struct {
		raw string
		to  *time.Time
	}{{created, &r.CreatedAt}, {started, &r.StartedAt}, {finished, &r.FinishedAt}, {cancel, &r.CancelAt}} {
		if d.raw == "" {
			continue
		}
		if *d.to, err = clock.ParseStamp(d.raw); err != nil {
			return nil, fmt.Errorf("run %s is damaged in the database: %w", id, err)
		}
	}
	return &r, nil
}

func readOutput(ctx context.Context, db *store.DB, id identity.RunID) (string, error) {
	var out string
	err := db.Read(ctx, func(q *store.Reader) error {
		err := q.QueryRow(`SELECT output FROM script_outputs WHERE run_id = $1`, string(id)).Scan(&out)
		if errors.Is(err, store.ErrNoRows) {
			return nil
		}
		return err
	})
	return out, wrap(id, err)
}

func wrap(id identity.RunID, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run %s: %w", id, err)
}
