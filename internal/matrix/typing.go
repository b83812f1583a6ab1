package matrix

import (
	"context"
	"time"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"
)

// typingFor is how long the homeserver shows a typing notice that is not
// refreshed; the caller refreshes at half of it.
const typingFor = 30 * time.Second

// Typing shows or hides that an account is writing in a room. It is best
// effort: a failure is logged and forgotten. Nothing is shown for an account
// that is not ready.
func (n *Network) Typing(ctx context.Context, account, room string, on bool) {
	a := n.Account(account)
	if a == nil {
		return
	}
	_, err := request(ctx, "typing", func(ctx context.Context) (*mautrix.RespTyping, error) {
		return a.api().UserTyping(ctx, id.RoomID(room), on, typingFor)
	})
	if err != nil && ctx.Err() == nil {
		a.log.Debug("typing notice not sent", "room", room, "kind", KindOf(err))
	}
}
