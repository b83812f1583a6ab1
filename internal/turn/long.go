package turn

import (
	"bytes"
	"context"
	"fmt"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// long is what a conversation's long answers say as a whole.
type long struct {
	// texts are by the event of the message that shows the beginning.
	texts map[string]string
	// files are the events that only carry such a text.
	files map[string]bool
}

// long looks up the long answers among messages, whoever of our agents gave
// them, newest first and no more than fits the prompt. That a message is such an
// answer is known from the outbox and never from what the message says.
func (r *response) long(ctx context.Context, messages []chat.Message, characters int) (long, error) {
	l := long{texts: map[string]string{}, files: map[string]bool{}}
	if r.e.Media == nil {
		return l, nil
	}
	type kept struct {
		event string
		ref   media.Ref
	}
	var all []kept
	err := r.e.DB.Read(ctx, func(q *store.Reader) error {
		for i := len(messages) - 1; i >= 0; i-- {
			m := messages[i]
			if !bytes.Contains(m.Content, []byte(message.KeyCut)) && !bytes.Contains(m.Content, []byte(message.KeyLongText)) {
				continue
			}
			d, ours, err := chat.ByEvent(q, m.Sender, m.EventID)
			if err != nil {
				return err
			}
			id, part, named := strings.Cut(strings.TrimPrefix(d.ID, "turn:"), ":")
			switch {
			case !ours || !named:
			case d.ID == wholeDelivery(id):
				l.files[m.EventID] = true
			case part == "0":
				a, found, err := media.Owned(q, media.Owner{Kind: media.OwnedByTurn, ID: id})
				if err != nil {
					return err
				}
				if found && !a.Ref.Zero() && a.Owner.Room == m.Room {
					all = append(all, kept{m.EventID, a.Ref})
				}
			}
		}
		return nil
	})
	if err != nil {
		return l, fmt.Errorf("look up long answers for turn %s: %w", r.id, err)
	}
	for _, k := range all {
		if characters <= 0 {
			break
		}
		raw, err := r.e.Media.Load(ctx, k.ref)
		if err != nil {
			// The beginning, which the room shows, is better than nothing.
			r.e.Log.Warn("the whole of a long answer cannot be read", "turn", r.id, "event", k.event, "err", err)
			continue
		}
		l.texts[k.event] = string(raw)
		characters -= len(raw)
	}
	return l, nil
}
