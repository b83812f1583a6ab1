package turn

import (
	"errors"
	"fmt"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// StopKey is the reaction by which a person ends an answer that is being
// written. While it is, the agent's account has put it there itself
// (spec/runtime.md 3.13).
const StopKey = "🛑"

// stopDelivery names the button under an answer, unstopDelivery its removal.
func stopDelivery(turn string) string   { return "turn:" + turn + ":stop" }
func unstopDelivery(turn string) string { return "turn:" + turn + ":unstop" }

// OfDelivery is the turn whose answer a delivery shows; false for any other
// delivery.
func OfDelivery(id string) (turn string, ok bool) {
	rest, mine := strings.CutPrefix(id, "turn:")
	turn, first := strings.CutSuffix(rest, ":0")
	return turn, mine && first
}

// offerStop puts the button under the answer. The outbox sends it after the
// message it belongs to.
func (r *response) offerStop(tx *store.Tx) error {
	if !r.snap.Config.Defaults.ShowStopButton {
		return nil
	}
	_, err := r.e.Outbox.Enqueue(tx, chat.Delivery{
		ID: stopDelivery(r.id), Conversation: chat.Conversation{Account: r.row.account, Room: r.row.room},
		Kind: chat.KindReaction, Type: "m.reaction", Content: message.Reaction(StopKey).Raw(),
		Target: chat.Target{Delivery: firstDelivery(r.id)},
	})
	return err
}

// withdrawStop takes the button away at the end of a turn, whatever end that is.
// A button that was not sent yet never is: a short answer costs no event more.
func (e *Engine) withdrawStop(tx *store.Tx, turn row) error {
	gone, err := e.Outbox.Withdraw(tx, stopDelivery(turn.id))
	if errors.Is(err, chat.ErrUnknown) {
		return nil // it had none
	}
	if err == nil && !gone {
		_, err = e.Outbox.Enqueue(tx, chat.Delivery{
			ID: unstopDelivery(turn.id), Conversation: chat.Conversation{Account: turn.account, Room: turn.room},
			Kind: chat.KindRedaction, Content: message.Content{}.Raw(), Target: chat.Target{Delivery: stopDelivery(turn.id)},
		})
	}
	if err != nil {
		return fmt.Errorf("take the stop button of turn %s away: %w", turn.id, err)
	}
	return nil
}
