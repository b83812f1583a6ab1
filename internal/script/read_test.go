package script_test

import (
	"path/filepath"
	"testing"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

// A database from before it was kept who launched a run is brought up to date,
// and its runs stay readable.
func TestRunsFromBeforeTheirLaunchWasKept(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "old.db")
	old := script.Schema
	old.Steps = old.Steps[:8]
	id := identity.NewRunID()
	db, err := store.Open(t.Context(), path, old)
	must(t, err)
	must(t, db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO script_runs VALUES ($1, 'watcher', '@anna:example.org', '{"agent_name":"watcher"}', '', 'd', '[]', 0, '[]', 0,
			'h', 'k', 1, 'null', 1, 1, 1, 'exited', '2026-01-01T00:00:00.000000Z', '', '2026-01-01T00:00:00.000000Z', 0, '', '', '', '', '', 0)`, string(id))
		return err
	}))
	must(t, db.Close())
	now := storetest.OpenAt(t, path, script.Schema)
	must(t, now.Read(t.Context(), func(q *store.Reader) error {
		run, found, err := script.Read(q, id)
		if err == nil && (!found || run.State != script.Exited || run.LaunchedBy != tool.Ref{}) {
			t.Errorf("the old run reads %v, %+v", found, run)
		}
		if _, found, _ := script.Read(q, identity.NewRunID()); found {
			t.Error("a run that never was is found")
		}
		return err
	}))
}

// What looks on from outside finds a call while it runs and after its end.
func TestReceiptsFromOutside(t *testing.T) {
	t.Parallel()
	h := opened(t, options{hold: time.Minute})
	req := request(t, sleeper)
	req.LaunchedBy = tool.Ref{Door: tool.DoorTurn, Owner: "turn-1", ID: "1.1.c"}
	run, err := h.Launch(t.Context(), req)
	must(t, err)
	if run.LaunchedBy != req.LaunchedBy {
		t.Errorf("launched by %+v", run.LaunchedBy)
	}
	read := func(ask func(q store.Queryer) ([]script.Receipt, error)) (all []script.Receipt) {
		t.Helper()
		must(t, h.db.Read(t.Context(), func(q *store.Reader) (err error) {
			all, err = ask(q)
			return err
		}))
		return all
	}
	byCall := func(q store.Queryer) ([]script.Receipt, error) { return script.OfCall(q, "", "one") }
	must(t, h.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := tx.Exec(`INSERT INTO script_calls VALUES ($1, 'one', 'probe', 'echo', 'd', 'pending', 1, NULL, NULL, '2026-01-01T00:00:00.000000Z', '')`, string(run.ID))
		return err
	}))
	if got := read(byCall); len(got) != 1 || got[0].Run != run.ID || got[0].State != tool.StatePending || !got[0].Begun || !got[0].Ended.IsZero() || got[0].Created.IsZero() {
		t.Errorf("a running call reads %+v", got)
	}
	_, err = h.CancelAny(t.Context(), string(run.ID), true)
	must(t, err)
	h.terminal(run.ID)
	got := read(func(q store.Queryer) ([]script.Receipt, error) { return script.Newest(q, run.ID, 5) })
	if len(got) != 1 || got[0].State != tool.StateIndeterminate || got[0].Fault == nil || got[0].Ended.IsZero() {
		t.Errorf("an ended call reads %+v", got)
	}
	if got := read(func(q store.Queryer) ([]script.Receipt, error) { return script.OfCall(q, "script-other", "one") }); len(got) != 0 {
		t.Errorf("another run has %+v", got)
	}
}
