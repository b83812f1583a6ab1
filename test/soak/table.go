package main

import (
	"fmt"
	"io"
	"strconv"
)

// print writes a phase as a table.
func (r Result) print(w io.Writer) {
	fmt.Fprintf(w, "\n%s: %d scripts calling, %d calls held by %d scripts, %s of load\n", r.Plan.Name, r.Plan.Callers, r.Plan.Held(), r.Plan.Holders, r.Plan.Length)
	if r.Plan.Race {
		fmt.Fprintln(w, "  (fewer of everything than in the normal build: the race detector makes each call several times dearer)")
	}
	fmt.Fprintf(w, "  %d calls, %d launches, %d cancelled, %d runs pruned; %d calls seen completed by long scripts and %d of short ones compared with their receipts\n\n",
		r.Ended.Calls, r.Ended.Launched, r.Ended.Cancelled, r.Tally.Pruned, r.Tally.Seen, r.Ended.Checked)
	fmt.Fprintf(w, "  %-46s %12s %12s %10s %10s\n", "", "first", "last", "value", "bound")
	for _, row := range r.Rows {
		verdict := "ok"
		switch {
		case row.Shown:
			verdict = "shown: the race detector's own memory is in it"
		case !row.OK:
			verdict = "VIOLATED"
		}
		first, last := "", ""
		if row.First != 0 || row.Last != 0 {
			first, last = number(row.First), number(row.Last)
		}
		fmt.Fprintf(w, "  %-46s %12s %12s %10s %10s  %s\n", row.What, first, last, number(row.Value), number(row.Bound), verdict)
	}
	for _, wrong := range r.Violations {
		fmt.Fprintf(w, "  VIOLATION: %s\n", wrong)
	}
}

// number has at most two decimals: more is noise.
func number(v float64) string {
	if v == float64(int64(v)) {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'f', 2, 64)
}
