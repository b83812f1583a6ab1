package matrix

import (
	"context"
	"encoding/json"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// tellUnread says in the room that a message cannot be read, when its key was asked
// for and did not come: whoever wrote it would wait in vain. It is said once for each
// key, whichever of our accounts lacks it and however often it starts
// (spec/runtime.md 3.16), and not to our own accounts.
func (s *streak) tellUnread(ctx context.Context) {
	for session, w := range s.wants {
		if !w.asked || w.told || time.Since(w.since) < s.n.cfg.UnreadAfter || s.n.byUser(w.Sender.String()) != nil {
			continue
		}
		d := chat.Delivery{
			ID: "unread " + session.Room.String() + " " + session.ID.String(), Kind: chat.KindMessage, Type: "m.room.message",
			Conversation: chat.Conversation{Account: s.a.UserID, Room: session.Room.String(), ThreadRoot: w.root},
			Content: message.Text("A message here cannot be read by me: its key did not reach me, and I have asked for it. It is read when the key comes; to be sure, send it again.",
				message.Notice(), message.ThreadReply(w.root, w.event), message.With(message.KeySkipMentions, true), message.With(message.KeyProgram, "unread")).Raw(),
		}
		err := s.n.cfg.DB.Write(ctx, func(tx *store.Tx) error {
			_, err := s.n.cfg.Outbox.Enqueue(tx, d)
			return err
		})
		if err != nil {
			s.a.log.Error("a room is not told what cannot be read; trying again", "room", session.Room, "error", err)
			continue
		}
		w.told = true
	}
}

// threadOf is the root of the thread that an event is in, or that it would open.
// A relation is readable where the text is not.
func threadOf(e chat.Event) string {
	var c struct {
		Relation struct {
			Type  string `json:"rel_type"`
			Event string `json:"event_id"`
		} `json:"m.relates_to"`
	}
	// Content without a relation opens a thread.
	_ = json.Unmarshal(e.Content, &c)
	if c.Relation.Type == "m.thread" && c.Relation.Event != "" {
		return c.Relation.Event
	}
	return e.EventID
}
