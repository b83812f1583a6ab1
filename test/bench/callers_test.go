package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"mindroom/test/rig"
)

// The load makes every call once, in turn, and tells of a refused one instead of
// measuring it.
func TestCallers(t *testing.T) {
	t.Parallel()
	r, err := rig.Open(t.Context(), t.TempDir(), rig.Options{WithoutProcesses: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	plan := callersPlan{URL: r.URL, Function: "noop", Calls: 7}
	for range 3 {
		run, err := r.Launch(t.Context(), owner(0), "pass")
		if err != nil {
			t.Fatal(err)
		}
		token, err := r.Capability(run.ID)
		if err != nil {
			t.Fatal(err)
		}
		plan.Runs = append(plan.Runs, callerRun{run.ID, token})
	}
	raw, err := json.Marshal(plan)
	if err != nil {
		t.Fatal(err)
	}
	var out, errs bytes.Buffer
	var times sample
	if code := runCallers(bytes.NewReader(raw), &out, &errs); code != 0 || json.Unmarshal(out.Bytes(), &times) != nil || len(times) != plan.Calls {
		t.Fatalf("exit %d, %q, %q", code, out.String(), errs.String())
	}
	for i, want := range []int{3, 2, 2} {
		_, _, calls, err := r.Manager.Get(t.Context(), rig.Owner(owner(0)), string(plan.Runs[i].ID))
		if err != nil || calls.Completed != want {
			t.Errorf("run %d made %+v calls, %v; want %d", i, calls, err, want)
		}
	}

	plan.Runs[1].Token = "somebody else's"
	plan.Function = "gate"
	plan.Runs, plan.Calls = plan.Runs[1:2], 1
	if _, err := plan.run(); err == nil || !strings.Contains(err.Error(), "404") {
		t.Errorf("a refused call was measured: %v", err)
	}
}
