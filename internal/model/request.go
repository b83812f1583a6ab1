package model

import (
	"context"
	"encoding/json"

	"mindroom/internal/media"
)

// Tool is a function offered to the model.
type Tool struct {
	// Name is what the model calls it by: letters, digits, "_" and "-", at most 64 bytes (the narrowest provider).
	Name string
	// Description tells the model what it does.
	Description string
	// Schema is the JSON Schema of its arguments, an object; nil means it takes none.
	Schema json.RawMessage
}

// MediaLoader reads the bytes of a media.Ref. An error, or bytes that are gone, leave a note in the place of the media:
// a missing image must not end a conversation.
type MediaLoader func(ctx context.Context, ref media.Ref) ([]byte, error)

// Request is one question to a model: everything it is to know.
type Request struct {
	// Model is the provider's model id; empty means the id the provider was built with.
	Model string
	// Agent is the configured name of the agent that asks. It is never sent; the scripted provider matches on it.
	Agent string
	// System is the system prompt; empty means none. Its stable part comes first, for the provider's prompt cache.
	System   string
	Messages []Message
	// Tools may be called by the model, several in one answer. Nil means none.
	Tools []Tool
	// MaxTokens bounds the answer; 0 means the provider's default.
	MaxTokens int
	// Temperature is the provider's; nil means its default.
	Temperature *float64
	// Media loads the media of the messages; nil means that every media part becomes a note.
	Media MediaLoader
}
