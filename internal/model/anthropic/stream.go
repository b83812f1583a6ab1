package anthropic

import (
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"mindroom/internal/model"
)

// answer gathers the events of one stream.
type answer struct {
	model    string
	sink     func(model.Event)
	blocks   []*block // in the order they began
	usage    model.Usage
	stop     sdk.StopReason
	complete bool
}

type block struct {
	index     int64
	kind      string
	text      strings.Builder // text, or the thinking
	id, name  string
	arguments strings.Builder
	input     string // what the block began with; all there is when no argument delta follows
	signature strings.Builder
	data      string
}

func (a *answer) take(e sdk.MessageStreamEventUnion) {
	switch e.Type {
	case "message_start":
		a.usage.Input = e.Message.Usage.InputTokens
		a.usage.CacheRead = e.Message.Usage.CacheReadInputTokens
		a.usage.CacheWrite = e.Message.Usage.CacheCreationInputTokens
		a.usage.Output = e.Message.Usage.OutputTokens
	case "content_block_start":
		a.begin(e.Index, e.ContentBlock)
	case "content_block_delta":
		a.grow(e.Index, e.Delta)
	case "message_delta":
		a.stop = e.Delta.StopReason
		a.count(e.Usage)
	case "message_stop":
		a.complete = true
	}
}

func (a *answer) begin(index int64, c sdk.ContentBlockStartEventContentBlockUnion) {
	b := &block{index: index, kind: c.Type, id: c.ID, name: c.Name, data: c.Data}
	a.blocks = append(a.blocks, b)
	switch c.Type {
	case "text":
		a.say(b, c.Text)
	case "thinking":
		a.think(b, c.Thinking)
		b.signature.WriteString(c.Signature)
	case "tool_use":
		b.input = c.JSON.Input.Raw()
		a.sink(model.Event{CallName: c.Name})
	}
}

func (a *answer) grow(index int64, d sdk.MessageStreamEventUnionDelta) {
	var b *block
	for _, known := range a.blocks {
		if known.index == index {
			b = known
		}
	}
	if b == nil {
		return
	}
	switch d.Type {
	case "text_delta":
		a.say(b, d.Text)
	case "thinking_delta":
		a.think(b, d.Thinking)
	case "signature_delta":
		b.signature.WriteString(d.Signature)
	case "input_json_delta":
		b.arguments.WriteString(d.PartialJSON)
	}
}

func (a *answer) say(b *block, text string) {
	if text != "" {
		b.text.WriteString(text)
		a.sink(model.Event{Text: text})
	}
}

func (a *answer) think(b *block, text string) {
	if text != "" {
		b.text.WriteString(text)
		a.sink(model.Event{Reasoning: text})
	}
}

// count takes the totals at the end of the stream. The input counts are repeated there by some servers only.
func (a *answer) count(u sdk.MessageDeltaUsage) {
	a.usage.Output = u.OutputTokens
	a.usage.Reasoning = u.OutputTokensDetails.ThinkingTokens
	if u.JSON.InputTokens.Valid() {
		a.usage.Input = u.InputTokens
	}
	if u.JSON.CacheReadInputTokens.Valid() {
		a.usage.CacheRead = u.CacheReadInputTokens
	}
	if u.JSON.CacheCreationInputTokens.Valid() {
		a.usage.CacheWrite = u.CacheCreationInputTokens
	}
}

func (a *answer) response() model.Response {
	r := model.Response{Message: model.Message{Role: model.RoleAssistant}, Usage: a.usage}
	for _, b := range a.blocks {
		if p, ok := b.part(a.model); ok {
			r.Message.Parts = append(r.Message.Parts, p)
		}
	}
	model.UniqueCallIDs(r.Message.Parts)
	r.StopDetail = string(a.stop[:min(len(a.stop), 64)])
	r.Stop = stop(a.stop, len(r.Message.Calls()) > 0)
	return r
}

// partial is what was said before the stream failed.
func (a *answer) partial() model.Response {
	r := model.Response{Message: model.Message{Role: model.RoleAssistant}, Stop: model.StopOther, Usage: a.usage}
	for _, b := range a.blocks {
		if b.kind == "text" && b.text.Len() > 0 {
			r.Message.Parts = append(r.Message.Parts, model.TextPart(b.text.String()))
		}
	}
	return r
}

func (b *block) part(id string) (model.Part, bool) {
	switch b.kind {
	case "text":
		return model.TextPart(b.text.String()), b.text.Len() > 0
	case "tool_use":
		arguments := b.arguments.String()
		if arguments == "" {
			arguments = b.input
		}
		return model.CallPart(model.Call{ID: b.id, Name: b.name, Arguments: json.RawMessage(arguments)}), true
	case "thinking":
		return opaque(id, sdk.ThinkingBlockParam{Thinking: b.text.String(), Signature: b.signature.String()})
	case "redacted_thinking":
		return opaque(id, sdk.RedactedThinkingBlockParam{Data: b.data})
	}
	return model.Part{}, false
}

func opaque(id string, block json.Marshaler) (model.Part, bool) {
	raw, err := block.MarshalJSON()
	if err != nil {
		return model.Part{}, false
	}
	return model.OpaquePart(model.Opaque{Provider: Name, Model: id, Raw: raw}), true
}

func stop(reason sdk.StopReason, calls bool) model.Stop {
	switch reason {
	case sdk.StopReasonMaxTokens, sdk.StopReasonModelContextWindowExceeded:
		return model.StopMaxTokens
	case sdk.StopReasonRefusal:
		return model.StopRefusal
	}
	if calls {
		return model.StopToolCalls
	}
	switch reason {
	case sdk.StopReasonEndTurn, sdk.StopReasonStopSequence, sdk.StopReasonToolUse:
		return model.StopEnd
	}
	return model.StopOther
}
