package main

import (
	"embed"
	"fmt"
	"strconv"
	"strings"

	"mindroom/internal/script"
)

//go:embed scripts/*.py
var sources embed.FS

// source is an embedded script; threads is for the one that has several.
func source(name string, threads int) (string, error) {
	raw, err := sources.ReadFile("scripts/" + name + ".py")
	if err != nil {
		return "", err
	}
	return strings.ReplaceAll(string(raw), "@THREADS@", strconv.Itoa(threads)), nil
}

// act is what is done about a short script, and which end is the right one.
type act struct {
	script string
	// cancel ends it from outside after it has made a call (or at once).
	cancel, atOnce bool
	want           []script.State
}

// acts are played in turn, so that every kind of end is part of the load.
var acts = []act{
	{script: "few", want: []script.State{script.Exited}},
	{script: "busy", cancel: true, want: []script.State{script.Cancelled}},
	{script: "dies", want: []script.State{script.Failed}},
	{script: "forks", cancel: true, want: []script.State{script.Cancelled}},
	{script: "busy", cancel: true, atOnce: true, want: []script.State{script.Cancelled}},
}

// span is a half-open range of a script's calls.
type span struct{ from, to int }

// told is what a script wrote about its calls.
type told struct {
	seen []span
	// failed are calls whose failure it saw, by number.
	failed map[int]string
}

// calls is how many calls the script saw completed.
func (t told) calls() (n int) {
	for _, s := range t.seen {
		n += s.to - s.from
	}
	return n
}

// tell reads a script's output. Only the tail of a long output is kept, so its
// first line may be a piece of one and is left out when cut is set. Anything
// else that is not of the script's own lines is an error: a traceback, say.
func tell(output string, cut bool) (told, error) {
	t := told{failed: map[int]string{}}
	for i, line := range strings.Split(strings.TrimSpace(output), "\n") {
		if line == "" || cut && i == 0 {
			continue
		}
		var s span
		var n int
		var kind string
		switch {
		case scan(line, "seen %d %d", &s.from, &s.to):
			t.seen = append(t.seen, s)
		case scan(line, "failed %d %s", &n, &kind):
			t.failed[n] = kind
		default:
			return t, fmt.Errorf("a script wrote %q", line)
		}
	}
	return t, nil
}

func scan(line, format string, into ...any) bool {
	n, err := fmt.Sscanf(line, format, into...)
	return err == nil && n == len(into)
}
