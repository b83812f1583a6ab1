package memory

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"unicode"
)

// What of MEMORY.md a prompt holds: spec/runtime.md 7.2 says 200 lines, and
// long lines must not fill a small model's window.
const (
	BriefLines = 200
	BriefBytes = 16 << 10
)

// Brief is what of MEMORY.md stands in the agent's prompt.
type Brief struct {
	Text string // whole lines; empty when there is no such file
	// More is true when the file goes on.
	More bool
}

// ReadBrief reads it and makes nothing: without a workspace there is none.
func ReadBrief(dir string) (Brief, error) {
	root, err := os.OpenRoot(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return Brief{}, nil
	}
	if err != nil {
		return Brief{}, failed("the workspace", err)
	}
	f := &folder{root}
	defer f.close()
	file, _, err := f.regular(Entrypoint)
	if errors.Is(err, fs.ErrNotExist) {
		return Brief{}, nil
	}
	if err != nil {
		return Brief{}, failed(Entrypoint, err)
	}
	defer func() { _ = file.Close() }()
	raw, err := io.ReadAll(io.LimitReader(file, BriefBytes+1))
	if err != nil {
		return Brief{}, failed(Entrypoint, err)
	}
	return brief(string(raw)), nil
}

// brief cuts a text after the last line that fits; a line that is longer than
// everything is cut within.
func brief(text string) Brief {
	var b Brief
	rest := text
	for n := 0; n < BriefLines && rest != ""; n++ {
		line, after, _ := strings.Cut(rest, "\n")
		if len(text)-len(after) > BriefBytes {
			if n == 0 {
				b.Text = text[:BriefBytes]
			}
			break
		}
		b.Text += line + "\n"
		rest = after
	}
	b.More = len(text) > BriefBytes || strings.TrimSpace(rest) != ""
	b.Text = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && r != '\n' && r != '\t' {
			return -1
		}
		return r
	}, strings.ToValidUTF8(b.Text, "")))
	return b
}

// fits tells whether a prompt holds all of a text.
func fits(text string) bool {
	return len(text) <= BriefBytes && strings.Count(text, "\n") <= BriefLines
}
