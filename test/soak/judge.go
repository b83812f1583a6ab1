package main

import "fmt"

// Bounds of what may grow between settled samples of the same state, and of
// what may be left. They leave room for connections that are between two
// polls, and for the allocator; not for one of anything a call or a launch.
const (
	mostGoroutines  = 64
	mostDescriptors = 64
	mostMemory      = 16  // MiB
	mostHeap        = 4   // MiB
	mostPerCall     = 2.0 // KiB of database a call: its receipt and its audit record
	mostWAL         = 64 << 10
	mostStop        = 25.0 // seconds, the product's own budget
	// What may be left above the state before the opening. The two descriptors
	// are the poller of the Go runtime, which keeps them once it has them.
	leftGoroutines  = 0
	leftDescriptors = 2
	// fewestSamples is what a phase must have after the warm-up.
	fewestSamples = 5
)

// Row is one judged figure of a phase.
type Row struct {
	What string `json:"what"`
	// First and Last are medians of three settled samples, where there are such.
	First float64 `json:"first"`
	Last  float64 `json:"last"`
	// Value is what is held against Bound.
	Value float64 `json:"value"`
	Bound float64 `json:"bound"`
	// Shown is a figure that is only there to be read.
	Shown bool `json:"shown,omitempty"`
	OK    bool `json:"ok"`
}

// settled leaves the warm-up out: the first quarter of the samples.
func settled(all []Sample) []Sample { return all[len(all)/4:] }

// judge holds the settled samples and the end of a phase against the bounds.
func judge(p Plan, all []Sample, end Ended) []Row {
	samples := settled(all)
	memory := grows("anonymous memory, MiB", mostMemory, samples, func(s Sample) float64 { return s.Memory })
	stop := mostStop
	if p.Race {
		stop *= 2 // everything takes several times as long there
		// The detector's own is in it: a shadow of all that was ever touched, which
		// grows while nothing of the program does. The next two rows leave it out.
		memory.Shown = true
	}
	rows := []Row{
		{What: "settled samples after the warm-up (at least)", Value: float64(len(samples)), Bound: fewestSamples, OK: len(samples) >= fewestSamples},
		grows("goroutines", mostGoroutines, samples, func(s Sample) float64 { return float64(s.Goroutines) }),
		grows("open descriptors", mostDescriptors, samples, func(s Sample) float64 { return float64(s.Descriptors) }),
		grows("processes", 0, samples, func(s Sample) float64 { return float64(s.Processes) }),
		grows("zombies", 0, samples, func(s Sample) float64 { return float64(s.Zombies) }),
		memory,
		grows("memory of the Go runtime, MiB", mostMemory, samples, func(s Sample) float64 { return s.Runtime }),
		grows("heap, MiB", mostHeap, samples, func(s Sample) float64 { return s.Heap }),
		grows("live runs", 0, samples, func(s Sample) float64 { return float64(s.Runs) }),
		grows("files in the run folders", 0, samples, func(s Sample) float64 { return float64(s.Files) }),
		strayCapabilities(samples),
		perCall(samples),
		most("write-ahead log at its largest, KiB", mostWAL, samples, func(s Sample) float64 { return s.WAL }),
	}
	return append(rows,
		within("stop with runs and waiting calls, s", stop, end.Stop),
		within("goroutines left at the end", leftGoroutines, float64(end.GoroutinesAfter-end.GoroutinesBefore)),
		within("descriptors left at the end", leftDescriptors, float64(end.DescriptorsAfter-end.DescriptorsBefore)),
	)
}

func within(what string, bound, value float64) Row {
	return Row{What: what, Value: value, Bound: bound, OK: value <= bound}
}

// grows holds a series against what it may gain, by both ways of looking. What
// shrinks is well.
func grows(what string, bound float64, samples []Sample, of func(Sample) float64) Row {
	var series []point
	for _, s := range samples {
		series = append(series, point{s.At, of(s)})
	}
	r := within("growth of "+what, bound, max(growth(series), gain(series), 0))
	if n := len(series); n > 0 {
		k := min(3, n)
		r.First, r.Last = level(series[:k]), level(series[n-k:])
	}
	return r
}

func level(series []point) float64 {
	var values []float64
	for _, p := range series {
		values = append(values, p.value)
	}
	return median(values)
}

// most holds the largest value of a series.
func most(what string, bound float64, samples []Sample, of func(Sample) float64) Row {
	value := 0.0
	for _, s := range samples {
		value = max(value, of(s))
	}
	return within(what, bound, value)
}

// strayCapabilities counts capability files beyond those of live runs.
func strayCapabilities(samples []Sample) Row {
	return most("capability files without a live run", 0, samples, func(s Sample) float64 { return float64(s.Capabilities - s.Runs) })
}

// perCall is what a call adds to the database file. Without calls there is
// nothing to tell, which is a violation like any missing figure.
func perCall(samples []Sample) Row {
	r := Row{What: "database growth a call, KiB", Bound: mostPerCall}
	if len(samples) < 2 {
		return r
	}
	first, last := samples[0], samples[len(samples)-1]
	r.First, r.Last = first.Database, last.Database
	if calls := last.Calls - first.Calls; calls > 0 {
		r.Value = (last.Database - first.Database) / float64(calls)
		r.OK = r.Value <= r.Bound
	}
	return r
}

// violations are the rows that are not well, in words.
func violations(rows []Row) (wrong []string) {
	for _, r := range rows {
		if !r.OK && !r.Shown {
			wrong = append(wrong, fmt.Sprintf("%s: %s, bound %s", r.What, number(r.Value), number(r.Bound)))
		}
	}
	return wrong
}
