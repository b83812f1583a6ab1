package rig

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"mindroom/test/binary"
)

func TestMain(m *testing.M) {
	os.Exit(binary.Main(m, binary.Supervisor))
}

func open(t *testing.T, o Options) *Rig {
	t.Helper()
	r, err := Open(t.Context(), t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := r.Close(); err != nil {
			t.Error(err)
		}
	})
	return r
}

func within(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	t.Cleanup(cancel)
	return ctx
}

// A script's calls go the whole way, and the gate holds them together.
func TestScript(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	r := open(t, Options{})
	run, err := r.Launch(ctx, "@one:example.org", `
from mindroom.script_sdk import MindRoomTools
tools = MindRoomTools()
print(tools.call("bench", "noop", n=1))
tools.call("bench", "gate")
print("through")
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Kit.Await(ctx, 1); err != nil {
		t.Fatal(err)
	}
	r.Kit.Open()
	out, err := r.Finish(ctx, run.ID)
	if err != nil || out != "None\nthrough\n" {
		t.Errorf("the script wrote %q, %v", out, err)
	}
	_, _, calls, err := r.Manager.Get(ctx, Owner("@one:example.org"), string(run.ID))
	if err != nil || calls.Completed != 2 {
		t.Errorf("calls: %+v, %v", calls, err)
	}
}

func TestFailingScript(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	r := open(t, Options{})
	run, err := r.Launch(ctx, "@one:example.org", "raise SystemExit('no page')")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.Finish(ctx, run.ID); !errors.Is(err, ErrFailed) || !strings.Contains(err.Error(), "no page") {
		t.Errorf("Finish: %v", err)
	}
}

// Runs without a process are launched, listed and ended like any other.
func TestWithoutProcesses(t *testing.T) {
	t.Parallel()
	ctx := within(t)
	r := open(t, Options{WithoutProcesses: true})
	for range 3 {
		run, err := r.Launch(ctx, "@one:example.org", "pass")
		if err != nil {
			t.Fatal(err)
		}
		if token, err := r.Capability(run.ID); err != nil || len(token) != 43 {
			t.Errorf("capability of %d characters, %v", len(token), err)
		}
	}
	runs, err := r.Manager.List(ctx, Owner("@one:example.org"), false)
	if err != nil || len(runs) != 3 {
		t.Fatalf("%d runs, %v", len(runs), err)
	}
	ended, err := r.Manager.Cancel(ctx, Owner("@one:example.org"), string(runs[0].ID), true)
	if raw, _ := json.Marshal(ended); err != nil || !ended.State.Terminal() {
		t.Errorf("cancelled: %s, %v", raw, err)
	}
}
