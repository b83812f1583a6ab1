package command

import (
	"context"
	"fmt"
	"strings"
)

// RoomKeys is how it stands with the encryption of a room.
type RoomKeys struct {
	// Known is false while the room's state is not known; Encrypted then says
	// nothing.
	Known, Encrypted bool
	Accounts         []AccountKeys
}

// AccountKeys is how it stands with one of our accounts in it.
type AccountKeys struct {
	// Entity is the configured name behind the account.
	Entity, DeviceID string
	// Encrypts: the account has keys. Shown: the homeserver has been told of them.
	Encrypts, Shown bool
	// Held is how many events of the room wait for their keys.
	Held int
}

// Encryption is !e2ee: what hinders an encrypted room, if anything does. keys
// reads it for a room.
func Encryption(keys func(ctx context.Context, room string) (RoomKeys, error)) Command {
	return Command{
		Name: "e2ee", Who: Anybody, Brief: "How it stands with the encryption of this room.",
		Help: "`!e2ee` tells whether this room is encrypted, with which devices the agents take part, and how many messages they could not read yet because a key is missing.",
		Run: func(ctx context.Context, c Call) (string, error) {
			k, err := keys(ctx, c.Room)
			if err != nil {
				return "", err
			}
			return k.text(), nil
		},
	}
}

func (k RoomKeys) text() string {
	var b strings.Builder
	switch {
	case !k.Known:
		b.WriteString("Whether this room is encrypted is not known at the moment; nothing is sent in clear while it is not.\n\n")
	case k.Encrypted:
		b.WriteString("🔒 This room is encrypted.\n\n")
	default:
		b.WriteString("This room is not encrypted.\n\n")
	}
	for _, a := range k.Accounts {
		fmt.Fprintf(&b, "- `%s`, device `%s`: %s\n", a.Entity, a.DeviceID, a.text())
	}
	return strings.TrimRight(b.String(), "\n")
}

func (a AccountKeys) text() string {
	switch {
	case !a.Encrypts:
		return "❌ has no keys, and neither reads nor writes encrypted messages"
	case !a.Shown:
		return "⚠️ its keys are not at the homeserver yet, so that nobody can write to it"
	case a.Held == 1:
		return "⚠️ one message cannot be read yet; its key was asked for"
	case a.Held > 1:
		return fmt.Sprintf("⚠️ %d messages cannot be read yet; their keys were asked for", a.Held)
	}
	return "✅ reads and writes"
}
