package runtime

import (
	"context"

	"mindroom/internal/dispatch"
	"mindroom/internal/interactive"
)

// choiceTaker offers to the owner of the questions with options what people do
// to them, and messages that may be the number of one.
func choiceTaker(desk *interactive.Desk) dispatch.Taker {
	return func(ctx context.Context, t dispatch.Touch) (dispatch.Taking, error) {
		v, err := desk.Hear(ctx, interactive.Word{
			Event: t.Event.EventID, Person: t.Person, Message: t.Message.ID,
			Room: t.Event.Room, Thread: t.Thread, Key: t.Key, Text: t.Text,
		})
		return dispatch.Taking{Claimed: v.Claimed, Later: v.Later, Account: v.Account, Do: v.Do}, err
	}
}
