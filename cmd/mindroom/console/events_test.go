package console

import (
	"time"

	"mindroom/internal/person"
)

const (
	ann    = "@ann:example.org"
	keeper = "@keeper:example.org"
	here   = "!room:example.org"
)

// instant is the time of every event of the tests.
var instant = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

// said is a message; status and root may be empty.
func said(id, sender, body, root, status string) person.Event {
	content := map[string]any{"msgtype": "m.text", "body": body}
	if root != "" {
		content["m.relates_to"] = map[string]any{"rel_type": "m.thread", "event_id": root}
	}
	if status != "" {
		content["io.mindroom.stream_status"] = status
	}
	return person.Event{ID: id, Room: here, Sender: sender, Type: "m.room.message", Time: instant, Content: content}
}

// changed is an edit of a message.
func changed(id, sender, target, body, status string) person.Event {
	fresh := map[string]any{"msgtype": "m.text", "body": body}
	if status != "" {
		fresh["io.mindroom.stream_status"] = status
	}
	return person.Event{ID: id, Room: here, Sender: sender, Type: "m.room.message", Time: instant, Content: map[string]any{
		"msgtype": "m.text", "body": "* " + body, "m.new_content": fresh,
		"m.relates_to": map[string]any{"rel_type": "m.replace", "event_id": target},
	}}
}

func member(id, user, membership, name string) person.Event {
	return person.Event{ID: id, Room: here, Sender: user, Type: "m.room.member", StateKey: &user, Time: instant, Content: map[string]any{
		"membership": membership, "displayname": name,
	}}
}

func redaction(id, target string) person.Event {
	return person.Event{ID: id, Room: here, Sender: ann, Type: "m.room.redaction", Time: instant, Content: map[string]any{"redacts": target}}
}
