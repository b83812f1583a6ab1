package person

import (
	"context"
	"errors"
	"fmt"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"
)

// Names are the display names of who is joined, by user id; empty for a person
// without one. Names are not unique and anybody chooses their own.
func (c *Client) Names(ctx context.Context, room string) (map[string]string, error) {
	r, err := c.api.JoinedMembers(ctx, id.RoomID(room))
	if err != nil {
		return nil, fmt.Errorf("members of %s: %w", room, err)
	}
	names := make(map[string]string, len(r.Joined))
	for user, member := range r.Joined {
		names[user.String()] = member.DisplayName
	}
	return names, nil
}

// Logout ends the login at the homeserver. The client cannot be used any more.
func (c *Client) Logout(ctx context.Context) error {
	if _, err := c.api.Logout(ctx); err != nil {
		return fmt.Errorf("log out %s: %w", c.UserID, err)
	}
	return nil
}

// Refused reports whether err is the homeserver's decision, which asking again
// will not change: the login ended, or something is forbidden or unknown.
func Refused(err error) bool {
	for _, decision := range []error{mautrix.MUnknownToken, mautrix.MMissingToken, mautrix.MForbidden, mautrix.MNotFound, mautrix.MUserDeactivated} {
		if errors.Is(err, decision) {
			return true
		}
	}
	return false
}
