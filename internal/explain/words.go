package explain

import (
	"time"
	"unicode/utf8"

	"mindroom/internal/chat"
)

// maxWords bounds what is repeated of a text, in characters.
const maxWords = 240

// words is the beginning of what somebody wrote. It is redacted whole, so that no
// cut goes through a secret.
func (v *view) words(s string) string {
	s = v.Redactor.Redact(s)
	if utf8.RuneCountInString(s) <= maxWords {
		return s
	}
	return string([]rune(s)[:maxWords]) + "…"
}

// said is what a person's event says to whoever reads a report. A reaction, which
// chose an option of a question, has no words of its own.
func said(e chat.Event) string {
	if key := chat.ParseRelations(e.Content).ReactionKey; key != "" {
		return "(reacted with " + key + ")"
	}
	return chat.Body(e.Content)
}

// instant is t for programs: UTC, nil when there is none.
func instant(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

func millis(ms int64) *time.Time {
	if ms <= 0 {
		return nil
	}
	return instant(time.UnixMilli(ms))
}
