package dispatch

import (
	"context"
	"slices"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// maxJoined is how many messages one turn answers: a turn looks at no more files.
const maxJoined = 20

// Reasons for which a file waits, or goes with what was said about it.
const (
	ReasonMoreToCome Reason = "more_may_follow"
	ReasonFollowed   Reason = "goes_with_the_next_message"
)

// patience is since when an account's files wait for a word about them, by row.
// It is of one process: a start waits anew, and no longer than the configuration
// says. Only clocks of this process are compared, so a sender's clock that is
// wrong makes nothing wait.
type patience struct{ since map[int64]time.Time }

// until is when row has waited long enough.
func (w *patience) until(seq int64, wait time.Duration) time.Time {
	if w.since == nil {
		w.since = map[int64]time.Time{}
	}
	if _, known := w.since[seq]; !known {
		w.since[seq] = time.Now()
	}
	return w.since[seq].Add(wait)
}

// next forgets the rows that wait no longer and says when the first of the others
// is due; zero when none is.
func (w *patience) next(waiting map[int64]time.Time) (due time.Time) {
	for seq := range w.since {
		if at, still := waiting[seq]; !still {
			delete(w.since, seq)
		} else if due.IsZero() || at.Before(due) {
			due = at
		}
	}
	return due
}

// together corrects the decision to answer a message by what its sender said just
// before and after it: clients without captions send a picture and its text as
// two messages (spec/runtime.md 3.14). A file without a word waits for the next
// message of its sender there, and goes with it; a text waits for nothing. wait is
// until when the file waits, where nothing else ends that.
func (p *Pump) together(ctx context.Context, a Account, e chat.Event, v verdict, w *patience) (_ verdict, wait time.Time, err error) {
	snap := p.Config.Current()
	window := snap.Config.Defaults.Debounce
	if v.decision.Action != Answer || v.decision.Reason == ReasonRelay || window == 0 {
		return v, time.Time{}, nil
	}
	said, here, err := p.beside(ctx, e, window)
	if err != nil || here < 0 {
		return v, time.Time{}, err
	}
	before := before(said, here, window)
	if wordless(e) && len(before)+1 < maxJoined {
		if here+1 < len(said) && within(said[here], said[here+1], window) && said[here+1].State == chat.EventNew {
			goes, reason, err := p.goesWith(ctx, a, said[here+1].Event, v)
			if err != nil {
				return v, time.Time{}, err
			}
			switch goes {
			case Defer:
				v.decision = Decision{Action: Defer, Reason: reason}
				return v, w.until(e.Seq, p.repair()), nil
			case Ignore:
				v.decision = ignore(reason)
				return v, time.Time{}, nil
			}
		}
		if until := w.until(e.Seq, window); time.Now().Before(until) {
			v.decision = Decision{Action: Defer, Reason: ReasonMoreToCome}
			return v, until, nil
		}
	}
	for _, n := range before {
		named, err := p.thread(ctx, n.Event, ParseContent(n.Content))
		if err != nil {
			return v, time.Time{}, err
		}
		if named == v.named {
			v.joined = append(v.joined, n.Event)
		}
	}
	return v, time.Time{}, nil
}

// beside are the messages around e that may belong to it, and where it is among
// them; -1 when it is not there any more. What was said to the program itself is
// no word about a file. However much somebody says at once, few of it are read.
func (p *Pump) beside(ctx context.Context, e chat.Event, window time.Duration) (said []chat.Neighbour, here int, err error) {
	read := func(before, after int) {
		err = p.DB.Read(ctx, func(r *store.Reader) (err error) {
			said, err = p.Journal.Beside(r, e, maxJoined*window, before, after)
			return err
		})
	}
	if wordless(e) {
		read(maxJoined, maxJoined)
	} else if read(1, 0); len(said) > 1 && (wordless(said[0].Event) || noWord(said[0])) {
		read(maxJoined, 0)
	}
	said = slices.DeleteFunc(said, noWord)
	return said, slices.IndexFunc(said, func(n chat.Neighbour) bool { return n.Seq == e.Seq }), err
}

// noWord reports whether a message is none about a file.
func noWord(n chat.Neighbour) bool {
	_, command := ParseContent(n.Content).Command()
	return command || !n.Live
}

// before are the files without a word that lead up to a message, oldest first. One
// that nobody answered because it named nobody goes with a text that does.
func before(said []chat.Neighbour, here int, window time.Duration) (joined []chat.Neighbour) {
	for i := here - 1; i >= 0 && len(joined)+1 < maxJoined; i-- {
		if n := said[i]; !wordless(n.Event) || n.State == chat.EventTaken || !within(n, said[i+1], window) {
			break
		}
		joined = append(joined, said[i])
	}
	slices.Reverse(joined)
	return joined
}

// goesWith says what becomes of a file by what becomes of the message after it:
// Defer until that is worked on, which takes the file along; Ignore where it names
// somebody else; Answer where it has nothing to do with the file.
func (p *Pump) goesWith(ctx context.Context, a Account, next chat.Event, file verdict) (Action, Reason, error) {
	v, err := p.judge(ctx, a, next)
	switch {
	case err != nil:
		return "", "", err
	case v.named != file.named || v.requester != file.requester:
		return Answer, "", nil
	case v.decision.Action == Answer, v.decision.Action == Defer:
		return Defer, ReasonFollowed, nil
	case v.decision.Reason == ReasonOthers:
		return Ignore, ReasonOthers, nil
	}
	return Answer, "", nil
}

// wordless reports whether a message is a file about which nothing is said.
func wordless(e chat.Event) bool {
	c := ParseContent(e.Content)
	return c.File && c.Said() == ""
}

func within(first, second chat.Neighbour, window time.Duration) bool {
	return second.At.Sub(first.At) <= window
}

// joinedIDs are the events of messages.
func joinedIDs(events []chat.Event) (ids []string) {
	for _, e := range events {
		ids = append(ids, e.EventID)
	}
	return ids
}
