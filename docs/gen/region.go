package main

import (
	"bytes"
	"fmt"
	"strings"
)

const (
	openMark  = "<!-- gen:"
	closeMark = "<!-- /gen -->"
)

// fill replaces what stands between the marks of a page by what make returns
// for their names. A page without marks comes back as it is.
func fill(page []byte, make func(name string) (string, error)) ([]byte, error) {
	var out bytes.Buffer
	rest := string(page)
	for {
		before, after, found := strings.Cut(rest, openMark)
		out.WriteString(before)
		if !found {
			return out.Bytes(), nil
		}
		name, after, ok := strings.Cut(after, " -->\n")
		if !ok || strings.Contains(name, "\n") {
			return nil, fmt.Errorf("a mark %sNAME --> is not closed", openMark)
		}
		_, tail, ok := strings.Cut(after, closeMark)
		if !ok {
			return nil, fmt.Errorf("the part %q has no %s", name, closeMark)
		}
		text, err := make(name)
		if err != nil {
			return nil, fmt.Errorf("part %s: %w", name, err)
		}
		if text = strings.Trim(text, "\n"); text == "" {
			return nil, fmt.Errorf("part %s: there is nothing to write", name)
		}
		fmt.Fprintf(&out, "%s%s -->\n%s\n%s", openMark, name, text, closeMark)
		rest = tail
	}
}

// table is a Markdown table; a bar in a cell is escaped.
func table(head []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("|")
		for _, c := range cells {
			c = strings.ReplaceAll(strings.Join(strings.Fields(c), " "), "|", `\|`)
			b.WriteString(" " + c + " |")
		}
		b.WriteString("\n")
	}
	line(head)
	b.WriteString(strings.Repeat("|---", len(head)) + "|\n")
	for _, row := range rows {
		line(row)
	}
	return b.String()
}

func code(s string) string { return "`" + s + "`" }
