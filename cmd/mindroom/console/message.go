package console

import (
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/message"
	"mindroom/internal/person"
)

// entry is one message of the room, as far as it is known.
type entry struct {
	ID, Sender, Body string
	Time             time.Time
	// Thread is the event that opened the thread it is in; empty outside any.
	Thread string
	// place is its place among the messages of the room, from 0.
	place int
	// status is empty for a message of a person.
	status message.Status
	// card is the question that the message puts, and asked whom, while it waits.
	card  string
	asked []string
	// shown says that the screen has it as finished.
	shown bool
}

// writing reports whether more of the message is to come.
func (e *entry) writing() bool { return e.status != "" && !e.status.Terminal() }

// statusOf is the stream status of an event, of its new content for an edit.
func statusOf(e person.Event) message.Status {
	content := e.Content
	if n, ok := content["m.new_content"].(map[string]any); ok {
		content = n
	}
	s, _ := content[message.KeyStreamStatus].(string)
	return message.Status(s)
}

// change is what an event did to the book.
type change int

const (
	nothing  change = iota
	finished        // a message is whole and was not shown yet
	edited          // a message that was shown is different now
	grew            // a message that is being written changed
	removed         // a message was taken back by its sender or a moderator
)

// book holds the messages of one room by their ids.
type book struct {
	seen    map[string]bool
	entries map[string]*entry
	order   []*entry
	// threads are the roots of threads in the order in which they were met;
	// a person names them by their place, from 1.
	threads []string
	number  map[string]int
}

func newBook() *book {
	return &book{seen: map[string]bool{}, entries: map[string]*entry{}, number: map[string]int{}}
}

// take adds an event and says what it did. An event that was taken before does
// nothing, nor does one that is still closed: it comes again. The entry is nil when no message is concerned.
func (b *book) take(e person.Event) (*entry, change) {
	if b.seen[e.ID] || closed(e) {
		return nil, nothing
	}
	b.seen[e.ID] = true
	if e.Type == "m.room.redaction" {
		target, _ := e.Content["redacts"].(string)
		if known, ok := b.entries[target]; ok {
			known.Body, known.status = "", ""
			return known, removed
		}
		return nil, nothing
	}
	// A card has its readable message beside it.
	if e.StateKey != nil || e.Body() == "" || e.Type == "m.reaction" || e.Type == approval.EventType {
		return nil, nothing
	}
	if target := e.Replaces(); target != "" {
		return b.edit(e, target)
	}
	known := &entry{ID: e.ID, Sender: e.Sender, Body: words(e), Time: e.Time, Thread: e.ThreadRoot(), status: statusOf(e), place: len(b.order)}
	known.card, known.asked = questionOf(e)
	b.entries[e.ID] = known
	b.order = append(b.order, known)
	if known.Thread != "" {
		b.open(known.Thread)
	}
	if known.writing() {
		return known, grew
	}
	return known, finished
}

func (b *book) edit(e person.Event, target string) (*entry, change) {
	known, ok := b.entries[target]
	if !ok || known.Sender != e.Sender {
		return nil, nothing
	}
	body := e.Body()
	same := known.Body == body
	known.Body, known.status = body, statusOf(e)
	known.card, known.asked = questionOf(e)
	switch {
	case known.writing():
		// What was shown as finished is not taken back, it is shown again at its end.
		known.shown = false
		return known, grew
	case !known.shown:
		return known, finished
	case same:
		return known, nothing
	}
	return known, edited
}

// open gives a thread its number, if it has none, and returns it.
func (b *book) open(root string) int {
	n, ok := b.number[root]
	if !ok {
		b.threads = append(b.threads, root)
		n = len(b.threads)
		b.number[root] = n
	}
	return n
}

// live are the messages that are being written, in the order of the room.
func (b *book) live() []*entry {
	var list []*entry
	for _, e := range b.order {
		if e.writing() {
			list = append(list, e)
		}
	}
	return list
}

// inThread reports whether e is part of the thread that root opened.
func (e *entry) inThread(root string) bool { return e.Thread == root || e.ID == root }
