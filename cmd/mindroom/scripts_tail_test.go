package main

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"

	"pgregory.net/rapid"

	"mindroom/internal/control"
)

// stream is a run whose output is read by offset while it lives, in pieces of
// any size, and whose last kept bytes are what is left of it.
type stream struct {
	text    string
	pieces  []int
	at      int
	ringed  int // bytes that the live ring keeps
	kept    int // bytes that stay after the end
	first   int // offset of the first byte that was asked for
	missing bool
}

func (s *stream) Output(_ context.Context, _ string, offset int64) (control.Output, error) {
	if len(s.pieces) == 0 {
		return control.Output{Text: s.text[max(len(s.text)-s.kept, 0):], Total: int64(min(s.kept, len(s.text)))}, nil
	}
	s.at = min(s.at+s.pieces[0], len(s.text))
	s.pieces = s.pieces[1:]
	from := max(int(offset), s.at-s.ringed, 0)
	if offset < 0 {
		s.first = from
	}
	if offset >= 0 && from > int(offset) {
		s.missing = true
	}
	if from >= s.at {
		return control.Output{Live: true}, nil
	}
	return control.Output{Text: s.text[from:s.at], Offset: int64(from), Total: int64(s.at), Live: true}, nil
}

// Every byte of the stream that was not lost is printed once, in order.
func TestTailPrintsTheStreamOnce(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		var b strings.Builder
		for i := range rapid.IntRange(0, 60).Draw(r, "lines") {
			fmt.Fprintf(&b, "line %d\n", i)
		}
		s := &stream{
			text: b.String(), pieces: rapid.SliceOfN(rapid.IntRange(1, 200), 0, 8).Draw(r, "pieces"),
			ringed: rapid.IntRange(100, 2000).Draw(r, "ring"), kept: rapid.IntRange(1, 2000).Draw(r, "kept"),
		}
		live := len(s.pieces) > 0
		var got strings.Builder
		// Pauses between questions cost nothing on the bubble's clock.
		synctest.Test(t, func(t *testing.T) {
			if err := tail(t.Context(), s, "", func(text string) error { got.WriteString(text); return nil }); err != nil {
				t.Error(err)
			}
		})
		// Where the kept end is shorter than the stream, it must share a whole line
		// with what was printed: less than that may stand anywhere.
		const line = len("line 00\n")
		common := min(s.at+s.kept-len(s.text), s.at-s.first)
		switch {
		case s.missing || s.kept < len(s.text) && live && common < line:
		case live && s.ringed >= len(s.text) && got.String() != s.text:
			r.Fatalf("printed %q of all of %q", got.String(), s.text)
		case !strings.HasSuffix(s.text, got.String()):
			r.Fatalf("printed %q of the end of %q", got.String(), s.text)
		}
	})
}

func TestRest(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		seen  string
		start int64
		kept  string
		want  string
	}{
		{"", 0, "all", "all"},
		{"same\nsame\n", 0, "same\nsame\nsame\n", "same\n"},
		{"same\n", 5, "same\nsame\nsame\n", "same\n"},
		{"a\nb\n", 90, "b\nc\n", "c\n"},
		{"a\nb\n", 90, "0\na\nb\nc\n", "c\n"},
		{"a\nb\n", 0, "b\nc\n", "c\n"}, // the kept end is shorter than the stream
		{"a\n", 90, "x\n", "x\n"},
		{"a\n", 0, "", ""},
	} {
		p := printed{c.seen, c.start}
		if got := p.rest(c.kept); got != c.want {
			t.Errorf("after %q at %d, %q of %q, want %q", c.seen, c.start, got, c.kept, c.want)
		}
	}
}

func TestPrintedIsBounded(t *testing.T) {
	t.Parallel()
	var p printed
	for i := range 10 {
		p.add(int64(i*seenMax/2), false, strings.Repeat("x", seenMax/2))
	}
	if len(p.text) != seenMax || p.start != 4*seenMax {
		t.Errorf("%d bytes from %d", len(p.text), p.start)
	}
	if p.add(99, true, "y"); p.text != "y" || p.start != 99 {
		t.Errorf("after a gap: %d bytes from %d", len(p.text), p.start)
	}
}
