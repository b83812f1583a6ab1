//go:build linux

package supervise_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mindroom/internal/supervise"
	"mindroom/internal/supervise/wire"
)

// S71: a supervisor that is killed takes its leader with it, and the living client ends the rest.
func TestClientClearsUpAfterKilledSupervisor(t *testing.T) {
	t.Parallel()
	for _, level := range levels(t) {
		for _, durable := range []bool{true, false} {
			nap, alive := mark(t)
			spec := sh(escape(nap) + `sleep 0.5; echo ready; wait`)
			spec.MaxLevel = level
			if durable {
				spec.RunDir = runDir(t)
			}
			p := start(t, spec)
			awaitOutput(t, p, "ready")
			awaitTrace(t, p, level)
			s, err := p.Status(bounded(t))
			if err != nil {
				t.Fatal(err)
			}
			if err := syscall.Kill(parentOf(t, s.Pid), syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			r := record(t, p)
			wait(t, "exit", p.Exited())
			if left := alive(); len(left) > 0 {
				t.Errorf("%s, durable %v: alive %v", level, durable, left)
			}
			want := wire.ProofCgroup
			if level == supervise.LevelSubreaper {
				want = wire.ProofSearch
			}
			if r.Cause != supervise.CauseLost || r.Proof != want || r.Tail != "ready\n" || r.Exit.Code != nil {
				t.Errorf("%s, durable %v: cause %s, proof %s, tail %q, exit %+v", level, durable, r.Cause, r.Proof, r.Tail, r.Exit)
			}
			if st, err := p.Status(bounded(t)); err != nil || st.Phase != supervise.PhaseDead || st.Cause != supervise.CauseLost {
				t.Errorf("status %+v, %v", st, err)
			}
		}
	}
}

// The same when primary and supervisor die together: the next primary has only the folder.
func TestReclaimAfterBothWereKilled(t *testing.T) {
	t.Parallel()
	for _, level := range levels(t) {
		nap, alive := mark(t)
		spec := sh(escape(nap) + `echo ready; wait`)
		spec.MaxLevel, spec.RunDir = level, runDir(t)
		pr := startPrimary(t, spec)
		until(t, "children", func() bool { return len(alive()) == escapees })
		if level == supervise.LevelSubreaper {
			until(t, "trace", func() bool { return len(supervisorOf(t, spec.RunDir).Tree) >= escapees })
		}
		pr.kill()
		if err := syscall.Kill(supervisorOf(t, spec.RunDir).Supervisor.Pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		r, err := supervise.Reclaim(bounded(t), spec.RunDir)
		if err != nil || r.Cause != supervise.CauseLost || r.Tail != "ready\n" || len(alive()) > 0 {
			t.Errorf("%s: cause %s, tail %q, alive %v, %v", level, r.Cause, r.Tail, alive(), err)
		}
		again, err := supervise.Reclaim(bounded(t), spec.RunDir)
		if err != nil || again != r {
			t.Errorf("%s: a second reclaim says %+v, %v", level, again, err)
		}
	}
}

// A recorded number that names another process now is left alone.
func TestReusedNumberIsSpared(t *testing.T) {
	t.Parallel()
	bystander := start(t, sh("exec sleep 1000"))
	s, err := bystander.Status(bounded(t))
	if err != nil {
		t.Fatal(err)
	}
	spec := sh("echo hi")
	spec.RunDir = runDir(t)
	p := start(t, spec)
	record(t, p)
	if err := p.Close(bounded(t)); err != nil { // the supervisor is gone and the lock free
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(spec.RunDir, "exit.json")); err != nil {
		t.Fatal(err)
	}
	id := supervisorOf(t, spec.RunDir)
	id.Leader.Pid, id.Supervisor.Pid = s.Pid, s.Pid
	// Both were started within moments, and the kernel tells a start to ten milliseconds;
	// a number takes longer than that to come round.
	id.Leader.Start, id.Supervisor.Start = id.Leader.Start+1000, id.Supervisor.Start+1000
	writeIdentity(t, spec.RunDir, id)
	if r, err := supervise.Reclaim(bounded(t), spec.RunDir); err != nil || r.Cause != supervise.CauseLost {
		t.Errorf("cause %s, %v", r.Cause, err)
	}
	if now, err := bystander.Status(bounded(t)); err != nil || now.Phase != supervise.PhaseRunning {
		t.Errorf("bystander: %s, %v", now.Phase, err)
	}
}

// What a folder can look like when nobody lives, and what may be concluded.
func TestReclaimConclusions(t *testing.T) {
	t.Parallel()
	self := wire.Identity{Protocol: wire.Protocol, ID: strings.Repeat("ab", 16)}
	for name, c := range map[string]struct {
		prepare func(t *testing.T, dir string)
		proof   supervise.Proof // empty: unproven
	}{
		"no folder":     {func(*testing.T, string) {}, wire.ProofNothing},
		"only the lock": {func(t *testing.T, dir string) { lockFile(t, dir) }, wire.ProofNothing},
		"other boot":    {func(t *testing.T, dir string) { lockFile(t, dir); writeIdentity(t, dir, self) }, wire.ProofBoot},
		"other namespace": {func(t *testing.T, dir string) {
			lockFile(t, dir)
			i := self
			i.Boot = boot(t)
			writeIdentity(t, dir, i)
		}, wire.ProofNamespace},
		"torn identity": {func(t *testing.T, dir string) { lockFile(t, dir); put(t, dir, "supervisor.json", "{") }, ""},
		"torn record":   {func(t *testing.T, dir string) { lockFile(t, dir); put(t, dir, "exit.json", "{") }, ""},
		"newer protocol": {func(t *testing.T, dir string) {
			lockFile(t, dir)
			put(t, dir, "supervisor.json", `{"protocol":99}`)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := runDir(t)
			c.prepare(t, dir)
			before := listing(dir)
			r, err := supervise.Reclaim(bounded(t), dir)
			if c.proof == "" {
				if !errors.Is(err, supervise.ErrUnproven) || listing(dir) != before {
					t.Errorf("got %+v, %v; folder %q became %q", r, err, before, listing(dir))
				}
				return
			}
			if err != nil || r.Proof != c.proof || r.Cause != supervise.CauseLost {
				t.Errorf("cause %s, proof %s, %v", r.Cause, r.Proof, err)
			}
		})
	}
}

// A supervisor that does not end in time leaves everything as it was.
func TestReclaimIsBounded(t *testing.T) {
	t.Parallel()
	spec := sh("sleep 1000")
	spec.RunDir = runDir(t)
	start(t, spec)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := supervise.Reclaim(ctx, spec.RunDir); !errors.Is(err, supervise.ErrUnproven) {
		t.Errorf("got %v", err)
	}
	if exists(filepath.Join(spec.RunDir, "exit.json")) {
		// The supervisor was told to end and may have been quick; then its own record is there and is no claim of ours.
		if r, err := supervise.Reclaim(bounded(t), spec.RunDir); err != nil || r.Proof != "reaped" {
			t.Errorf("proof %s, %v", r.Proof, err)
		}
	}
}

// awaitTrace waits until the supervisor wrote the whole tree down, where that is all there is.
func awaitTrace(t *testing.T, p *supervise.Process, level supervise.Level) {
	t.Helper()
	if level != supervise.LevelSubreaper {
		return
	}
	until(t, "trace", func() bool { return supervise.Traced(p) >= escapees })
}

func writeIdentity(t *testing.T, dir string, id wire.Identity) {
	t.Helper()
	b, err := json.Marshal(id)
	if err != nil {
		t.Fatal(err)
	}
	put(t, dir, "supervisor.json", string(b))
}

func put(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func lockFile(t *testing.T, dir string) {
	t.Helper()
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	put(t, dir, "lock", "")
}

func listing(dir string) string {
	var names []string
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		b, _ := os.ReadFile(filepath.Join(dir, e.Name()))
		names = append(names, e.Name()+"="+string(b))
	}
	return strings.Join(names, "|")
}
