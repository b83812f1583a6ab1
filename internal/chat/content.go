package chat

import "encoding/json"

// object decodes a JSON object by exact keys. Struct decoding is not used on
// what strangers send: it matches keys regardless of case, so that a content
// could mean one thing to us and another to every client. Anything that is no
// object is nil.
func object(raw json.RawMessage) map[string]json.RawMessage {
	var m map[string]json.RawMessage
	if json.Unmarshal(raw, &m) != nil {
		return nil
	}
	return m
}

func text(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) != nil {
		return ""
	}
	return s
}

func truth(raw json.RawMessage) bool {
	var b bool
	return json.Unmarshal(raw, &b) == nil && b
}

// Relations is what an event says about other events. Each field is empty when
// the content does not say so, or says it in a form that is not Matrix.
type Relations struct {
	ThreadRoot string // the event is in this thread
	InReplyTo  string // the event answers this one
	// Fallback: InReplyTo is there only for clients without threads and nobody
	// answered that event on purpose.
	Fallback    bool
	Replaces    string // the event is an edit of this one
	ReactsTo    string // the event is a reaction to this one
	ReactionKey string
}

// ParseRelations reads m.relates_to of an event's content.
func ParseRelations(content json.RawMessage) Relations {
	rel := object(object(content)["m.relates_to"])
	r := Relations{InReplyTo: text(object(rel["m.in_reply_to"])["event_id"])}
	target := text(rel["event_id"])
	switch text(rel["rel_type"]) {
	case "m.thread":
		r.ThreadRoot = target
		r.Fallback = truth(rel["is_falling_back"]) && r.InReplyTo != ""
	case "m.replace":
		r.Replaces = target
	case "m.annotation":
		r.ReactsTo, r.ReactionKey = target, text(rel["key"])
	}
	return r
}

// Body returns the plain text of a message, "" when there is none.
func Body(content json.RawMessage) string { return text(object(content)["body"]) }

// NewContent returns what an edit puts in place of the original: m.new_content,
// or the content itself when that is missing.
func NewContent(content json.RawMessage) json.RawMessage {
	if fresh := object(content)["m.new_content"]; object(fresh) != nil {
		return fresh
	}
	return content
}
