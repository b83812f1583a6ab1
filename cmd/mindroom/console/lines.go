package console

import (
	"fmt"
	"io"
	"strings"
	"time"

	"mindroom/cmd/mindroom/tty"
)

// lines is the screen of a pipe: each message once it is whole, further lines of
// its text behind two spaces; notes apart from them.
type lines struct{ out, notes io.Writer }

func (l lines) show(done, _ []block) error {
	for _, b := range done {
		head := b.At.UTC().Format(time.RFC3339) + " " + label(b)
		text := strings.ReplaceAll(tty.PlainLines(b.Text), "\n", "\n  ")
		if _, err := fmt.Fprintf(l.out, "%s: %s\n", head, text); err != nil {
			return err
		}
	}
	return nil
}

func (l lines) note(text string) error {
	_, err := fmt.Fprintln(l.notes, tty.PlainLines(text))
	return err
}

func (l lines) prompt(string) {}

// label is the sender with the thread and the mark.
func label(b block) string {
	text := tty.Plain(b.Sender)
	if b.Thread > 0 {
		text += fmt.Sprintf(" [%d]", b.Thread)
	}
	if b.Mark != "" {
		text += " (" + b.Mark + ")"
	}
	return text
}
