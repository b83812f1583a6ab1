package main

import (
	"context"
	"strings"
	"time"
	"unicode/utf8"

	"mindroom/internal/control"
)

// outputs is the part of control.Client that following needs.
type outputs interface {
	Output(ctx context.Context, id string, offset int64) (control.Output, error)
}

// breath is the least time between two questions of which the first found
// nothing: the runtime holds a question until there is something, but answers at
// once while a run only starts.
const breath = 250 * time.Millisecond

// tail prints the output of a run until nothing more can come. The runtime
// gives a live run's output by offset, and an ended run's kept end as a whole;
// what of that was printed already is left out.
func tail(ctx context.Context, c outputs, id string, print func(string) error) error {
	var seen printed
	next := int64(-1)
	for {
		asked := time.Now()
		out, err := c.Output(ctx, id, next)
		if err != nil {
			return err
		}
		if !out.Live {
			return print(seen.rest(out.Text))
		}
		if out.Text == "" {
			if err := pause(ctx, breath-time.Since(asked)); err != nil {
				return err
			}
			continue
		}
		seen.add(out.Offset, out.Offset != next, out.Text)
		next = after(out)
		if err := print(out.Text); err != nil {
			return err
		}
	}
}

// after is the offset of the first byte that out does not have. Text in which
// bytes were replaced is not as long as the stream, so there the end counts.
func after(out control.Output) int64 {
	if strings.ContainsRune(out.Text, utf8.RuneError) {
		return out.Total
	}
	return out.Offset + int64(len(out.Text))
}

// seenMax bounds how much printed text is remembered, in bytes: twice what is
// kept of an ended run.
const seenMax = 128 << 10

// printed is the end of what was printed, without gaps.
type printed struct {
	text string
	// start is where it begins in the stream, in bytes.
	start int64
}

// add appends what was printed; fresh says that something before it is missing.
func (p *printed) add(offset int64, fresh bool, text string) {
	if fresh {
		p.text, p.start = "", offset
	}
	p.text += text
	if drop := len(p.text) - seenMax; drop > 0 {
		p.text, p.start = p.text[drop:], p.start+int64(drop)
	}
}

// rest is what of the kept end was not printed. As long as everything is kept,
// offsets tell. Afterwards only the text can, so of output that repeats itself a
// repetition more may be left out.
func (p *printed) rest(kept string) string {
	if p.start <= int64(len(kept)) && strings.HasPrefix(kept[p.start:], p.text) {
		return kept[p.start+int64(len(p.text)):]
	}
	if i := strings.LastIndex(kept, p.text); i >= 0 {
		return kept[i+len(p.text):]
	}
	// The kept end begins within what was printed.
	for n := min(len(p.text), len(kept)); n > 0; n-- {
		if p.text[len(p.text)-n:] == kept[:n] {
			return kept[n:]
		}
	}
	return kept
}

func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(max(d, 0))
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
