package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
	"mindroom/internal/matrix/seal"
	"mindroom/internal/store"
)

const (
	// keyGrace is how long a key may come after its event, as it often does,
	// before it is asked for.
	keyGrace = 3 * time.Second
	// maxHeld bounds the held events that are tried again at once, the newest.
	maxHeld = 500
)

// wants are the keys that live events wait for. An event that was said before
// we came waits too, but nobody owes us its key.
type wants map[seal.Session]*want

type want struct {
	seal.Missing
	since time.Time
	asked bool // once in a streak: the request waits for the sender's device
	told  bool // the room is told
	// event is the first event that waits, root that of its thread.
	event, root string
}

// patience is how long the next sync may be held.
func (w wants) patience(usual time.Duration) time.Duration {
	for _, one := range w {
		if !one.asked {
			return min(usual, keyGrace)
		}
	}
	return usual
}

// resumeSeals makes sure of the account's device and tries again what is held:
// a key may have been stored just before the process died.
func (s *streak) resumeSeals(ctx context.Context) error {
	if s.a.device == nil {
		return nil
	}
	if err := s.n.present(ctx, s.a); errors.Is(err, seal.ErrForeign) {
		s.a.log.Error("encrypted messages will not arrive until the program is started again, which logs in as a new device", "error", err)
	} else if err != nil {
		return err
	}
	opened, err := s.retryHeld(ctx, func(seal.Session) bool { return true })
	if err != nil || len(opened) == 0 {
		return err
	}
	return s.record(ctx, &mautrix.RespSync{}, nil, opened)
}

// hearKeys lets the device handle what a response says to it. Its store has
// committed when this returns, and only later does the token move.
func (s *streak) hearKeys(ctx context.Context, r *mautrix.RespSync) ([]seal.Session, error) {
	if s.a.device == nil {
		return nil, nil
	}
	keys, err := s.a.device.Receive(ctx, r, s.origin != continued)
	return keys, local(judge(ctx, "receive the keys of "+s.a.Key, err))
}

// open puts what an encrypted row says in place of its envelope, or holds it.
func (s *streak) open(ctx context.Context, row *chat.Event) error {
	e := &event.Event{ID: id.EventID(row.EventID), Sender: id.UserID(row.Sender), Timestamp: row.OriginTS}
	e.Content.VeryRaw = row.Content
	opened, err := s.a.device.Open(ctx, id.RoomID(row.Room), e)
	missing, held := errors.AsType[*seal.Missing](err)
	switch {
	case err == nil:
		row.Type, row.Content, row.State = opened.Type, opened.Content, chat.EventNew
	case held:
		row.State = chat.EventHeld
		if row.Live && row.Sender != s.a.UserID && s.wants[missing.Session] == nil {
			s.wants[missing.Session] = &want{Missing: *missing, since: time.Now(), event: row.EventID, root: threadOf(*row)}
		}
	case errors.Is(err, seal.ErrUnreadable):
		row.State = chat.EventNew
		s.a.log.Warn("an encrypted event cannot be read", "room", row.Room, "event", row.EventID, "error", err)
	default:
		return fmt.Errorf("sync %s: %w", s.a.Key, err)
	}
	return nil
}

// openHeld returns the held events that can be read with the keys that came.
func (s *streak) openHeld(ctx context.Context, came []seal.Session) ([]chat.Event, error) {
	if len(came) == 0 {
		return nil, nil
	}
	opened, err := s.retryHeld(ctx, func(of seal.Session) bool { return slices.Contains(came, of) })
	for _, session := range came {
		delete(s.wants, session)
	}
	return opened, err
}

func (s *streak) retryHeld(ctx context.Context, worth func(seal.Session) bool) ([]chat.Event, error) {
	var held []chat.Event
	err := s.n.cfg.DB.Read(ctx, func(r *store.Reader) (err error) {
		held, err = s.n.cfg.Journal.Held(r, s.a.UserID, maxHeld)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("sync %s: %w", s.a.Key, err)
	}
	var out []chat.Event
	for _, e := range held {
		if !worth(sessionOf(e)) {
			continue
		}
		if err := s.open(ctx, &e); err != nil {
			return nil, err
		}
		if e.State == chat.EventNew {
			out = append(out, e)
		}
	}
	return out, nil
}

// sessionOf is the session that a held event was encrypted with.
func sessionOf(e chat.Event) seal.Session {
	var c struct {
		Session id.SessionID `json:"session_id"`
	}
	// It was read before it was held.
	_ = json.Unmarshal(e.Content, &c)
	return seal.Session{Room: id.RoomID(e.Room), ID: c.Session}
}

// askForKeys asks for the keys that did not come by themselves, each once.
func (s *streak) askForKeys(ctx context.Context) {
	for session, w := range s.wants {
		if w.asked || time.Since(w.since) < keyGrace {
			continue
		}
		log := s.a.log.With("room", session.Room, "session", session.ID, "sender", w.Sender)
		if err := s.a.device.Request(ctx, w.Missing); err != nil {
			log.Warn("a key is missing and could not be asked for; trying again", "error", judge(ctx, "ask for a key", err))
			continue
		}
		w.asked = true
		log.Warn("a message cannot be read because its key is missing; asked its sender for it")
	}
}
