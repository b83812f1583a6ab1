package main

import (
	"fmt"
	"io"
	"strconv"
	"strings"
)

// Figure is which number of a row its budget is about.
type Figure string

// The figures a row may have. Value is the one number of a row without a
// distribution.
const (
	P50   Figure = "p50"
	P99   Figure = "p99"
	Value Figure = "value"
)

// Row is one line of the table.
type Row struct {
	What string `json:"what"`
	// Unit is of every number in the row.
	Unit    string             `json:"unit,omitempty"`
	Figures map[Figure]float64 `json:"figures,omitempty"`
	// Held is the figure that must not be over Budget; empty for a row that is
	// only there to be read.
	Held   Figure  `json:"held,omitempty"`
	Budget float64 `json:"budget,omitempty"`
	// Verdict is set by judge.
	Verdict Verdict `json:"verdict"`
	// Note says what the number contains, or why there is none.
	Note string `json:"note,omitempty"`
}

// Verdict is what became of a row.
type Verdict string

// The verdicts. Missing is a row that could not be measured.
const (
	OK      Verdict = "ok"
	Over    Verdict = "over"
	Shown   Verdict = "shown"
	Missing Verdict = "missing"
)

// judge sets the verdict from the figures.
func (r Row) judge() Row {
	held, ok := r.Figures[r.Held]
	switch {
	case len(r.Figures) == 0 || r.Held != "" && !ok:
		r.Verdict = Missing
	case r.Held == "":
		r.Verdict = Shown
	case held > r.Budget:
		r.Verdict = Over
	default:
		r.Verdict = OK
	}
	return r
}

func value(what, unit string, v float64) Row {
	return Row{What: what, Unit: unit, Figures: map[Figure]float64{Value: v}}
}

func spread(what, unit string, s sample) Row {
	return Row{What: what, Unit: unit, Figures: map[Figure]float64{P50: s.quantile(0.5), P99: s.quantile(0.99)}}
}

func missing(what string, why error) Row { return Row{What: what, Note: why.Error()} }

func (r Row) within(f Figure, budget float64) Row {
	r.Held, r.Budget = f, budget
	return r
}

func (r Row) note(format string, args ...any) Row {
	r.Note = fmt.Sprintf(format, args...)
	return r
}

// measured is the row's numbers in words.
func (r Row) measured() string {
	if len(r.Figures) == 0 {
		return "not measured"
	}
	var parts []string
	for _, f := range []Figure{P50, P99, Value} {
		v, ok := r.Figures[f]
		switch {
		case !ok:
		case f == Value:
			parts = append(parts, number(v))
		default:
			parts = append(parts, string(f)+" "+number(v))
		}
	}
	return strings.Join(parts, "  ") + " " + r.Unit
}

func (r Row) budget() string {
	switch r.Held {
	case "":
		return ""
	case Value:
		return "≤ " + number(r.Budget) + " " + r.Unit
	}
	return string(r.Held) + " ≤ " + number(r.Budget) + " " + r.Unit
}

// number has three significant digits: more is noise.
func number(v float64) string {
	if v >= 1000 || v <= -1000 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	s := strconv.FormatFloat(v, 'g', 3, 64)
	if strings.ContainsRune(s, 'e') {
		return strconv.FormatFloat(v, 'f', 4, 64)
	}
	return s
}

// print writes one row as a line, its note below.
func (r Row) print(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%-66s  %-24s  %-16s  %s\n", r.What, r.measured(), r.budget(), r.Verdict)
	if err == nil && r.Note != "" {
		_, err = fmt.Fprintf(w, "    %s\n", r.Note)
	}
	return err
}
