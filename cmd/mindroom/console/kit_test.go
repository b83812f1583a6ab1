package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"mindroom/internal/person"
)

// room is a homeserver with one room; the test decides what it says.
type room struct {
	past   []person.Event
	thread []person.Event
	edits  map[string][]person.Event
	// news are what Follow yields after the past; nil is a broken connection.
	news chan *person.Event
	sent []string
	// onSend answers a message that was sent; nil answers nothing.
	onSend func(r *room, id, root, body string)
	refuse error
}

func newRoom(past ...person.Event) *room {
	return &room{past: past, news: make(chan *person.Event, 100)}
}

func (r *room) say(events ...person.Event) {
	for _, e := range events {
		r.news <- &e
	}
}

func (r *room) Names(context.Context, string) (map[string]string, error) {
	return map[string]string{ann: "Ann", keeper: "Keeper"}, nil
}

func (r *room) Timeline(context.Context, string, int) ([]person.Event, error) { return r.past, nil }

func (r *room) Thread(context.Context, string, string) ([]person.Event, error) { return r.thread, nil }

func (r *room) Edits(_ context.Context, _, target string) ([]person.Event, error) {
	return r.edits[target], nil
}

func (r *room) Follow(ctx context.Context) iter.Seq2[person.Event, error] {
	return func(yield func(person.Event, error) bool) {
		// As the real one: everything since the first sync, each time.
		older := said("$before", keeper, "long ago", "", "")
		for _, e := range append([]person.Event{older}, r.past...) {
			if !yield(e, nil) {
				return
			}
		}
		for {
			select {
			case e := <-r.news:
				if e == nil {
					yield(person.Event{}, errors.New("connection refused"))
					return
				}
				if !yield(*e, nil) {
					return
				}
			case <-ctx.Done():
				yield(person.Event{}, ctx.Err())
				return
			}
		}
	}
}

func (r *room) Send(_ context.Context, _, body string, _ ...string) (string, error) {
	return r.post("", body)
}

func (r *room) SendThread(_ context.Context, _, root, body string, _ ...string) (string, error) {
	return r.post(root, body)
}

func (r *room) SendEvent(_ context.Context, _, kind string, content map[string]any) (string, error) {
	r.sent = append(r.sent, fmt.Sprintf("%s %s %v", kind, content["body"], content["m.relates_to"]))
	return "$sent", r.refuse
}

func (r *room) React(_ context.Context, _, target, key string) (string, error) {
	r.sent = append(r.sent, key+" "+target)
	return "$sent", r.refuse
}

func (r *room) post(root, body string) (string, error) {
	if r.refuse != nil {
		return "", r.refuse
	}
	id := fmt.Sprintf("$sent%d", len(r.sent))
	r.sent = append(r.sent, root+" "+body)
	r.say(said(id, ann, body, root, ""))
	if r.onSend != nil {
		r.onSend(r, id, root, body)
	}
	return id, nil
}

// typist types lines, each when the one before was acted on, then ends.
type typist struct {
	lines []string
	end   chan struct{}
	stay  bool // the input does not end by itself
}

func newTypist(lines ...string) *typist { return &typist{lines: lines, end: make(chan struct{})} }

func (k *typist) ReadLine() (string, error) {
	if len(k.lines) == 0 {
		if k.stay {
			<-k.end
		}
		return "", io.EOF
	}
	line := k.lines[0]
	k.lines = k.lines[1:]
	return line, nil
}

func (k *typist) End() {
	select {
	case <-k.end:
	default:
		close(k.end)
	}
}

// shown is a pipe's screen that keeps what it shows.
type shown struct {
	lines
	out, notes strings.Builder
}

func newShown() *shown {
	s := &shown{}
	s.lines = lines{&s.out, &s.notes}
	return s
}
