package console

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"mindroom/internal/person"
)

// errQuit ends the loop because the person wants to leave.
var errQuit = errors.New("quit")

// session is a chat under way. One goroutine owns it.
type session struct {
	o     Options
	book  *book
	names map[string]string
	// thread is where typed lines go; empty: the next one opens a thread.
	thread string
	// skip is the newest event of the history: what follows it is new.
	skip string
	// asked is the last message sent, and answered whether somebody else finished
	// one in its thread that was begun after it.
	asked    string
	answered bool
	lost     bool
	// untold are the keys whose absence was told.
	untold map[string]bool
	retry  func(int) time.Duration
}

// loop shows what arrives and sends what is typed.
func (s *session) loop(ctx context.Context, events <-chan arrival, lines <-chan typed) error {
	var late <-chan time.Time
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-late:
			return ErrNoAnswer
		case a := <-events:
			if err := s.arrive(ctx, a); err != nil {
				return err
			}
		case l := <-lines:
			switch {
			case errors.Is(l.err, io.EOF) && s.asked != "" && s.o.Answer > 0:
				late = time.After(s.o.Answer)
			case errors.Is(l.err, io.EOF):
				return errQuit
			case l.err != nil:
				return l.err
			default:
				if err := s.say(ctx, l.text); err != nil {
					return err
				}
			}
		}
		if late != nil && s.answered {
			return errQuit
		}
	}
}

// arrive takes one event, or tells that there are none for now.
func (s *session) arrive(ctx context.Context, a arrival) error {
	if a.err != nil {
		if person.Refused(a.err) {
			return a.err
		}
		if s.lost || ctx.Err() != nil {
			return nil
		}
		s.lost = true
		return s.o.Screen.note(connectionLost(a.err))
	}
	if a.event.Room != s.o.Room || s.book.seen[a.event.ID] && s.skip == "" {
		return nil
	}
	s.lost = false
	if s.skip != "" {
		// A connection that is made anew gives everything again, so what is older
		// than the history must not pass for new then.
		if a.event.ID == s.skip {
			s.skip = ""
		}
		s.book.seen[a.event.ID] = !closed(a.event)
		return nil
	}
	if closed(a.event) {
		return s.unread(a.event)
	}
	if a.event.Type == "m.room.member" {
		s.book.seen[a.event.ID] = true
		return s.member(a.event)
	}
	return s.take(a.event)
}

// take puts an event into the book and shows what it did.
func (s *session) take(e person.Event) error {
	known, did := s.book.take(e)
	if did == nothing {
		return nil
	}
	var done []block
	switch did {
	case finished:
		known.shown = true
		done = append(done, s.block(known, ""))
		s.answered = s.answered || s.answers(known)
	case edited:
		done = append(done, s.block(known, "edited"))
	case removed:
		done = append(done, s.block(known, "removed"))
	}
	return s.draw(done)
}

// answers reports whether e was begun by somebody else after the last message
// that was sent, in its thread. A question about a call is no answer.
func (s *session) answers(e *entry) bool {
	question, ok := s.book.entries[s.asked]
	if !ok || e.Sender == s.o.UserID || e.place < question.place || e.card != "" {
		return false
	}
	root := question.Thread
	if root == "" {
		root = question.ID
	}
	return e.inThread(root)
}

// draw shows finished messages and those that are being written.
func (s *session) draw(done []block) error {
	var live []block
	for _, e := range s.book.live() {
		live = append(live, s.block(e, "writing …"))
	}
	return s.o.Screen.show(done, live)
}

func (s *session) block(e *entry, mark string) block {
	b := block{At: e.Time, Sender: s.name(e.Sender), Own: e.Sender == s.o.UserID, Mark: mark, Text: e.Body, Here: s.thread == "" || e.inThread(s.thread)}
	root := e.Thread
	if root == "" {
		root = e.ID
	}
	b.Thread = s.book.number[root]
	return b
}

// member follows who is in the room.
func (s *session) member(e person.Event) error {
	if e.StateKey == nil {
		return nil
	}
	user := *e.StateKey
	_, was := s.names[user]
	membership, _ := e.Content["membership"].(string)
	name, _ := e.Content["displayname"].(string)
	switch {
	case membership == "join":
		s.names[user] = name
		if !was {
			return s.o.Screen.note(s.name(user) + " joined")
		}
	case membership == "invite":
		return s.o.Screen.note(s.name(user) + " was invited")
	case was:
		gone := s.name(user)
		delete(s.names, user)
		return s.o.Screen.note(gone + " left")
	}
	return nil
}

// name is the display name of a user, or the id where that would not tell one
// user from another.
func (s *session) name(user string) string {
	name := s.names[user]
	if name == "" {
		local, _, _ := strings.Cut(strings.TrimPrefix(user, "@"), ":")
		name = local
	}
	for other, theirs := range s.names {
		if other != user && strings.EqualFold(theirs, name) {
			return user
		}
	}
	return name
}
