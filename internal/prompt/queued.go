package prompt

import "strings"

// withQueued writes a message to answer with those that came just before it and
// are answered with it, and lists the files of all: as many are shown as fit into
// characters beside the message's own.
func (e Entry) withQueued(characters int) (text string, files []File) {
	if len(e.Queued) == 0 {
		return e.said(), e.Files
	}
	var b strings.Builder
	b.WriteString("<queued_messages>\n")
	left := characters - weight(e.Files)
	for _, q := range e.Queued {
		q.Own = false
		q.Files = fitting(q.Files, left)
		left -= weight(q.Files)
		files = append(files, q.Files...)
		b.WriteString(q.said() + "\n")
	}
	b.WriteString("</queued_messages>\n\n" + e.said())
	return b.String(), append(files, e.Files...)
}
