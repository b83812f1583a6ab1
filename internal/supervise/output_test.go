//go:build linux

package supervise_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"mindroom/internal/supervise"
)

// Invariant 3 of package guard: a detached child that holds the output holds nothing up.
func TestExitDoesNotWaitForTheOutput(t *testing.T) {
	t.Parallel()
	for name, detach := range map[string]string{"same group": "NAP 60 & echo hi", "own session": "setsid NAP 60 & echo hi"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nap, alive := mark(t)
			spec := sh(strings.ReplaceAll(detach, "NAP", nap))
			spec.OnLeaderExit = supervise.LeaderExitKeep
			spec.Deadline = time.Hour
			p := start(t, spec)
			begun := time.Now()
			wait(t, "exit", p.Exited())
			if d := time.Since(begun); d > 5*time.Second {
				t.Errorf("exit was seen after %v", d)
			}
			if got := text(t, p); got != "hi\n" {
				t.Errorf("output at exit %q", got)
			}
			s, err := p.Status(bounded(t))
			if err != nil {
				t.Fatal(err)
			}
			if s.Phase != supervise.PhaseDetached || s.Procs != 1 || *s.Exit.Code != 0 {
				t.Errorf("kept child: phase %s, %d processes, exit %+v", s.Phase, s.Procs, s.Exit)
			}
			until(t, "the kept child has its own name", func() bool { return len(alive()) == 1 })
			if err := p.End(bounded(t), supervise.EndForce); err != nil {
				t.Fatal(err)
			}
			if r := record(t, p); r.Cause != supervise.CauseExited || *r.Exit.Code != 0 || len(alive()) > 0 {
				t.Errorf("cause %s, exit %+v, alive %v", r.Cause, r.Exit, alive())
			}
		})
	}
}

// What was kept may end by itself, goes on being read meanwhile, and the deadline of the command is not its own.
func TestKeptChildWritesAndEnds(t *testing.T) {
	t.Parallel()
	spec := sh(`(sleep 0.8; echo late) & echo early`)
	spec.OnLeaderExit, spec.Deadline = supervise.LeaderExitKeep, 400*time.Millisecond
	p := start(t, spec)
	wait(t, "exit", p.Exited())
	if got := text(t, p); got != "early\n" {
		t.Errorf("output at exit %q", got)
	}
	if r := record(t, p); r.Tail != "early\nlate\n" || r.Cause != supervise.CauseExited {
		t.Errorf("output %q, cause %s", r.Tail, r.Cause)
	}
}

func TestBothChannelsKeepTheirOrder(t *testing.T) {
	t.Parallel()
	p := start(t, sh(`for i in 1 2 3 4 5; do echo out$i; echo err$i >&2; done`))
	want := ""
	for i := 1; i <= 5; i++ {
		want += fmt.Sprintf("out%d\nerr%d\n", i, i)
	}
	if r := record(t, p); r.Tail != want {
		t.Errorf("got %q", r.Tail)
	}
}

// A leader that closed its pipes goes on, and its end is seen.
func TestClosedPipes(t *testing.T) {
	t.Parallel()
	p := start(t, sh(`echo hi; exec >&- 2>&- <&-; sleep 0.3; exit 4`))
	awaitOutput(t, p, "hi")
	if s, err := p.Status(bounded(t)); err != nil || s.Phase != supervise.PhaseRunning {
		t.Errorf("phase %s, %v", s.Phase, err)
	}
	if r := record(t, p); *r.Exit.Code != 4 || r.Tail != "hi\n" {
		t.Errorf("exit %+v, output %q", r.Exit, r.Tail)
	}
}

// Ten megabytes: counted to the byte, the last 64 KiB kept, in memory and on disk alike (S75).
func TestMuchOutput(t *testing.T) {
	t.Parallel()
	spec := sh(`for ((i=0; i<163840; i++)); do printf '%063d\n' $i; done`)
	spec.RunDir = runDir(t)
	p := start(t, spec)
	r := record(t, p)
	if r.OutputTotal != 10<<20 || len(r.Tail) != 64<<10 {
		t.Fatalf("total %d, tail %d bytes", r.OutputTotal, len(r.Tail))
	}
	for i := range 1024 {
		if line, want := r.Tail[i*64:i*64+64], fmt.Sprintf("%063d\n", 163840-1024+i); line != want {
			t.Fatalf("line %d of the tail is %q, want %q", i, line, want)
		}
	}
	again, err := supervise.Reclaim(bounded(t), spec.RunDir)
	if err != nil || again.Tail != r.Tail || again.OutputTotal != r.OutputTotal {
		t.Errorf("record on disk: total %d, same tail %v, %v", again.OutputTotal, again.Tail == r.Tail, err)
	}
}

// The tail is text whatever was written: invalid bytes are marked, a character is never cut, the bound holds.
func TestOutputThatIsNotText(t *testing.T) {
	t.Parallel()
	spec := sh(`printf '\xff\xfe ok \xc3\x28\n'; for i in 1 2 3 4 5 6 7 8 9; do printf '€€€€€€€€'; done; printf '\xe2\x82'`)
	spec.TailBytes = 100
	r := record(t, start(t, spec))
	if !utf8.ValidString(r.Tail) || len(r.Tail) > 100 || !strings.HasPrefix(r.Tail, "€") || !strings.HasSuffix(r.Tail, "€\uFFFD") {
		t.Errorf("tail %q of %d bytes", r.Tail, len(r.Tail))
	}
	r = record(t, start(t, sh(`printf 'a\xff\xfeb'`)))
	if r.Tail != "a\uFFFDb" || r.OutputTotal != 4 {
		t.Errorf("tail %q, total %d", r.Tail, r.OutputTotal)
	}
}

// Following from the start gives every byte once, in order, to several readers, and then ends.
func TestFollow(t *testing.T) {
	t.Parallel()
	p := start(t, sh(`for i in {1..40}; do echo line $i; sleep 0.005; done`))
	want := ""
	for i := 1; i <= 40; i++ {
		want += fmt.Sprintf("line %d\n", i)
	}
	got := make(chan string)
	for range 3 {
		go func() {
			var b bytes.Buffer
			for at := int64(0); ; {
				c, err := p.ReadFrom(bounded(t), at)
				if err != nil {
					got <- err.Error()
					return
				}
				b.Write(c.Data)
				if at = c.Next(); c.Done {
					got <- b.String()
					return
				}
			}
		}()
	}
	for range 3 {
		if g := <-got; g != want {
			t.Errorf("followed %q", g)
		}
	}
}

func TestFollowEndsWithItsContext(t *testing.T) {
	t.Parallel()
	p := start(t, sh(`sleep 1000`))
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	if _, err := p.ReadFrom(ctx, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got %v", err)
	}
}

// The command's text and its stdin reach it by descriptors, and nothing of them stands in any argument list.
func TestTextAndStdin(t *testing.T) {
	t.Parallel()
	spec := sh(`tr '\0' ' ' </proc/$$/cmdline; echo; cat; echo; echo end`)
	spec.Stdin = []byte("from stdin")
	if r := record(t, start(t, spec)); r.Tail != "/bin/bash /dev/fd/3 \nfrom stdin\nend\n" {
		t.Errorf("got %q", r.Tail)
	}
	spec = supervise.Spec{Argv: []string{"/bin/sh", "-c", "cat; echo $A; pwd; env | wc -l"}, Env: []string{"A=b"}, Dir: "/usr"}
	if r := record(t, start(t, spec)); r.Tail != "b\n/usr\n3\n" { // A, PWD of the shell, the tree's marker
		t.Errorf("got %q", r.Tail)
	}
}
