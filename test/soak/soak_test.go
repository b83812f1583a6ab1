package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/store"
	"mindroom/test/binary"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 2 && os.Args[1] == houseMode {
		os.Exit(runHouse(os.Stdin, os.Stdout))
	}
	os.Exit(binary.Main(m, binary.Supervisor))
}

func minutesOf(m float64) time.Duration { return time.Duration(m * float64(time.Minute)) }

// One small phase with real processes passes, and what it leaves does not pass
// any more once it is tampered with.
func TestPhase(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p := Plan{Name: "small", Callers: 2, Holders: 2, Threads: 3, Churners: 1, Length: 4 * time.Second, Round: 500 * time.Millisecond, Dir: t.TempDir()}
	var progress bytes.Buffer
	r, err := play(t.Context(), self, p, &progress)
	if err != nil {
		t.Fatal(err)
	}
	if len(r.Violations) > 0 {
		t.Fatalf("violations: %s\n%s", strings.Join(r.Violations, "\n"), progress.String())
	}
	if r.Tally.Seen == 0 || r.Ended.Checked == 0 || r.Ended.Cancelled == 0 || len(r.Samples) < fewest || r.Samples[0].Runs != 4 || r.Samples[0].Processes < 8 {
		t.Fatalf("not much was played: %+v, %+v, first of %d samples %+v", r.Tally, r.Ended, len(r.Samples), r.Samples[0])
	}
	for _, c := range []struct{ sql, want string }{
		{`DELETE FROM audit WHERE id = (SELECT max(id) FROM audit WHERE state = 'completed')`, "has 0 audit records"},
		{`UPDATE script_calls SET state = 'pending' WHERE rowid = (SELECT min(c.rowid) FROM script_calls c JOIN script_runs r ON r.run_id = c.run_id WHERE r.name = 'caller')`, "1 receipts are pending"},
		{`DELETE FROM script_calls WHERE rowid = (SELECT max(c.rowid) FROM script_calls c JOIN script_runs r ON r.run_id = c.run_id WHERE r.name = 'caller')`, "receipt is lost"},
	} {
		tamper(t, p.Dir, c.sql)
		again := Result{Plan: p, Ended: r.Ended}
		again.aftermath(t.Context())
		if got := strings.Join(again.Violations, "\n"); !strings.Contains(got, c.want) {
			t.Errorf("after %s the judge says %q, want %q", c.sql, got, c.want)
		}
	}
	runs, err := ledger(p.Dir)
	if err != nil {
		t.Fatal(err)
	}
	runs[0].Marks[0]++
	raw, err := json.Marshal(runs)
	if err != nil {
		t.Fatal(err)
	}
	stray := filepath.Join(p.Dir, "script_runs", "run-x")
	if err := os.Mkdir(stray, 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{filepath.Join(p.Dir, ledgerFile): string(raw), filepath.Join(stray, "capability"): "x"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	again := Result{Plan: p, Ended: r.Ended}
	again.aftermath(t.Context())
	for _, want := range []string{"call 0 took effect 2 times", "1 files are left in the run folders, 1 of them capabilities"} {
		if got := strings.Join(again.Violations, "\n"); !strings.Contains(got, want) {
			t.Errorf("the judge says %q, want %q", got, want)
		}
	}
}

func tamper(t *testing.T, dir, sql string) {
	t.Helper()
	db, err := store.Open(t.Context(), filepath.Join(dir, "mindroom.db"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.Write(t.Context(), func(tx *store.Tx) error {
		n, err := tx.Exec(sql)
		if err == nil && n != 1 {
			err = fmt.Errorf("%d rows were changed", n)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A primary that dies is a violation, and so is everything it did not say.
func TestPrimaryThatDies(t *testing.T) {
	t.Parallel()
	r, err := play(t.Context(), "/bin/false", Plan{Name: "dead", Dir: t.TempDir()}, os.Stderr)
	if err == nil && len(r.Violations) == 0 {
		t.Error("a primary that died at once passed")
	}
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want int
	}{{[]string{"-help"}, 0}, {nil, 2}, {[]string{"-minutes", "0", "-race", "x"}, 2}, {[]string{"-race", "x", "more"}, 2}, {[]string{"-nonsense"}, 2}, {[]string{"-race", "/nowhere/soak"}, 1}} {
		var out, errs bytes.Buffer
		if got := run(c.args, &out, &errs); got != c.want || !strings.Contains(errs.String(), "soak") {
			t.Errorf("soak %v ended with %d, want %d, and said %q", c.args, got, c.want, errs.String())
		}
	}
}
