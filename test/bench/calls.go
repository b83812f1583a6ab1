package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mindroom/internal/canonical"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/wirekit"
	pythonsdk "mindroom/sdk/python"
	"mindroom/test/rig"
)

// caller is a script that makes calls as fast as they are answered, between two
// passings of the gate, and writes what each took, in microseconds.
const caller = `
import json, time
from mindroom.script_sdk import MindRoomTools
tools = MindRoomTools()
took = []
tools.call("bench", "noop", n=0)
tools.call("bench", "gate")
for n in range(@CALLS@):
    start = time.perf_counter()
    tools.call("bench", "noop", n=n)
    took.append(time.perf_counter() - start)
tools.call("bench", "gate")
print(json.dumps([round(t * 1e6) for t in took]))
`

func callerSource(calls int) string {
	return strings.ReplaceAll(caller, "@CALLS@", strconv.Itoa(calls))
}

// took reads the last line a caller wrote, in milliseconds.
func took(output string) (sample, error) {
	lines := strings.Split(strings.TrimSpace(output), "\n")
	var micros []float64
	if err := json.Unmarshal([]byte(lines[len(lines)-1]), &micros); err != nil {
		return nil, fmt.Errorf("a caller's last line is no list of times: %w", err)
	}
	for i := range micros {
		micros[i] /= 1000
	}
	return micros, nil
}

// calls are tool calls of real scripts, with everything a call passes.
func (b *bench) calls(ctx context.Context) ([]Row, error) {
	return b.withRig(ctx, rig.Options{}, b.callsOf)
}

func (b *bench) callsOf(ctx context.Context, r *rig.Rig) ([]Row, error) {
	dir, err := b.folder("client")
	if err != nil {
		return nil, err
	}
	alone, err := clientAlone(ctx, dir, r.Python, b.rounds(1000))
	if err != nil {
		return nil, err
	}
	rows := []Row{spread("the SDK alone, against a gateway that does nothing", "ms", alone).note("Python's share of the rows below")}
	for _, c := range []struct{ scripts, calls int }{{1, 1500}, {8, 300}, {64, 60}} {
		got, err := together(ctx, r, c.scripts, b.rounds(c.calls))
		if err != nil {
			return rows, fmt.Errorf("%d scripts at once: %w", c.scripts, err)
		}
		rows = append(rows, got...)
	}
	return rows, nil
}

// together has scripts make calls at the same time.
func together(ctx context.Context, r *rig.Rig, scripts, calls int) ([]Row, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, 2*time.Minute, fmt.Errorf("not done within two minutes"))
	defer cancel()
	runs := make([]identity.RunID, scripts)
	for i := range runs {
		run, err := r.Launch(ctx, "@bench:example.org", callerSource(calls))
		if err != nil {
			return nil, err
		}
		runs[i] = run.ID
	}
	if err := r.Kit.Await(ctx, scripts); err != nil {
		return nil, err
	}
	before, err := spent(r)
	if err != nil {
		return nil, err
	}
	r.Kit.Open()
	if err := r.Kit.Await(ctx, scripts); err != nil {
		return nil, err
	}
	after, err := spent(r)
	if err != nil {
		return nil, err
	}
	r.Kit.Open()
	var all sample
	for _, run := range runs {
		output, err := r.Finish(ctx, run)
		if err != nil {
			return nil, err
		}
		times, err := took(output)
		if err != nil {
			return nil, err
		}
		all = append(all, times...)
	}
	// The end of one passing of the gate and the beginning of the other are one
	// call more for each script.
	n := float64(scripts * (calls + 1))
	at := fmt.Sprintf("%d scripts at once", scripts)
	if scripts == 1 {
		at = "1 script"
	}
	latency := spread("no-op tool call from a script, SDK to SDK, "+at, "ms", all).
		note("%.0f calls a second", n/after.at.Sub(before.at).Seconds())
	cpu := value("server CPU per call, "+at, "µs", microseconds(after.cpu-before.cpu)/n)
	commits := value("commits per call, "+at, "", float64(after.store.Commits-before.store.Commits)/n)
	switch scripts {
	case 1:
		latency = latency.within(P50, 2)
	case 64:
		cpu, commits = cpu.within(Value, 250), commits.within(Value, 2)
	}
	return []Row{latency, cpu, commits}, nil
}

// spending is what the primary's side used up to an instant.
type spending struct {
	at    time.Time
	cpu   time.Duration
	store store.Stats
}

func spent(r *rig.Rig) (spending, error) {
	cpu, err := cpuTime()
	return spending{time.Now(), cpu, r.DB.Stats()}, err
}

// clientAlone is the same script against a gateway that answers from memory.
func clientAlone(ctx context.Context, dir, python string, calls int) (sample, error) {
	null := func(context.Context, canonical.Doc) (json.RawMessage, *wirekit.ReceiptError) {
		return json.RawMessage("null"), nil
	}
	g := wirekit.NewFakeGateway(wirekit.Run{ID: "run", Token: "token", Tools: map[string]wirekit.Tool{"bench.noop": null, "bench.gate": null}})
	defer g.Close()
	g.Hold = 10 * time.Second
	sdk, token := filepath.Join(dir, "client"), filepath.Join(dir, "token")
	if err := pythonsdk.Lay(sdk); err != nil {
		return nil, err
	}
	if err := os.WriteFile(token, []byte("token"), 0o600); err != nil {
		return nil, err
	}
	program := "import sys; sys.path.insert(0, sys.argv[1])\n" + callerSource(calls)
	cmd := exec.CommandContext(ctx, python, "-I", "-B", "-u", "-c", program, sdk)
	cmd.Env = append(os.Environ(), "MINDROOM_SCRIPT_GATEWAY_URL="+g.URL(), "MINDROOM_SCRIPT_RUN_ID=run", "MINDROOM_SCRIPT_TOKEN_PATH="+token)
	cmd.Stderr = os.Stderr
	output, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("the SDK alone: %w", err)
	}
	return took(string(output))
}
