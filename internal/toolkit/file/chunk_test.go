package file

import (
	"bytes"
	"strings"
	"testing"
)

func TestReadChunk(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("f", "1\n2\n3\n4")
	for _, c := range []struct {
		start, end int
		want       string
	}{{1, 1, "1\n"}, {2, 3, "2\n3\n"}, {4, 4, "4"}, {3, 99, "3\n4"}} {
		r := b.ok("read_file_chunk", args{"file_name": "f", "start_line": c.start, "end_line": c.end})
		if r["content"] != c.want || r["lines"] != 4.0 || r["end_line"] != float64(min(c.end, 4)) {
			t.Errorf("lines %d to %d = %v, want %q", c.start, c.end, r, c.want)
		}
	}
	for _, c := range [][2]int{{0, 1}, {-1, 2}, {2, 1}, {5, 9}} {
		b.fails("read_file_chunk", args{"file_name": "f", "start_line": c[0], "end_line": c[1]})
	}
}

func TestReplace(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text       string
		start, end int
		chunk      string
		want       string // "!" for a refusal
	}{
		"one line":             {"1\n2\n3\n", 2, 2, "x\n", "1\nx\n3\n"},
		"chunk without an end": {"1\n2\n3\n", 2, 2, "x", "1\nx\n3\n"},
		"several by one":       {"1\n2\n3\n", 1, 2, "x\n", "x\n3\n"},
		"delete":               {"1\n2\n3\n", 2, 3, "", "1\n"},
		"insert before":        {"1\n2\n", 1, 0, "x\n", "x\n1\n2\n"},
		"insert between":       {"1\n2\n", 2, 1, "x", "1\nx\n2\n"},
		"append":               {"1\n2\n", 3, 2, "x\n", "1\n2\nx\n"},
		"append to no end":     {"1\n2", 3, 2, "x", "1\n2\nx"},
		"last line":            {"1\n2", 2, 2, "x", "1\nx"},
		"into an empty file":   {"", 1, 0, "x\n", "x\n"},
		"nothing at all":       {"1\n2", 3, 2, "", "1\n2"},
		"whole file":           {"1\n2\n", 1, 2, "", ""},
		"line zero":            {"1\n", 0, 0, "x", "!"},
		"beyond the end":       {"1\n", 3, 3, "x", "!"},
		"end beyond the end":   {"1\n", 1, 2, "x", "!"},
		"end before start":     {"1\n2\n", 2, 0, "x", "!"},
	} {
		got, fault := replace([]byte(c.text), c.start, c.end, c.chunk)
		if (c.want == "!") != (fault != nil) || (fault == nil && string(got) != c.want) {
			t.Errorf("%s: %q, %v; want %q", name, got, fault, c.want)
		}
	}
}

func TestReplaceChunkWrites(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.put("f", "1\n2\n3\n")
	r := b.ok("replace_file_chunk", args{"file_name": "f", "start_line": 2, "end_line": 2, "chunk": "a\nb"})
	if b.content("f") != "1\na\nb\n3\n" || r["lines"] != 4.0 {
		t.Errorf("file = %q, result %v", b.content("f"), r)
	}
}

// FuzzReplace: an accepted replacement keeps every line around it, and the
// chunk's lines stand between them.
func FuzzReplace(f *testing.F) {
	f.Add("1\n2\n3", 2, 2, "x")
	f.Add("", 1, 0, "x\n")
	f.Fuzz(func(t *testing.T, text string, start, end int, chunk string) {
		got, fault := replace([]byte(text), start, end, chunk)
		if fault != nil {
			return
		}
		lines, after := split([]byte(text)), split(got)
		kept := len(lines) - (end - start + 1)
		if added := len(split([]byte(chunk))); len(after) != kept+added {
			t.Fatalf("%d lines, want %d kept and %d new", len(after), kept, added)
		}
		for i := range lines[:start-1] {
			if !bytes.Equal(bytes.TrimRight(lines[i], "\n"), bytes.TrimRight(after[i], "\n")) {
				t.Fatalf("line %d changed", i+1)
			}
		}
		if !strings.HasSuffix(string(got), string(bytes.Join(lines[end:], nil))) {
			t.Fatal("the lines after it changed")
		}
	})
}

func FuzzGlob(f *testing.F) {
	f.Add("**/*.py", "a/b.py")
	f.Add("[", "x")
	f.Fuzz(func(t *testing.T, pattern, name string) {
		g, err := compile(pattern)
		if err != nil {
			return
		}
		if pattern == "**" && !g.matches(name) {
			t.Fatalf("** does not match %q", name)
		}
		g.matches(name)
	})
}
