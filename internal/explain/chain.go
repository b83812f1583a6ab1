package explain

import (
	"errors"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/tool"
)

// maxLinks bounds a chain. Self-triggers are bounded by the dispatcher, but a
// later build may bound them otherwise.
const maxLinks = 64

// Why a chain ends.
const (
	endMessage  = "the message was written by somebody else: nothing of ours caused it"
	endNoLaunch = "which turn launched the run is not recorded: it is from before that was kept"
	endGone     = "the record of the run was deleted when its retention was over, and with it what launched it"
	endTurnGone = "the turn is older than the retention window: it was deleted, and with it which message it answered"
	endForgot   = "the next link is not in the database any more: it is older than the retention window"
	endLong     = "the chain is longer than is shown"
)

// report follows the causes of what was asked for.
func (v *view) report(at target) (Report, error) {
	r := Report{Chain: []Link{}, Calls: []Brief{}}
	for len(r.Chain) < maxLinks {
		link, cause, end, err := v.link(at)
		if errors.Is(err, ErrUnknown) && len(r.Chain) > 0 {
			r.End = endForgot
			break
		}
		if err != nil {
			return r, err
		}
		r.Chain = append(r.Chain, link)
		if end != "" {
			r.End = end
			break
		}
		at = cause
	}
	if r.End == "" {
		r.End = endLong
	}
	var err error
	switch first := r.Chain[0]; first.Kind {
	case KindRun:
		r.Calls, err = v.runCalls(first.Run)
	case KindTurn:
		r.Calls, err = v.turnCalls(first.Turn.ID)
	}
	return r, err
}

// link reads one link and says what caused it, or why that is not known.
func (v *view) link(at target) (l Link, cause target, end string, err error) {
	switch {
	case at.event != "":
		l.Kind = KindMessage
		if l.Message, err = v.message(at.account, at.event); err != nil {
			return l, cause, "", err
		}
		if l.Message.SentBy == nil {
			return l, cause, endMessage, nil
		}
		return l, target{ref: *l.Message.SentBy}, "", nil
	case at.ref.ID != "":
		l.Kind = KindCall
		l.Call, err = v.call(at.ref)
		return l, target{ref: tool.Ref{Door: at.ref.Door, Owner: at.ref.Owner}}, "", err
	case at.ref.Door == tool.DoorScript:
		l.Kind = KindRun
		if l.Run, err = v.run(at.ref.Owner); err != nil {
			return l, cause, "", err
		}
		switch {
		case l.Run.Gone:
			return l, cause, endGone, nil
		case l.Run.LaunchedBy == nil:
			return l, cause, endNoLaunch, nil
		}
		return l, target{ref: *l.Run.LaunchedBy}, "", nil
	default:
		l.Kind = KindTurn
		var account string
		l.Turn, account, err = v.turn(at.ref.Owner)
		if err != nil {
			return l, cause, "", err
		}
		if l.Turn.Gone {
			return l, cause, endTurnGone, nil
		}
		if l.Turn.CalledBy != nil {
			return l, target{ref: *l.Turn.CalledBy}, "", nil
		}
		return l, target{account: account, event: l.Turn.Trigger}, "", nil
	}
}

// message is what a turn answers, with the call of ours that sent it, if one
// did. Account and sender are Matrix ids, under which the outbox keeps what an
// account of ours said.
func (v *view) message(account, event string) (*Message, error) {
	e, found, err := v.journal.Find(v.q, account, event)
	if err != nil {
		return nil, err
	}
	if !found {
		return nil, ErrUnknown
	}
	m := &Message{EventID: e.EventID, Room: e.Room, Sender: e.Sender, Sent: millis(e.OriginTS)}
	if m.Withdrawn, err = v.journal.Withdrawn(v.q, account, event); err != nil {
		return nil, err
	}
	if !m.Withdrawn {
		m.Words = v.words(said(e))
	}
	d, ours, err := chat.ByEvent(v.q, e.Sender, event)
	if err != nil || !ours {
		return m, err
	}
	// What a toolkit says, it says under its own name and the ref of its call.
	_, rest, _ := strings.Cut(d.ID, ":")
	if ref, ok := tool.ParseRef(rest); ok {
		m.SentBy = &ref
	}
	return m, nil
}
