package person

import (
	"context"
	"fmt"

	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// Send writes a text message into a room and returns its event id. mention
// lists the full user ids the message speaks to.
func (c *Client) Send(ctx context.Context, room, body string, mention ...string) (string, error) {
	return c.SendEvent(ctx, room, "m.room.message", text(body, mention))
}

// SendThread writes into the thread that root started.
func (c *Client) SendThread(ctx context.Context, room, root, body string, mention ...string) (string, error) {
	content := text(body, mention)
	content["m.relates_to"] = map[string]any{
		"rel_type": "m.thread", "event_id": root,
		"is_falling_back": true, "m.in_reply_to": map[string]any{"event_id": root},
	}
	return c.SendEvent(ctx, room, "m.room.message", content)
}

// Edit replaces the text of an own message.
func (c *Client) Edit(ctx context.Context, room, target, body string) (string, error) {
	content := text("* "+body, nil)
	content["m.new_content"] = text(body, nil)
	content["m.relates_to"] = map[string]any{"rel_type": "m.replace", "event_id": target}
	return c.SendEvent(ctx, room, "m.room.message", content)
}

// React puts a reaction, usually one emoji, on an event.
func (c *Client) React(ctx context.Context, room, target, key string) (string, error) {
	return c.SendEvent(ctx, room, "m.reaction", map[string]any{
		"m.relates_to": map[string]any{"rel_type": "m.annotation", "event_id": target, "key": key},
	})
}

// SendEvent sends content as it is, or encrypted where the room is and the
// client was secured. It returns the event id.
func (c *Client) SendEvent(ctx context.Context, room, eventType string, content map[string]any) (string, error) {
	kind, body, err := c.sealed(ctx, id.RoomID(room), eventType, content)
	if err != nil {
		return "", err
	}
	r, err := c.api.SendMessageEvent(ctx, id.RoomID(room), event.NewEventType(kind), body)
	if err != nil {
		return "", fmt.Errorf("send %s to %s: %w", eventType, room, err)
	}
	return r.EventID.String(), nil
}

// SetState writes a state event, for which the person needs the power.
func (c *Client) SetState(ctx context.Context, room, eventType, stateKey string, content map[string]any) error {
	t := event.NewEventType(eventType)
	t.Class = event.StateEventType
	if _, err := c.api.SendStateEvent(ctx, id.RoomID(room), t, stateKey, content); err != nil {
		return fmt.Errorf("set %s in %s: %w", eventType, room, err)
	}
	return nil
}

func text(body string, mention []string) map[string]any {
	content := map[string]any{"msgtype": "m.text", "body": body}
	if len(mention) > 0 {
		content["m.mentions"] = map[string]any{"user_ids": mention}
	}
	return content
}
