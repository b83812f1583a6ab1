package main

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"
)

var errNothing = errors.New("nothing to measure")

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestQuantile(t *testing.T) {
	t.Parallel()
	hundred := make(sample, 100)
	for i := range hundred {
		hundred[99-i] = float64(i + 1)
	}
	for _, c := range []struct {
		s    sample
		q    float64
		want float64
	}{
		{nil, 0.5, 0}, {sample{7}, 0.99, 7}, {sample{3, 1, 2}, 0.5, 2}, {hundred, 0.5, 51}, {hundred, 0.99, 100}, {hundred, 0, 1},
	} {
		if got := c.s.quantile(c.q); got != c.want {
			t.Errorf("quantile(%v) of %d values = %v, want %v", c.q, len(c.s), got, c.want)
		}
	}
	if hundred[0] != 100 {
		t.Error("quantile sorted the sample it was asked about")
	}
}

func TestVerdict(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		row  Row
		want Verdict
		line string
	}{
		"within":                   {value("a", "MB", 59.95).within(Value, 60), OK, "60 MB|≤ 60 MB"},
		"at":                       {value("a", "", 0).within(Value, 0), OK, "0|≤ 0"},
		"over":                     {spread("a", "ms", sample{2.5}).within(P50, 2), Over, "p50 2.5  p99 2.5 ms|p50 ≤ 2 ms"},
		"to be read":               {value("a", "µs", 1234.5), Shown, "1234 µs"},
		"not measured":             {missing("a", errNothing), Missing, "not measured|nothing"},
		"held figure is not there": {value("a", "ms", 1).within(P99, 2), Missing, "1 ms"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := c.row.judge()
			var out bytes.Buffer
			if err := r.print(&out); err != nil {
				t.Fatal(err)
			}
			if r.Verdict != c.want || !strings.Contains(out.String(), string(c.want)) {
				t.Errorf("verdict %q, want %q; printed %q", r.Verdict, c.want, out.String())
			}
			for part := range strings.SplitSeq(c.line, "|") {
				if !strings.Contains(out.String(), part) {
					t.Errorf("printed %q without %q", out.String(), part)
				}
			}
		})
	}
}

func TestCovered(t *testing.T) {
	t.Parallel()
	zero := time.Unix(1000, 0)
	at := func(ms int) time.Time { return zero.Add(time.Duration(ms) * time.Millisecond) }
	spans := func(ms ...int) (out []span) {
		for i := 0; i < len(ms); i += 2 {
			out = append(out, span{at(ms[i]), at(ms[i+1])})
		}
		return out
	}
	for name, c := range map[string]struct {
		spans    []span
		first    int
		busy     int
		requests int
	}{
		"nothing":               {nil, 100, 0, 0},
		"apart":                 {spans(10, 20, 50, 60), 10, 20, 2},
		"overlapping":           {spans(10, 30, 20, 40), 10, 30, 2},
		"one inside another":    {spans(10, 90, 20, 30), 10, 80, 2},
		"out of order":          {spans(50, 60, 10, 20), 10, 20, 2},
		"cut at the end":        {spans(90, 200), 90, 10, 1},
		"of another start":      {spans(-50, -10, 120, 130), 100, 0, 0},
		"touching one another":  {spans(10, 20, 20, 30), 10, 20, 2},
		"begun before the time": {spans(-10, 10), -10, 10, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, busy, requests := covered(c.spans, at(0), at(100))
			if !first.Equal(at(c.first)) || busy != time.Duration(c.busy)*time.Millisecond || requests != c.requests {
				t.Errorf("first %v, busy %v, %d requests; want %d ms, %d ms, %d", first.Sub(zero), busy, requests, c.first, c.busy, c.requests)
			}
		})
	}
}

func TestPackageInit(t *testing.T) {
	t.Parallel()
	total, dearest, most, err := packageInit("mindroom dev\ninit internal/bytealg @0.010 ms, 0.25 ms clock, 0 bytes, 0 allocs\n" +
		"init a.example/big @1.2 ms, 3.5 ms clock, 1024 bytes, 12 allocs\n")
	if err != nil || total != 3.75 || dearest != "a.example/big" || most != 3.5 {
		t.Errorf("packageInit = %v, %q, %v, %v", total, dearest, most, err)
	}
	if _, _, _, err := packageInit("mindroom dev\n"); err == nil {
		t.Error("no trace was taken for one")
	}
}

func TestTook(t *testing.T) {
	t.Parallel()
	got, err := took("a warning\n[1500, 2000]\n")
	if err != nil || len(got) != 2 || got[0] != 1.5 || got[1] != 2 {
		t.Errorf("took = %v, %v", got, err)
	}
	if _, err := took("Traceback\nRuntimeError: no\n"); err == nil {
		t.Error("a traceback was taken for times")
	}
}
