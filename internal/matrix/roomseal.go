package matrix

import (
	"context"
	"fmt"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// Encryption is what is wanted of a managed room. There is no wish for a room
// without encryption: it cannot be turned off (spec/runtime.md 1.9).
type Encryption int

const (
	// EncryptionAsIs makes a room without encryption and leaves one that is there.
	EncryptionAsIs Encryption = iota
	// EncryptionNew makes an encrypted room and leaves one that is there.
	EncryptionNew
	// EncryptionAlways makes an encrypted room, and turns encryption on in one that
	// is there without.
	EncryptionAlways
)

// megolm is the content that turns encryption on.
var megolm = event.EncryptionEventContent{Algorithm: id.AlgorithmMegolmV1}

// able says why this program must not make a room encrypted; nil when it may: a
// room in which it could not write any more would be of no use, and for ever.
func able(router *Account, p RoomPlan) error {
	if p.Encryption == EncryptionAsIs || router.device != nil {
		return nil
	}
	return &Fault{Kind: KindEncrypted, Op: "encrypt the room " + p.Key,
		Hint: "this program runs without encryption: use a build with it (make build), or take the encryption out of the configuration"}
}

// sealedState is the state with which a room is made as p wants it.
func sealedState(p RoomPlan) []*event.Event {
	if p.Encryption == EncryptionAsIs {
		return nil
	}
	state, content := "", megolm
	return []*event.Event{{Type: event.StateEncryption, StateKey: &state, Content: event.Content{Parsed: &content}}}
}

// encryptRoom turns encryption on in a room that was there already, if the plan
// says so for rooms that were.
func (n *Network) encryptRoom(ctx context.Context, router *Account, room id.RoomID, p RoomPlan) error {
	if p.Encryption != EncryptionAlways {
		return nil
	}
	op := "ask whether " + room.String() + " is encrypted"
	c, err := briefly(ctx, router.log, op, func(ctx context.Context) (event.EncryptionEventContent, error) {
		var c event.EncryptionEventContent
		err := router.api().StateEvent(ctx, room, event.StateEncryption, "", &c)
		return c, err
	})
	if err == nil {
		n.view.seal(room, &c)
		return nil
	}
	if KindOf(err) != KindNotFound {
		return err
	}
	if err := able(router, p); err != nil {
		return err
	}
	content := megolm
	_, err = briefly(ctx, router.log, "encrypt "+room.String(), func(ctx context.Context) (*mautrix.RespSendEvent, error) {
		return router.api().SendStateEvent(ctx, room, event.StateEncryption, "", &content)
	})
	if err != nil {
		return fmt.Errorf("give %s the power to change m.room.encryption there: %w", router.UserID, err)
	}
	n.view.seal(room, &content)
	router.log.Warn("encryption turned on, as the configuration wants; it cannot be turned off again", "room", room, "key", p.Key)
	return nil
}
