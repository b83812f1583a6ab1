package approval

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// Files keep the arguments that do not fit into a card; *media.Store.
type Files interface {
	Put(ctx context.Context, r io.Reader, mime, name string) (media.Ref, error)
}

var _ Files = (*media.Store)(nil)

// fileName is that of the file with the whole arguments.
const fileName = "arguments.json"

// lay decides how the redacted arguments are shown: in the card, or beside it as
// a file. What nobody could see whole can only be denied.
func (c *Cards) lay(ctx context.Context, card *Card, arguments json.RawMessage) {
	card.Arguments, card.Approvable = message.Arguments(arguments, c.Mask, inlineBytes)
	if card.Approvable {
		// What a client without cards would cut was not seen whole either.
		if _, cut := card.readable()[message.KeyCut]; !cut {
			return
		}
	}
	card.Approvable = false
	whole, complete := message.Arguments(arguments, c.Mask, wholeBytes)
	if !complete || c.Files == nil {
		return
	}
	ref, err := c.Files.Put(ctx, bytes.NewReader(whole), "application/json", fileName)
	if err != nil {
		c.Log.Error("arguments cannot be kept for a card, which can only be denied", "card", card.ID, "error", err)
		return
	}
	card.File, card.Approvable = ref, true
}

// file is the message that carries the whole arguments for people whose client
// shows no cards.
func (c Card) file() message.Content {
	return message.File(message.FileInfo{Kind: "file", Name: c.File.Name, MIME: c.File.MIME, Size: c.File.Size},
		c.options()...)
}

// GivenUp hears of deliveries that cannot be sent (chat.Outbox). A card whose
// file is not there can only be denied, from then on and for good, and says so; a
// question that cannot be shown to anybody is withdrawn.
func (c *Cards) GivenUp(tx *store.Tx, d chat.Delivery, kind string) (instead json.RawMessage, err error) {
	if d.Kind != chat.KindMessage {
		return nil, nil
	}
	id, ok := cardOf(d.ID)
	if !ok {
		return nil, nil
	}
	card, found, err := get(tx, id)
	if err != nil || !found || card.State.Terminal() {
		return nil, err
	}
	switch {
	case strings.HasPrefix(d.ID, textDelivery):
		_, err = c.settle(tx, card, Withdrawn, "", "the question could not be shown in the room ("+kind+")")
		return nil, err
	case d.Attach.Zero():
		return nil, nil // the readable message is still to come
	}
	if card.Approvable {
		card.Approvable = false
		if err = unseen(tx, card.ID); err == nil {
			err = c.edit(tx, card, unseenSuffix)
		}
		if err != nil {
			return nil, err
		}
	}
	if strings.HasPrefix(d.ID, eventDelivery) {
		instead = card.event().Raw()
	}
	return instead, nil
}
