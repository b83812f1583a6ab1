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
	var shown strings.Builder
	next := int64(-1)
	whole := true // everything from the first byte on was printed
	for {
		asked := time.Now()
		out, err := c.Output(ctx, id, next)
		if err != nil {
			return err
		}
		if !out.Live {
			return print(unseen(shown.String(), out.Text, whole))
		}
		if out.Text == "" {
			if err := pause(ctx, breath-time.Since(asked)); err != nil {
				return err
			}
			continue
		}
		if next < 0 {
			whole = out.Offset == 0
		} else if out.Offset > next {
			whole = false
		}
		next = after(out)
		if err := print(out.Text); err != nil {
			return err
		}
		keepEnd(&shown, out.Text)
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

func keepEnd(b *strings.Builder, text string) {
	b.WriteString(text)
	if b.Len() <= 2*seenMax {
		return
	}
	end := b.String()[b.Len()-seenMax:]
	b.Reset()
	b.WriteString(end)
}

// unseen is what of the kept end is not in seen, which is the end of what was
// printed. whole says that the stream was printed from its beginning.
func unseen(seen, kept string, whole bool) string {
	if whole && strings.HasPrefix(kept, seen) {
		return kept[len(seen):]
	}
	// The kept end begins somewhere in what was printed: the longest beginning of
	// it with which the printed text ends.
	for n := min(len(seen), len(kept)); n > 0; n-- {
		if seen[len(seen)-n:] == kept[:n] {
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
