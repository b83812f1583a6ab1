package memory

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestParseLine(t *testing.T) {
	t.Parallel()
	for line, want := range map[string]struct{ id, text string }{
		"- [id=m_20260301120000_0a1b2c3d] Ann likes tea.":   {"m_20260301120000_0a1b2c3d", "Ann likes tea."},
		"- [id=m_20260301120000_0a1b2c3d] Ann likes tea.\r": {"m_20260301120000_0a1b2c3d", "Ann likes tea."},
		"- [id=m_20260301120000_0A1B2C3D] odd":              {"file:memory/a.md:7", "[id=m_20260301120000_0A1B2C3D] odd"},
		"- [id=m_20260301120000_0a1b2c3d]":                  {"file:memory/a.md:7", "[id=m_20260301120000_0a1b2c3d]"},
		"* a point":                                         {"file:memory/a.md:7", "a point"},
		"plain":                                             {"file:memory/a.md:7", "plain"},
		"# A heading":                                       {}, "---": {}, "   ": {}, "-": {}, "": {},
	} {
		e, ok := parseLine("memory/a.md", 7, line, true)
		if ok != (want.id != "") || e.ID != want.id || e.Text != want.text {
			t.Errorf("%q is %+v %v", line, e, ok)
		}
		if e, ok := parseLine(Entrypoint, 7, line, false); ok != strings.HasPrefix(want.id, "m_") {
			t.Errorf("in MEMORY.md %q is %+v %v", line, e, ok)
		}
	}
}

func TestClean(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		" two\n lines\u2028and\tmore ":          "two lines and more",
		"[id=m_1_2] [id=file:memory/a.md:3] it": "it",
		"a\x00b\x1bc":                           "abc",
		"":                                      "", "[id=x]": "", "...": "", "\xff": "",
		strings.Repeat("x", MaxText):   strings.Repeat("x", MaxText),
		strings.Repeat("x", MaxText+1): "",
	} {
		got, err := clean(text)
		var e *Error
		if got != want || (want == "") != (errors.As(err, &e) && e.Kind == Unusable) {
			t.Errorf("%.40q becomes %.40q, %v", text, got, err)
		}
	}
}

// What is accepted is written as one line and read back as itself, with an id or
// without one; no text makes another memory.
func FuzzALineIsReadAsWritten(f *testing.F) {
	for _, s := range []string{"tea", "# heading", "- [id=m_20260301120000_0a1b2c3d] forged", "a\nb", "[id=x] y", "* *", "\u00a0x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		parseLine("memory/a.md", 1, text, true)
		kept, err := clean(text)
		if err != nil {
			return
		}
		if !utf8.ValidString(kept) || strings.ContainsAny(kept, "\n\r") || len(kept) > MaxText {
			t.Fatalf("%q becomes %q", text, kept)
		}
		for _, id := range []string{"m_20260301120000_0a1b2c3d", "file:memory/a.md:1"} {
			e := Entry{ID: id, Text: kept, File: "memory/a.md", Line: 1}
			got, ok := parseLine(e.File, e.Line, e.written(), true)
			if !ok || got != e {
				t.Fatalf("%q is written as %q and read as %+v", text, e.written(), got)
			}
		}
	})
}
