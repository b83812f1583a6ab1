package person

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/id"

	"mindroom/internal/matrix/seal"
)

// Client is one logged-in person. Make one with Register or Login, end it with
// Close. It may be used from several goroutines.
type Client struct {
	// UserID is the full id, "@name:server".
	UserID string

	api       *mautrix.Client
	transport *http.Transport
	feed      feed
	device    seal.Device // nil until Secure
	lasting   *lasting    // nil for a device in memory
	written   written
}

// ErrUserTaken says that Register met an account of that name. Log in with its
// password, or choose another name.
var ErrUserTaken = errors.New("this user name is taken: log in with its password or choose another name")

// Register makes the account user (local part only) by open registration and
// logs it in. ErrUserTaken when it exists.
func Register(ctx context.Context, homeserver, user, password string) (*Client, error) {
	c, err := newClient(homeserver)
	if err != nil {
		return nil, err
	}
	r, err := c.api.RegisterDummy(ctx, &mautrix.ReqRegister[any]{Username: user, Password: password})
	if err != nil {
		c.Close()
		if errors.Is(err, mautrix.MUserInUse) {
			return nil, fmt.Errorf("register %q: %w", user, ErrUserTaken)
		}
		return nil, fmt.Errorf("register %q: %w", user, err)
	}
	c.UserID, c.api.UserID, c.api.AccessToken, c.api.DeviceID = r.UserID.String(), r.UserID, r.AccessToken, r.DeviceID
	return c, nil
}

// Login logs an existing account in with its password, on a new device.
func Login(ctx context.Context, homeserver, user, password string) (*Client, error) {
	return login(ctx, homeserver, user, password, "")
}

func login(ctx context.Context, homeserver, user, password, device string) (*Client, error) {
	c, err := newClient(homeserver)
	if err != nil {
		return nil, err
	}
	r, err := c.api.Login(ctx, &mautrix.ReqLogin{
		Type:                     mautrix.AuthTypePassword,
		Identifier:               mautrix.UserIdentifier{Type: mautrix.IdentifierTypeUser, User: user},
		Password:                 password,
		DeviceID:                 id.DeviceID(device),
		InitialDeviceDisplayName: "mindroom terminal",
		StoreCredentials:         true,
	})
	if err != nil {
		c.Close()
		return nil, fmt.Errorf("log in as %q: %w", user, err)
	}
	c.UserID = r.UserID.String()
	return c, nil
}

func newClient(homeserver string) (*Client, error) {
	api, err := mautrix.NewClient(homeserver, "", "")
	if err != nil {
		return nil, fmt.Errorf("homeserver address %q: %w", homeserver, err)
	}
	// A transport of its own, so that Close leaves no idle connection behind.
	t := http.DefaultTransport.(*http.Transport).Clone()
	api.Client = &http.Client{Transport: t}
	api.DefaultHTTPRetries = 3
	return &Client{api: api, transport: t, feed: newFeed()}, nil
}

// Close drops the connections and forgets the keys, but for those of a lasting
// device, which stay in its folder. The login stays valid at the homeserver.
func (c *Client) Close() {
	if c.device != nil {
		_ = c.device.Close() // what was to be kept was on disk when it was used
	}
	if c.lasting != nil {
		_ = c.lasting.lock.Close() // the end of a lock cannot fail in a way that matters
	}
	c.transport.CloseIdleConnections()
}

// CreateRoom makes a private room with a name and invites users; it returns
// the room id.
func (c *Client) CreateRoom(ctx context.Context, name string, invite ...string) (string, error) {
	r, err := c.api.CreateRoom(ctx, &mautrix.ReqCreateRoom{
		Preset: "private_chat", Name: name, Invite: userIDs(invite),
	})
	if err != nil {
		return "", fmt.Errorf("create room %q: %w", name, err)
	}
	return r.RoomID.String(), nil
}

// Invite asks a user into a room.
func (c *Client) Invite(ctx context.Context, room, user string) error {
	if _, err := c.api.InviteUser(ctx, id.RoomID(room), &mautrix.ReqInviteUser{UserID: id.UserID(user)}); err != nil {
		return fmt.Errorf("invite %s to %s: %w", user, room, err)
	}
	return nil
}

// Join enters a room by id ("!id:server") or alias ("#name:server") and
// returns its id.
func (c *Client) Join(ctx context.Context, roomOrAlias string) (string, error) {
	r, err := c.api.JoinRoom(ctx, roomOrAlias, nil)
	if err != nil {
		return "", fmt.Errorf("join %s: %w", roomOrAlias, err)
	}
	return r.RoomID.String(), nil
}

// Leave leaves a room.
func (c *Client) Leave(ctx context.Context, room string) error {
	if _, err := c.api.LeaveRoom(ctx, id.RoomID(room)); err != nil {
		return fmt.Errorf("leave %s: %w", room, err)
	}
	return nil
}

// Kick removes a user from a room.
func (c *Client) Kick(ctx context.Context, room, user string) error {
	if _, err := c.api.KickUser(ctx, id.RoomID(room), &mautrix.ReqKickUser{UserID: id.UserID(user)}); err != nil {
		return fmt.Errorf("kick %s from %s: %w", user, room, err)
	}
	return nil
}

// Members lists who is joined, in no order.
func (c *Client) Members(ctx context.Context, room string) ([]string, error) {
	r, err := c.api.JoinedMembers(ctx, id.RoomID(room))
	if err != nil {
		return nil, fmt.Errorf("members of %s: %w", room, err)
	}
	out := make([]string, 0, len(r.Joined))
	for u := range r.Joined {
		out = append(out, u.String())
	}
	return out, nil
}

func userIDs(in []string) []id.UserID {
	out := make([]id.UserID, len(in))
	for i, s := range in {
		out[i] = id.UserID(s)
	}
	return out
}
