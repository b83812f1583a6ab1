package scripted

import (
	"fmt"
	"regexp"

	"mindroom/internal/model"
)

// book is a loaded file of rules.
type book struct {
	file  string
	rules []rule
}

// rule is one entry: when the conversation looks like this, answer that.
type rule struct {
	name  string
	line  int
	when  when
	say   template
	calls []callRule
	stop  model.Stop
	fail  model.Kind // empty: it answers
}

// when holds the conditions of a rule; a nil one always holds.
type when struct {
	agent, system, user *regexp.Regexp
	result              *resultWhen
	turn, step          *int
}

type resultWhen struct {
	tool, text *regexp.Regexp
	failed     *bool
}

type callRule struct {
	tool template
	args value     // an object
	raw  *template // instead of args
}

// title is how messages name the rule.
func (r rule) title() string {
	if r.name != "" {
		return fmt.Sprintf("Rule “%s”", r.name)
	}
	return fmt.Sprintf("The rule in line %d", r.line)
}

// FileError is a fault in a file of rules.
type FileError struct {
	// File is the path as it was given.
	File string
	// Line counts from 1; 0 when the fault has no place.
	Line int
	// Text says what is wrong and what would be right.
	Text string
}

// Error is file:line: text.
func (e *FileError) Error() string {
	if e.Line == 0 {
		return fmt.Sprintf("%s: %s", e.File, e.Text)
	}
	return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text)
}
