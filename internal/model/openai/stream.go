package openai

import (
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"

	"mindroom/internal/model"
)

// extraContent is the field in which Google's endpoint attaches a thought signature to a call.
const extraContent = "extra_content"

// answer gathers the chunks of one stream.
type answer struct {
	provider, model string
	sink            func(model.Event)
	text, refusal   strings.Builder
	calls           []*call // in the order they began
	usage           model.Usage
	finish          string
}

type call struct {
	index     int64
	id, name  string
	arguments strings.Builder
	extra     string
}

func (a *answer) take(chunk sdk.ChatCompletionChunk) {
	if chunk.JSON.Usage.Valid() { // Some servers count in every chunk; the last count is the total.
		a.count(chunk.Usage)
	}
	for _, choice := range chunk.Choices {
		if choice.Index != 0 { // Only one was asked for.
			continue
		}
		a.grow(choice.Delta)
		if choice.FinishReason != "" {
			a.finish = choice.FinishReason
		}
	}
}

func (a *answer) grow(d sdk.ChatCompletionChunkChoiceDelta) {
	for _, field := range []string{"reasoning_content", "reasoning"} {
		if text := extraText(d.JSON.ExtraFields[field]); text != "" {
			a.sink(model.Event{Reasoning: text})
			break
		}
	}
	if d.Content != "" {
		a.text.WriteString(d.Content)
		a.sink(model.Event{Text: d.Content})
	}
	if d.Refusal != "" {
		a.refusal.WriteString(d.Refusal)
		a.sink(model.Event{Text: d.Refusal})
	}
	for _, t := range d.ToolCalls {
		c := a.call(t)
		c.arguments.WriteString(t.Function.Arguments)
		if extra := t.JSON.ExtraFields[extraContent].Raw(); extra != "" && extra != "null" {
			c.extra = extra
		}
	}
}

// call finds the call that a piece continues, or begins one. See sentence 2 of the package.
func (a *answer) call(t sdk.ChatCompletionChunkChoiceDeltaToolCall) *call {
	for i := len(a.calls) - 1; i >= 0; i-- {
		c := a.calls[i]
		if c.index != t.Index {
			continue
		}
		another := t.ID != "" && c.id != "" && t.ID != c.id
		complete := t.ID == "" && t.Function.Name != "" && c.name != "" && c.arguments.Len() > 0
		if another || complete {
			break
		}
		if c.id == "" {
			c.id = t.ID
		}
		if c.name == "" && t.Function.Name != "" {
			c.name = t.Function.Name
			a.sink(model.Event{CallName: c.name})
		}
		return c
	}
	c := &call{index: t.Index, id: t.ID, name: t.Function.Name}
	a.calls = append(a.calls, c)
	if c.name != "" {
		a.sink(model.Event{CallName: c.name})
	}
	return c
}

func (a *answer) count(u sdk.CompletionUsage) {
	a.usage = model.Usage{
		Input:      max(u.PromptTokens-u.PromptTokensDetails.CachedTokens-u.PromptTokensDetails.CacheWriteTokens, 0),
		Output:     u.CompletionTokens,
		CacheRead:  u.PromptTokensDetails.CachedTokens,
		CacheWrite: u.PromptTokensDetails.CacheWriteTokens,
		Reasoning:  u.CompletionTokensDetails.ReasoningTokens,
	}
}

func (a *answer) response() model.Response {
	r := a.partial()
	for _, c := range a.calls {
		r.Message.Parts = append(r.Message.Parts, model.CallPart(model.Call{
			ID: c.id, Name: c.name, Arguments: json.RawMessage(c.arguments.String()),
		}))
		if c.extra != "" {
			r.Message.Parts = append(r.Message.Parts, model.OpaquePart(model.Opaque{
				Provider: a.provider, Model: a.model, Raw: []byte(c.extra),
			}))
		}
	}
	model.UniqueCallIDs(r.Message.Parts)
	r.StopDetail = a.finish[:min(len(a.finish), 64)]
	r.Stop = a.stop()
	return r
}

// partial is what was said so far, without the calls.
func (a *answer) partial() model.Response {
	r := model.Response{Message: model.Message{Role: model.RoleAssistant}, Stop: model.StopOther, Usage: a.usage}
	if text := a.text.String() + a.refusal.String(); text != "" {
		r.Message.Parts = append(r.Message.Parts, model.TextPart(text))
	}
	return r
}

func (a *answer) stop() model.Stop {
	switch {
	case a.finish == "length":
		return model.StopMaxTokens
	case a.finish == "content_filter", a.refusal.Len() > 0:
		return model.StopRefusal
	case len(a.calls) > 0: // Some servers say "stop" although there are calls.
		return model.StopToolCalls
	case a.finish == "stop", a.finish == "tool_calls", a.finish == "function_call":
		return model.StopEnd
	}
	return model.StopOther
}

// extraText is a field that the SDK does not know, when it holds text.
func extraText(f respjson.Field) string {
	var text string
	if raw := f.Raw(); strings.HasPrefix(raw, `"`) {
		_ = json.Unmarshal([]byte(raw), &text) // Not text after all: nothing to stream.
	}
	return text
}
