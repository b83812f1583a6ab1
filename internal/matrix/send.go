package matrix

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/chat"
)

var _ chat.Transport = (*Network)(nil)

// Send sends one delivery under its transaction id and returns the event id.
// Its error is a *chat.SendError around a *Fault, or tells that ctx ended.
func (n *Network) Send(ctx context.Context, d chat.Delivery) (string, error) {
	eventID, err := n.deliver(ctx, d)
	f, ok := errors.AsType[*Fault](err)
	if !ok {
		return eventID, err
	}
	return "", &chat.SendError{
		// The sync loop logs in again when a token is lost, so that this too
		// passes by waiting.
		Kind: string(f.Kind), Retryable: f.Kind.Retryable() || f.Kind == KindTokenInvalid,
		RetryAfter: f.After, Err: f,
	}
}

func (n *Network) deliver(ctx context.Context, d chat.Delivery) (string, error) {
	a := n.byUser(d.Account)
	if a == nil {
		return "", &Fault{Kind: KindUnreachable, Op: "send as " + d.Account, Hint: "the account is not logged in yet"}
	}
	o, err := wire(d)
	if err != nil {
		return "", err
	}
	if !d.Attach.Zero() {
		if o, err = n.attached(ctx, a, d, o); err != nil {
			return "", err
		}
	}
	return n.send(ctx, a, o)
}

// outgoing is one event on its way out.
type outgoing struct {
	room    id.RoomID
	kind    string // event type
	content json.RawMessage
	txn     string
	redacts id.EventID // set for a redaction, which has an endpoint of its own
	// clear: it names a file that lies at the homeserver unencrypted.
	clear bool
}

// send is the one door through which anything goes into a room. It decides
// whether the room is encrypted; while that is unknown nothing is sent, and
// into an encrypted room nothing is ever sent in clear. The transaction id
// makes a repeated send one event. It returns the event id.
func (n *Network) send(ctx context.Context, a *Account, o outgoing) (string, error) {
	o, err := n.sealed(ctx, a, o)
	if err != nil {
		return "", err
	}
	path := mautrix.ClientURLPath{"v3", "rooms", o.room, "send", o.kind, o.txn}
	if o.redacts != "" {
		path = mautrix.ClientURLPath{"v3", "rooms", o.room, "redact", o.redacts, o.txn}
	}
	r, err := request(ctx, "send to "+o.room.String(), func(ctx context.Context) (mautrix.RespSendEvent, error) {
		var r mautrix.RespSendEvent
		api := a.api()
		_, err := api.MakeRequest(ctx, http.MethodPut, api.BuildClientURL(path...), o.content, &r)
		return r, err
	})
	if err != nil {
		return "", err
	}
	if r.EventID == "" {
		return "", &Fault{Kind: KindServer, Op: "send to " + o.room.String(), Hint: "the homeserver answered without an event id"}
	}
	return r.EventID.String(), nil
}
