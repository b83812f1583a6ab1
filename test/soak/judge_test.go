package main

import (
	"math"
	"strings"
	"testing"
)

// steady are n settled samples of a primary in order, one every ten seconds,
// with the noise that a real one has.
func steady(n int) []Sample {
	all := make([]Sample, n)
	for i := range all {
		all[i] = Sample{At: float64(10 * i), Calls: int64(5000 * i), Runs: 104, Goroutines: 6500 + i*7%5, Descriptors: 2400 + i*3%4,
			Processes: 208, Heap: 36 + float64(i*2%3)/2, Memory: 120 + float64(i*5%3), Database: float64(1000 + 4000*i), WAL: 5000, Files: 2600, Capabilities: 104}
	}
	return all
}

var inOrder = Ended{Stop: 4, GoroutinesBefore: 5, GoroutinesAfter: 5, DescriptorsBefore: 8, DescriptorsAfter: 10}

// The judge must find each fault that is put in, and nothing else.
func TestJudge(t *testing.T) {
	t.Parallel()
	each := func(change func(i int, s *Sample)) func([]Sample, *Ended) {
		return func(all []Sample, _ *Ended) {
			for i := range all {
				change(i, &all[i])
			}
		}
	}
	for name, c := range map[string]struct {
		spoil func(all []Sample, end *Ended)
		// want are the beginnings of the violations; none for a pass.
		want []string
		race bool
		n    int
	}{
		"in order":             {},
		"a peak that goes":     {spoil: func(all []Sample, _ *Ended) { all[20].Goroutines += 5000; all[20].Memory += 300 }},
		"what shrinks":         {spoil: each(func(i int, s *Sample) { s.Goroutines -= 50 * i; s.Memory -= float64(2 * i) })},
		"grows in the warm-up": {spoil: each(func(i int, s *Sample) { s.Memory += float64(8 * min(i, 6)) })},
		"a goroutine a launch": {spoil: each(func(i int, s *Sample) { s.Goroutines += 8 * i }), want: []string{"growth of goroutines"}},
		"a step that stays":    {spoil: each(func(i int, s *Sample) { s.Descriptors += 100 * (i / 20) }), want: []string{"growth of open descriptors"}},
		"late growth":          {spoil: each(func(i int, s *Sample) { s.Goroutines += 20 * max(0, i-12) }), want: []string{"growth of goroutines"}},
		"memory":               {spoil: each(func(i int, s *Sample) { s.Memory += float64(2 * i) }), want: []string{"growth of anonymous memory"}},
		"memory, race build":   {race: true, spoil: each(func(i int, s *Sample) { s.Memory += float64(2 * i) })},
		"runtime, race build":  {race: true, spoil: each(func(i int, s *Sample) { s.Runtime += float64(2 * i) }), want: []string{"growth of memory of the Go runtime"}},
		"heap":                 {spoil: each(func(i int, s *Sample) { s.Heap += float64(i) / 2 }), want: []string{"growth of heap"}},
		"heap, race build":     {race: true, spoil: each(func(i int, s *Sample) { s.Heap += float64(i) / 2 }), want: []string{"growth of heap"}},
		"a process":            {spoil: each(func(i int, s *Sample) { s.Processes += i / 8 }), want: []string{"growth of processes"}},
		"zombies":              {spoil: each(func(i int, s *Sample) { s.Zombies = i / 3 }), want: []string{"growth of zombies"}},
		"runs":                 {spoil: each(func(i int, s *Sample) { s.Runs += i / 8; s.Capabilities += i / 8 }), want: []string{"growth of live runs"}},
		"folders":              {spoil: each(func(i int, s *Sample) { s.Files += i / 8 }), want: []string{"growth of files"}},
		"one capability":       {spoil: func(all []Sample, _ *Ended) { all[20].Capabilities++ }, want: []string{"capability files"}},
		"database":             {spoil: each(func(i int, s *Sample) { s.Database *= 4 }), want: []string{"database growth"}},
		"nobody calls":         {spoil: each(func(i int, s *Sample) { s.Calls = 7 }), want: []string{"database growth"}},
		"log not checkpointed": {spoil: func(all []Sample, _ *Ended) { all[23].WAL = 1 << 20 }, want: []string{"write-ahead log"}},
		"slow stop":            {spoil: func(_ []Sample, end *Ended) { end.Stop = 26 }, want: []string{"stop with"}},
		"stop, race build":     {race: true, spoil: func(_ []Sample, end *Ended) { end.Stop = 49 }},
		"slow stop, race":      {race: true, spoil: func(_ []Sample, end *Ended) { end.Stop = 51 }, want: []string{"stop with"}},
		"goroutine left":       {spoil: func(_ []Sample, end *Ended) { end.GoroutinesAfter++ }, want: []string{"goroutines left"}},
		"descriptor left":      {spoil: func(_ []Sample, end *Ended) { end.DescriptorsAfter++ }, want: []string{"descriptors left"}},
		"hardly a sample":      {n: 4, want: []string{"settled samples"}},
		"no sample":            {n: -1, want: []string{"settled samples", "database growth"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 24
			if c.n != 0 {
				n = max(c.n, 0)
			}
			all, end := steady(n), inOrder
			if c.spoil != nil {
				c.spoil(all, &end)
			}
			got := violations(judge(Plan{Race: c.race}, all, end))
			if len(got) != len(c.want) {
				t.Fatalf("violations are %q, want %q", got, c.want)
			}
			for i, want := range c.want {
				if !strings.HasPrefix(got[i], want) {
					t.Errorf("violation %q, want one of %q", got[i], want)
				}
			}
		})
	}
}

func TestSeries(t *testing.T) {
	t.Parallel()
	line := func(of func(x float64) float64) (s []point) {
		for x := range 11 {
			s = append(s, point{float64(x), of(float64(x))})
		}
		return s
	}
	for name, c := range map[string]struct {
		series       []point
		growth, gain float64
	}{
		"nothing":    {nil, 0, 0},
		"one":        {[]point{{1, 5}}, 0, 0},
		"flat":       {line(func(float64) float64 { return 3 }), 0, 0},
		"rising":     {line(func(x float64) float64 { return 2 * x }), 10, 16},
		"early only": {line(func(x float64) float64 { return min(x, 4) }), 0, 3},
		"one moment": {[]point{{1, 5}, {1, 9}}, 0, 0},
	} {
		if g, a := growth(c.series), gain(c.series); math.Abs(g-c.growth) > 1e-9 || math.Abs(a-c.gain) > 1e-9 {
			t.Errorf("%s: growth %v, gain %v, want %v, %v", name, g, a, c.growth, c.gain)
		}
	}
}

// Three quarters go to the ordinary build, one to the race build, and both get
// samples enough to be judged.
func TestPlans(t *testing.T) {
	t.Parallel()
	for _, minutes := range []float64{0.5, 2, 10, 120} {
		total := float64(minutes * 60e9)
		all := plans(minutesOf(minutes))
		if len(all) != 2 || all[0].Race || !all[1].Race || float64(all[0].Length) != total*3/4 || float64(all[1].Length) != total/4 {
			t.Fatalf("plans of %v minutes: %+v", minutes, all)
		}
		if all[0].Callers != 64 || all[0].Held() != 2000 {
			t.Errorf("the ordinary build carries %d callers and %d held calls", all[0].Callers, all[0].Held())
		}
		for _, p := range all {
			if p.Round <= 0 || p.Round > p.Length/fewest {
				t.Errorf("a phase of %s has rounds of %s", p.Length, p.Round)
			}
		}
	}
}
