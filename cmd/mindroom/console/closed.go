package console

import (
	"fmt"

	"mindroom/internal/person"
)

// closed reports whether an event is still the envelope it came in, because its
// key is not here. It comes again, opened, when the key does.
func closed(e person.Event) bool { return e.Type == "m.room.encrypted" }

// unread says that a message cannot be read, once for each key that is missing.
func (s *session) unread(e person.Event) error {
	key, _ := e.Content["session_id"].(string)
	if s.untold[key] {
		return nil
	}
	s.untold[key] = true
	return s.note("a message of " + s.name(e.Sender) + " cannot be read here: its key did not come with it and was asked for")
}

// unreadPast says how much of the past is closed.
func (s *session) unreadPast(past []person.Event) error {
	n := 0
	for _, e := range past {
		if closed(e) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return s.note(fmt.Sprintf("%d of the messages of the past cannot be read here: they were encrypted for other devices, before this one was known", n))
}
