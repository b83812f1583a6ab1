package message

import (
	"fmt"
	"strings"

	"mindroom/internal/excerpt"
)

// MaxContent is the largest content in bytes of JSON that is built here.
// Homeservers refuse an event over 65,536 bytes, envelope and signatures
// included (about 2 KiB); encrypting adds a third and 1 KiB. This much passes
// in plain and in encrypted rooms alike.
const MaxContent = 45_000

// cut says how much of a text is shown, and which file has the whole; "" for
// none.
type cut struct {
	shown, total int
	attached     string
}

func (c cut) note() string {
	whole := ""
	if c.attached != "" {
		whole = "; the whole is attached as " + c.attached
	}
	return fmt.Sprintf("[Cut here: %d of %d KB shown%s]", (c.shown+512)/1024, (c.total+512)/1024, whole)
}

// plain is the note for the end of body. It closes a code block that the cut
// left open, else the note would look like code.
func (c cut) plain(body string) string {
	fence := ""
	if open := openFence(body); open != "" {
		fence = "\n" + open
	}
	return fence + "\n\n**" + c.note() + "**"
}

func (c cut) html() string { return "<p><strong>" + c.note() + "</strong></p>" }

// openFence returns the fence that closes the code block open at the end of
// body, or "".
func openFence(body string) string {
	open := ""
	for line := range strings.Lines(body) {
		line = strings.TrimLeft(strings.TrimRight(line, "\r\n"), " ")
		mark := fenceMark(line)
		switch {
		case mark == "":
		case open == "":
			open = mark
		case strings.HasPrefix(mark, open) && strings.TrimRight(line, " ") == mark:
			open = ""
		}
	}
	return open
}

func fenceMark(line string) string {
	for _, c := range []string{"`", "~"} {
		if n := len(line) - len(strings.TrimLeft(line, c)); n >= 3 {
			return line[:n]
		}
	}
	return ""
}

// fit builds the content of the longest prefix of body that stays within
// MaxContent. Rendering is not monotonous in length, so the search is for a
// prefix that fits and cannot be grown by much, not for the very longest.
func fit(body, attached string, build func(string, *cut) Content) Content {
	body = Storable(body)
	// A text that alone is over the bound is not worth rendering whole.
	if len(body) <= MaxContent {
		if c := build(body, nil); c.Size() <= MaxContent {
			return c
		}
	}
	at := func(n int) Content {
		n = boundary(body, n)
		return build(body[:n], &cut{shown: n, total: len(body), attached: attached})
	}
	best := at(0)
	if best.Size() > MaxContent {
		// The metadata alone is over: what only decorates has to go.
		whole := build
		build = func(s string, c *cut) Content {
			out := whole(s, c)
			delete(out, KeyToolTrace)
			delete(out, KeyRun)
			return out
		}
		best = at(0)
	}
	for low, high := 0, min(len(body), MaxContent); high-low > 256; {
		mid := low + (high-low)/2
		if c := at(mid); c.Size() <= MaxContent {
			best, low = c, mid
		} else {
			high = mid
		}
	}
	return best
}

// Storable is a text as every homeserver can keep it: a NUL is valid JSON, but
// those on PostgreSQL cannot store it.
func Storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\x00", "\uFFFD")
}

// boundary moves n back to the start of a character, and to the end of a line
// when one is near.
func boundary(s string, n int) int {
	n = len(excerpt.Head(s, n))
	if nl := strings.LastIndexByte(s[:n], '\n'); nl > 0 && n-nl < 200 {
		return nl
	}
	return n
}
