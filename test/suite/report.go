package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// event is one line of go test -json.
type event struct {
	Action  string
	Package string
	Test    string
	Elapsed float64 // seconds
	Output  string
}

// ended is a package or a test that ended.
type ended struct {
	name    string
	elapsed float64
	output  string
}

// report follows a run of go test.
type report struct {
	w io.Writer
	// written is what each running test wrote so far, by package and test. A
	// package's own words have an empty test.
	written map[[2]string]*strings.Builder

	passed   int
	bad      []ended
	skipped  []ended
	packages []ended
	broken   int // packages that failed, or did not build
}

func newReport(w io.Writer) *report {
	return &report{w: w, written: map[[2]string]*strings.Builder{}}
}

func (r *report) failed() bool { return len(r.bad) > 0 || r.broken > 0 || len(r.packages) == 0 }

func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		line, err := lines.ReadBytes('\n')
		if len(line) > 0 {
			var e event
			if json.Unmarshal(line, &e) == nil && e.Action != "" {
				r.take(e)
			} else {
				fmt.Fprintf(r.w, "%s", line) // go test speaking for itself
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "build-output":
		fmt.Fprint(r.w, e.Output)
	case "output":
		if strings.HasPrefix(e.Output, "=== ") {
			return // that a test began, waits or goes on
		}
		if r.written[key] == nil {
			r.written[key] = &strings.Builder{}
		}
		r.written[key].WriteString(e.Output)
	case "pass", "fail", "skip":
		said := r.written[key]
		delete(r.written, key)
		end := ended{name: strings.Trim(e.Package+" "+e.Test, " "), elapsed: e.Elapsed}
		if said != nil {
			end.output = said.String()
		}
		if e.Test != "" {
			r.test(e.Action, end)
		} else {
			r.pack(e, end)
		}
	}
}

func (r *report) test(action string, end ended) {
	switch action {
	case "pass":
		r.passed++
		r.tell(end.output)
	case "skip":
		r.skipped = append(r.skipped, end)
	case "fail":
		r.bad = append(r.bad, end)
		fmt.Fprint(r.w, end.output)
	}
}

// counts begins a line that stands in the report although its test passed: the
// figures people look for in CI.
const counts = "crash matrix:"

func (r *report) tell(output string) {
	for line := range strings.Lines(output) {
		if strings.HasPrefix(line, counts) {
			fmt.Fprint(r.w, line)
		}
	}
}

func (r *report) pack(e event, end ended) {
	r.packages = append(r.packages, end)
	if e.Action != "fail" {
		r.tell(end.output)
		fmt.Fprint(r.w, closing(end.output))
		return
	}
	r.broken++
	// A test that never ended (a panic, a deadline) has said what nobody told yet.
	for key, said := range r.written {
		if key[0] == e.Package {
			fmt.Fprint(r.w, said.String())
			delete(r.written, key)
		}
	}
	fmt.Fprint(r.w, end.output)
}

// closing is the line with which go test ends a package that passed.
func closing(output string) string {
	lines := strings.Split(strings.TrimRight(output, "\n"), "\n")
	return lines[len(lines)-1] + "\n"
}

func (r *report) summarise(took time.Duration) {
	fmt.Fprintf(r.w, "\n%d tests passed, %d failed, %d skipped in %d packages, %s\n",
		r.passed, len(r.bad), len(r.skipped), len(r.packages), took.Round(time.Second))
	for _, s := range r.skipped {
		fmt.Fprintf(r.w, "skipped: %s\n%s", s.name, s.output)
	}
	slices.SortStableFunc(r.packages, func(a, b ended) int { return int(1000 * (b.elapsed - a.elapsed)) })
	for _, p := range r.packages[:min(5, len(r.packages))] {
		fmt.Fprintf(r.w, "%8.1fs  %s\n", p.elapsed, p.name)
	}
	for _, f := range r.bad {
		fmt.Fprintf(r.w, "failed: %s\n", f.name)
	}
	if r.broken > 0 {
		fmt.Fprintf(r.w, "failed: %d packages\n", r.broken)
	}
}
