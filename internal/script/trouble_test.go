package script_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/identity"
	"mindroom/internal/script"
	"mindroom/internal/store"
)

// inheritedRow is a house, not admitting yet, whose earlier start left one run
// with the handle, and with its end recorded if ended.
func inheritedRow(t *testing.T, handle string, ended bool) (h *house, id identity.RunID) {
	t.Helper()
	h = open(t, options{})
	must(t, h.db.Write(t.Context(), func(tx *store.Tx) (err error) {
		id, err = script.LeaveForTest(tx, who(anna), handle, ended)
		return err
	}))
	return h, id
}

// refused expects that nothing is admitted, and that the launch, the list and
// the log name the run and what to restore.
func (h *house) refused(id identity.RunID, what, restore string) {
	h.t.Helper()
	if err := h.Recover(h.t.Context()); err == nil || !strings.Contains(err.Error(), string(id)) || !strings.Contains(err.Error(), what) {
		h.t.Errorf("Recover: %v", err)
	}
	trouble := h.Trouble(id)
	if trouble == nil || !strings.Contains(trouble.What, what) || !strings.Contains(trouble.Restore, restore) {
		h.t.Errorf("the trouble of the run is %v", trouble)
	}
	_, err := h.Launch(h.t.Context(), request(h.t, sleeper))
	var e *script.Error
	if !errors.As(err, &e) || e.Kind != script.KindReconciling || !e.Retryable ||
		!strings.Contains(e.Message, string(id)) || !strings.Contains(e.Message, what) || !strings.Contains(e.Message, restore) {
		h.t.Errorf("a launch is refused with %v", err)
	}
	if r, err := h.Find(h.t.Context(), string(id)); err != nil || r.State.Terminal() || !r.Revoked() {
		h.t.Errorf("the run is %s, revoked %v, %v", r.State, r.Revoked(), err)
	}
}

// freedBy expects that everything goes on once what was in the way is gone.
func (h *house) freedBy(id identity.RunID) {
	h.t.Helper()
	h.Pass(h.t.Context())
	if end := h.terminal(id); end.State != script.Interrupted || h.Trouble(id) != nil {
		h.t.Errorf("the run is %s, its trouble %v", end.State, h.Trouble(id))
	}
	h.start(sleeper)
}

// A run whose processes cannot be proven gone, or whose folder cannot be removed,
// keeps everything closed, says which it is and what to restore, and is settled
// by the next pass after that (S63, S72).
func TestTroubleIsTold(t *testing.T) {
	t.Parallel()
	set := func(h *house, handle string, id identity.RunID) {
		must(t, h.db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := tx.Exec(`UPDATE script_runs SET handle = $1 WHERE run_id = $2`, handle, string(id))
			return err
		}))
	}
	t.Run("another backend's handle", func(t *testing.T) {
		t.Parallel()
		h, id := inheritedRow(t, `{"version":1,"backend":"docker"}`, false)
		h.refused(id, "another worker backend", "restore the backend")
		set(h, "null", id)
		h.freedBy(id)
	})
	for name, c := range map[string]struct {
		ended         bool
		what, restore string
	}{
		"nobody can tell whether it works":   {false, "not proven to be gone", "restart this machine"},
		"it ended, and its folder must stay": {true, "cannot be removed", "writable"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h, id := inheritedRow(t, "null", c.ended)
			// Whoever runs this may write everywhere, so it is no permission that is
			// in the way: where the folders lie is no folder.
			folders := filepath.Join(h.storage, "script_runs")
			must(t, os.WriteFile(folders, nil, 0o600))
			h.refused(id, c.what, c.restore)
			must(t, os.Remove(folders))
			h.freedBy(id)
		})
	}
}
