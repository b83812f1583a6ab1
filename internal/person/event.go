package person

import (
	"time"

	"maunium.net/go/mautrix/event"
)

// Event is one event of a room as the homeserver gave it.
type Event struct {
	ID, Room, Sender, Type string
	// StateKey is nil for anything that is not state.
	StateKey *string
	Time     time.Time
	Content  map[string]any
	// Encrypted: it came as m.room.encrypted, whatever Type says now.
	Encrypted bool
}

func fromAPI(room string, e *event.Event) Event {
	if room == "" {
		room = e.RoomID.String()
	}
	return Event{
		ID: e.ID.String(), Room: room, Sender: e.Sender.String(), Type: e.Type.Type,
		StateKey: e.StateKey, Time: time.UnixMilli(e.Timestamp).UTC(), Content: e.Content.Raw,
	}
}

// Body is the text a person would read: for an edit the new text. Empty for
// what is not a message, and for a redacted one.
func (e Event) Body() string {
	content := e.Content
	if n, ok := content["m.new_content"].(map[string]any); ok {
		content = n
	}
	s, _ := content["body"].(string)
	return s
}

// Replaces is the event id that this event edits; empty for no edit.
func (e Event) Replaces() string { return e.related("m.replace") }

// ThreadRoot is the event that started the thread this event is in; empty for
// the main timeline, and for edits, which carry no thread of their own.
func (e Event) ThreadRoot() string { return e.related("m.thread") }

// Reaction is the key and the target of a reaction; both empty for others.
func (e Event) Reaction() (key, target string) {
	rel, _ := e.Content["m.relates_to"].(map[string]any)
	key, _ = rel["key"].(string)
	return key, e.related("m.annotation")
}

func (e Event) related(kind string) string {
	rel, _ := e.Content["m.relates_to"].(map[string]any)
	if rel["rel_type"] != kind {
		return ""
	}
	target, _ := rel["event_id"].(string)
	return target
}

// Fold returns the messages of events, in order, with every edit applied to
// its original as a client shows it. An edit counts only from the sender of
// the original; edits of messages that are not in events are left out.
func Fold(events []Event) []Event {
	var out []Event
	at := map[string]int{}
	for _, e := range events {
		if e.Type != "m.room.message" {
			continue
		}
		target := e.Replaces()
		if target == "" {
			at[e.ID] = len(out)
			out = append(out, e)
			continue
		}
		i, ok := at[target]
		n, isMap := e.Content["m.new_content"].(map[string]any)
		if !ok || !isMap || out[i].Sender != e.Sender {
			continue
		}
		merged := map[string]any{}
		for k, v := range n {
			merged[k] = v
		}
		// The relation is the original's: an edit cannot move a message.
		if rel, ok := out[i].Content["m.relates_to"]; ok {
			merged["m.relates_to"] = rel
		}
		out[i].Content = merged
	}
	return out
}
