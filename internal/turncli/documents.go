package turncli

import (
	"net/http"
	"unicode/utf8"
)

// pageRoom is what an answer with a page of text may hold besides the text, in
// bytes: the longest name, escaped, and the members around it.
const pageRoom = 2048

// documentItem is a document as a list shows it; its length is in code points.
type documentItem struct {
	Name   string `json:"name"`
	Length int    `json:"length"`
}

// text is a page of a document.
type text struct {
	Name string `json:"name"`
	Text string `json:"text"`
	Next *int   `json:"next_offset"`
}

// all are the response's documents, and the schemas that describe gave names to.
func (work *offer) all() []Document {
	work.mu.Lock()
	defer work.mu.Unlock()
	return append(append([]Document(nil), work.Documents...), work.schemas...)
}

func (work *offer) listDocuments(op operation) (any, *refusal) {
	all := work.all()
	return paged(op, len(all), func(i int) any {
		return documentItem{Name: all[i].Name, Length: utf8.RuneCountInString(all[i].Text)}
	})
}

// readDocument gives a part of a document. It is found by its name among those
// that there are: nothing is ever opened by it (C11).
func (work *offer) readDocument(op operation) (any, *refusal) {
	for _, d := range work.all() {
		if d.Name == op.document {
			return part(d, op.offset, op.limit), nil
		}
	}
	return nil, refuse(http.StatusUnprocessableEntity, CodeDocument, "there is no context document of that name").
		hinting("context list names them; files of the workspace are read with the shell")
}

// part is at most limit code points of a document from offset on, and fewer where
// an answer holds no more.
func part(d Document, offset, limit int) text {
	rest := d.Text
	for n := 0; n < offset && rest != ""; n++ {
		_, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
	}
	end, count, size := 0, 0, pageRoom
	for i, r := range rest {
		if size += onWire(r); count == limit || size > maxBody {
			break
		}
		end = i + utf8.RuneLen(r)
		count++
	}
	t := text{Name: d.Name, Text: rest[:end]}
	if end < len(rest) {
		next := offset + count
		t.Next = &next
	}
	return t
}

// onWire is how many bytes a character takes in an answer, at most.
func onWire(r rune) int {
	if r < ' ' || r == 0x7f {
		return 6
	}
	if r == '"' || r == '\\' {
		return 2
	}
	return utf8.RuneLen(r)
}
