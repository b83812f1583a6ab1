package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// maxEvent is the bound of a whole event in bytes at every homeserver; what it
// adds to a content is its own to measure.
const maxEvent = 65_536

// sealed returns o as it may leave: as it is for a room without encryption, as
// m.room.encrypted else. Redactions are never encrypted, because the homeserver
// has to act on them, nor are reactions, because it has to count them.
func (n *Network) sealed(ctx context.Context, a *Account, o outgoing) (outgoing, error) {
	if o.redacts != "" || o.kind == event.EventReaction.Type {
		return o, nil
	}
	encrypted, err := n.encrypted(ctx, a, o.room)
	if err != nil || !encrypted {
		return o, err
	}
	op := "send to " + o.room.String()
	if a.device == nil {
		return o, &Fault{Kind: KindEncrypted, Op: op,
			Hint: "the room is encrypted and this program runs without encryption; use another room, or a build with encryption (make build): nothing is sent in clear"}
	}
	if o.clear {
		// The room was encrypted a moment ago: the next attempt uploads the file anew.
		return o, &Fault{Kind: KindUnknownRoom, Op: op, Hint: "the room was encrypted while a file was uploaded for it"}
	}
	members, err := n.readers(ctx, a, o.room)
	if err != nil {
		return o, err
	}
	content, err := request(ctx, op, func(ctx context.Context) (json.RawMessage, error) {
		return a.device.Encrypt(ctx, o.room, o.kind, o.content, members)
	})
	if err != nil {
		return o, local(err)
	}
	if len(content) > maxEvent {
		return o, &Fault{Kind: KindTooLarge, Op: op, Hint: "shorten the message"}
	}
	o.kind, o.content = event.EventEncrypted.Type, content
	return o, nil
}

// local corrects the judgement of an error that no homeserver had a part in.
func local(err error) error {
	f, ok := errors.AsType[*Fault](err)
	if _, http := errors.AsType[mautrix.HTTPError](err); ok && f.Status == 0 && !http && f.Kind == KindUnreachable {
		f.Kind = KindLocal
	}
	return err
}

// encrypted tells whether a room is encrypted. Only a yes is taken from the
// view: a no may be out of date by as long as a sync takes, and would be a text
// in clear, so the homeserver is asked.
func (n *Network) encrypted(ctx context.Context, a *Account, room id.RoomID) (bool, error) {
	if n.view.encryption(room) != nil {
		return true, nil
	}
	c, err := request(ctx, "ask whether "+room.String()+" is encrypted", func(ctx context.Context) (event.EncryptionEventContent, error) {
		var c event.EncryptionEventContent
		err := a.api().StateEvent(ctx, room, event.StateEncryption, "", &c)
		return c, err
	})
	switch k := KindOf(err); {
	case err == nil:
		n.view.seal(room, &c)
		return true, nil
	case k == KindNotFound:
		return false, nil
	case k.Retryable() && k != KindRateLimited:
		return false, &Fault{Kind: KindUnknownRoom, Op: "send to " + room.String(), After: after(err), err: err}
	}
	return false, err
}

// readers are who a text in an encrypted room is for: who is joined or invited.
func (n *Network) readers(ctx context.Context, a *Account, room id.RoomID) ([]id.UserID, error) {
	if users, ok := n.view.readers(room); ok {
		return users, nil
	}
	r, err := request(ctx, "read the members of "+room.String(), func(ctx context.Context) (*mautrix.RespMembers, error) {
		return a.api().Members(ctx, room)
	})
	if err != nil {
		return nil, err
	}
	var users []id.UserID
	for _, e := range r.Chunk {
		if m := membership(&e.Content); e.StateKey != nil && (m == event.MembershipJoin || m == event.MembershipInvite) {
			users = append(users, id.UserID(*e.StateKey))
		}
	}
	return slices.Compact(slices.Sorted(slices.Values(users))), nil
}
