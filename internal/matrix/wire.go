package matrix

import (
	"encoding/json"
	"fmt"

	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
	"mindroom/internal/message"
)

// wire turns a row of the outbox into what goes over the wire. Rows are written
// before the events they refer to have an id, so relations are added here:
// the thread of a message, the wrapping of an edit, the target of a reaction.
// A row that makes no event is a *Fault of KindRefused.
func wire(d chat.Delivery) (outgoing, error) {
	o := outgoing{room: id.RoomID(d.Room), kind: d.Type, content: d.Content, txn: d.TxnID}
	var c message.Content
	if err := json.Unmarshal(d.Content, &c); err != nil || c == nil {
		return o, &Fault{Kind: KindRefused, Op: "send delivery " + d.ID, Hint: "its content is not a JSON object", err: err}
	}
	if d.Kind != chat.KindMessage && d.Target.Event == "" {
		return o, &Fault{Kind: KindRefused, Op: "send delivery " + d.ID, Hint: fmt.Sprintf("the %s has no target", d.Kind)}
	}
	switch d.Kind {
	case chat.KindMessage:
		root := d.ThreadRoot
		if root == "" {
			root = d.Target.Event
		}
		o.content = message.InThread(c, root).Raw()
	case chat.KindEdit:
		o.content = message.Wrap(d.Target.Event, c, d.Progress).Raw()
	case chat.KindReaction:
		o.content = message.ReactTo(c, d.Target.Event).Raw()
	case chat.KindRedaction:
		o.redacts = id.EventID(d.Target.Event)
	default:
		return o, &Fault{Kind: KindRefused, Op: "send delivery " + d.ID, Hint: fmt.Sprintf("unknown kind %q", d.Kind)}
	}
	return o, nil
}
