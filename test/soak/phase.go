package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"
)

// Result is a phase as it was judged.
type Result struct {
	Plan    Plan     `json:"plan"`
	Samples []Sample `json:"samples"`
	Ended   Ended    `json:"ended"`
	Tally   Tally    `json:"tally"`
	Rows    []Row    `json:"rows"`
	// Violations are all of them, whatever saw them; empty for a phase in order.
	Violations []string `json:"violations"`
}

// mostViolations bounds the list: one fault can show at every call.
const mostViolations = 50

func (r *Result) wrong(format string, args ...any) {
	if len(r.Violations) < mostViolations {
		r.Violations = append(r.Violations, fmt.Sprintf(format, args...))
	}
}

// play runs one phase in a primary of its own and judges it. An error means
// that there was nothing to judge.
func play(ctx context.Context, binary string, p Plan, progress io.Writer) (Result, error) {
	r := Result{Plan: p}
	raw, err := json.Marshal(p)
	if err != nil {
		return r, err
	}
	cmd := exec.CommandContext(ctx, binary, houseMode)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = time.Minute
	var errs bytes.Buffer
	cmd.Stderr = &errs
	in, err := cmd.StdinPipe()
	if err != nil {
		return r, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	if err := cmd.Start(); err != nil {
		return r, fmt.Errorf("start the primary: %w", err)
	}
	if _, err := in.Write(raw); err != nil {
		_ = cmd.Process.Kill() // it may have ended already, which is why
		_ = cmd.Wait()
		return r, fmt.Errorf("hand the plan to the primary: %w", err)
	}
	r.listen(out, progress)
	_ = in.Close() // it may have ended
	if err := cmd.Wait(); err != nil {
		tail := errs.Bytes()
		r.wrong("the primary ended with %v: %s", err, tail[max(0, len(tail)-4000):])
	}
	if ctx.Err() != nil {
		return r, context.Cause(ctx)
	}
	r.aftermath(ctx)
	r.Rows = judge(p, r.Samples, r.Ended)
	for _, wrong := range violations(r.Rows) {
		r.wrong("%s", wrong)
	}
	return r, nil
}

// listen takes in what the primary says until it says no more.
func (r *Result) listen(out io.Reader, progress io.Writer) {
	for decoder := json.NewDecoder(out); ; {
		var l line
		if err := decoder.Decode(&l); err != nil {
			return // its end, or nothing that could be read: what is missing is judged
		}
		switch {
		case l.Settled != nil:
			r.Samples = append(r.Samples, *l.Settled)
		case l.Ended != nil:
			r.Ended = *l.Ended
		case l.Wrong != "":
			r.wrong("%s", l.Wrong)
			fmt.Fprintf(progress, "  %s: WRONG: %s\n", r.Plan.Name, l.Wrong)
		case l.Progress != "":
			fmt.Fprintf(progress, "  %s: %s\n", r.Plan.Name, l.Progress)
		}
	}
}

// aftermath looks at what the primary left: processes, files, the database.
func (r *Result) aftermath(ctx context.Context) {
	pids, err := leftovers(r.Plan.Dir)
	if err != nil {
		r.wrong("the process table cannot be read: %v", err)
	}
	if len(pids) > 0 {
		r.wrong("%d processes are left: %v", len(pids), pids)
	}
	all, capabilities, err := files(filepath.Join(r.Plan.Dir, "script_runs"))
	if err != nil {
		r.wrong("the run folders cannot be read: %v", err)
	}
	if all > 0 {
		r.wrong("%d files are left in the run folders, %d of them capabilities", all, capabilities)
	}
	if err := r.reckon(ctx); err != nil {
		r.wrong("the database: %v", err)
	}
}

// ledger reads what the primary left about its long runs.
func ledger(dir string) (all []ran, err error) {
	raw, err := os.ReadFile(filepath.Join(dir, ledgerFile))
	if err == nil {
		err = json.Unmarshal(raw, &all)
	}
	return all, err
}
