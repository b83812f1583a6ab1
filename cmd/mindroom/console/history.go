package console

import (
	"context"
	"slices"
)

// historyEvents is how many events of the room are read for the past: edits of
// answers are events too, so it is far more than the messages that are shown.
const historyEvents = 400

// begin learns the room and shows the last messages of it, or of the thread.
func (s *session) begin(ctx context.Context) error {
	if s.retry == nil {
		s.retry = retryPause
	}
	var err error
	if s.names, err = s.o.Person.Names(ctx, s.o.Room); err != nil {
		return err
	}
	past, err := s.o.Person.Timeline(ctx, s.o.Room, historyEvents)
	if err != nil {
		return err
	}
	if len(past) > 0 {
		s.skip = past[len(past)-1].ID
	}
	if s.thread != "" {
		if err := s.beginThread(ctx); err != nil {
			return err
		}
	}
	for _, e := range past {
		s.book.take(e)
	}
	s.place()
	if err := s.draw(s.past()); err != nil {
		return err
	}
	return s.unreadPast(past)
}

// beginThread takes what a long thread has beyond the events that were read.
func (s *session) beginThread(ctx context.Context) error {
	s.book.open(s.thread)
	events, err := s.o.Person.Thread(ctx, s.o.Room, s.thread)
	if err != nil {
		return err
	}
	for _, e := range events[max(len(events)-s.o.Last, 0):] {
		known, _ := s.book.take(e)
		if known == nil || !known.writing() {
			continue
		}
		// The text of an answer is in the edits of what announced it.
		edits, err := s.o.Person.Edits(ctx, s.o.Room, e.ID)
		if err != nil {
			return err
		}
		for _, edit := range edits {
			s.book.take(edit)
		}
	}
	return nil
}

// past are the last finished messages, all marked as shown.
func (s *session) past() []block {
	// A long thread was read before the room's own timeline, so that the order of
	// reading is not that of writing.
	order := slices.Clone(s.book.order)
	slices.SortStableFunc(order, func(a, b *entry) int { return a.Time.Compare(b.Time) })
	var done []block
	for _, e := range order {
		if e.writing() {
			continue
		}
		e.shown = true
		if e.Body != "" && (s.thread == "" || e.inThread(s.thread)) {
			done = append(done, s.block(e, ""))
		}
	}
	return done[max(len(done)-s.o.Last, 0):]
}
