package main

import (
	"fmt"
	"strings"
	"time"

	"mindroom/cmd/mindroom/tty"
	"mindroom/internal/script"
)

// cell is one field of a table; ink colours it on a terminal.
type cell struct {
	text string
	ink  ink
}

// table prints aligned columns on a terminal, and for a pipe rows with tabs
// between their fields, which cut and awk take apart.
type table struct {
	head []string
	rows [][]cell
}

func (t *table) row(cells ...cell) { t.rows = append(t.rows, cells) }

func (t *table) print(u *ui) error {
	var b strings.Builder
	if !u.outTTY {
		for _, row := range t.lines() {
			for i, c := range row {
				if i > 0 {
					b.WriteByte('\t')
				}
				b.WriteString(tty.Plain(c.text))
			}
			b.WriteByte('\n')
		}
		_, err := fmt.Fprint(u.out, b.String())
		return err
	}
	all := t.lines()
	if len(all) == 0 {
		return nil
	}
	widths := make([]int, len(all[0]))
	for _, row := range all {
		for i, c := range row {
			widths[i] = max(widths[i], tty.Width(tty.Plain(c.text)))
		}
	}
	for _, row := range all {
		for i, c := range row {
			text := tty.Plain(c.text)
			gap := strings.Repeat(" ", widths[i]-tty.Width(text)+2)
			if c.ink != "" {
				text = u.paint(true, c.ink, text)
			}
			if i == len(row)-1 {
				gap = "\n"
			}
			b.WriteString(text + gap)
		}
	}
	_, err := fmt.Fprint(u.out, b.String())
	return err
}

// lines are the rows below their heading, if there is one.
func (t *table) lines() [][]cell {
	if t.head == nil {
		return t.rows
	}
	return append([][]cell{heading(t.head)}, t.rows...)
}

func heading(names []string) []cell {
	cells := make([]cell, len(names))
	for i, n := range names {
		cells[i] = cell{text: n, ink: bold}
	}
	return cells
}

// stateInk colours a run's state; the word itself carries the meaning.
func stateInk(state string) ink {
	switch script.State(state) {
	case script.Running, script.Starting:
		return green
	case script.Failed:
		return red
	case script.Cancelled, script.Interrupted:
		return yellow
	}
	return ""
}

// ago says how long ago something was; clocks may differ, so that it may also
// seem to be to come.
func ago(d time.Duration) string {
	if d < 0 {
		return "in " + length(-d)
	}
	return length(d) + " ago"
}

// length is a length of time in its one or two greatest units.
func length(d time.Duration) string {
	switch {
	case d < time.Minute:
		return fmt.Sprintf("%ds", int(d.Seconds()))
	case d < time.Hour:
		return fmt.Sprintf("%dm", int(d.Minutes()))
	case d < 24*time.Hour:
		return fmt.Sprintf("%dh %dm", int(d.Hours()), int(d.Minutes())%60)
	}
	return fmt.Sprintf("%dd %dh", int(d.Hours())/24, int(d.Hours())%24)
}
