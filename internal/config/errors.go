package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Pos is a place in a configuration file. Line and Column count from 1; Column counts characters, not bytes.
// The zero Pos means "no place", as for a value this package made up itself.
type Pos struct {
	File   string
	Line   int
	Column int
}

// String is the form editors and terminals make clickable: file:line:column.
func (p Pos) String() string { return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Column) }

// from names the place to somebody who is in file: by its line there, else in full.
func (p Pos) from(file string) string {
	if p.File == file {
		return fmt.Sprintf("line %d", p.Line)
	}
	return p.String()
}

// Error is one fault of a configuration file that prevents its use.
type Error struct {
	Pos     Pos
	Path    string // the key, as in agents.watcher.tools[0].script.max_runtime_hours; empty for the file as a whole
	Message string // what is wrong and what is allowed; for people only
}

// Error is one line: file:line:column: key: message.
func (e Error) Error() string { return oneLine(e.Pos, e.Path, e.Message) }

// Errors is every fault of one configuration, in the order of its files. Load returns it as its error; errors.As finds it.
type Errors []Error

// Error is one fault a line.
func (e Errors) Error() string {
	lines := make([]string, len(e))
	for i, one := range e {
		lines[i] = one.Error()
	}
	return strings.Join(lines, "\n")
}

// Warning is something in the file that is accepted but does not do what its author may think.
type Warning struct {
	Pos     Pos
	Path    string
	Message string
}

// String is one line: file:line:column: key: message.
func (w Warning) String() string { return oneLine(w.Pos, w.Path, w.Message) }

// Warnings is every warning of one configuration, in the order of its files; nil means none.
type Warnings []Warning

func oneLine(pos Pos, path, message string) string {
	if path == "" {
		return pos.String() + ": " + message
	}
	return pos.String() + ": " + path + ": " + message
}

// sortErrors orders by place, because sections are decoded in an order of their own and people read from top to bottom; an
// included file comes after the one that includes it.
func sortErrors(e Errors, files []File) {
	slices.SortStableFunc(e, func(a, b Error) int { return comparePos(files, a.Pos, b.Pos) })
}

func sortWarnings(w Warnings, files []File) {
	slices.SortStableFunc(w, func(a, b Warning) int { return comparePos(files, a.Pos, b.Pos) })
}

func comparePos(files []File, a, b Pos) int {
	rank := func(p Pos) int { return slices.IndexFunc(files, func(f File) bool { return f.Path == p.File }) }
	byFile := 0
	if a.File != b.File {
		byFile = cmp.Compare(rank(a), rank(b))
	}
	return cmp.Or(byFile, cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}
