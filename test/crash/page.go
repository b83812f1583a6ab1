package crash

import (
	"fmt"
	"strings"
)

// Page is the matrix as a page of the documentation.
func Page() string {
	var b strings.Builder
	b.WriteString(`# The crash matrix

MindRoom may be killed at any moment. This table has a row for every moment at which dying
makes a difference. Each row is played by a test with the built programs, a real homeserver
and real Python: the process is killed with ` + "`kill -9`" + `, started again, and what is left is
looked at. ` + "`make crash`" + ` plays all of it and prints the counts.

After every row this holds, besides what the row itself says:

1. No process of the script is left, whatever it started, and no supervisor.
2. No capability file is left.
3. No receipt is lost: a call that ran, or of which the script heard, has one.
4. Nothing runs twice.
5. Every message has exactly one answer, and it is finished.
6. Every question to a person is over, and its card says so.
7. The next message is answered.

How to read a row: the process named under *dies* is killed at the step; the other columns are
what is found after the next start. A call that had begun and has no receipt is
` + "`indeterminate`" + `: it may have run, and nobody can tell; see [why](indeterminate.md). One
that had not begun is ` + "`failed`" + `, and may be made again.

<!-- Made from test/crash/table.go; a test compares. To make it again:
go test ./test/crash -run TestPage -update -->
`)
	for _, section := range Sections() {
		fmt.Fprintf(&b, "\n## %s\n\n| what goes on | dies | at | when | run | calls | answer |\n|---|---|---|---|---|---|---|\n", section.Title)
		for _, r := range section.Rows {
			fmt.Fprintf(&b, "| %s | %s | %s | %s | %s | %s | %s |\n", r.Play, r.Dies, r.Step(), r.When, r.run(), r.calls(), r.Answer)
		}
	}
	return b.String()
}

// Step names the moment of the kill.
func (r Row) Step() string {
	switch {
	case r.At == "":
		return "killed from outside"
	case r.N > 1:
		return fmt.Sprintf("%s, %d", r.At, r.N)
	}
	return string(r.At)
}

func (r Row) run() string {
	switch {
	case r.State != "":
		return fmt.Sprintf("%s (%s)", r.State, r.Reason)
	case r.Play == Say || r.Play == Read || r.Play == Delegate || r.Play == Ask || r.Play == Command:
		return "–"
	}
	return "no row"
}

func (r Row) calls() string {
	var all []string
	for _, c := range r.Calls {
		all = append(all, fmt.Sprintf("%s, ran %d×", c.State, c.Hits))
	}
	if r.Play == Read || r.Play == Delegate || r.Play == Ask {
		all = append(all, fmt.Sprintf("ran %d×", r.Hits))
	}
	if len(all) == 0 {
		return "–"
	}
	return strings.Join(all, "; ")
}
