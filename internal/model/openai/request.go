package openai

import (
	"context"
	"encoding/json"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/shared"

	"mindroom/internal/model"
)

func (p *provider) params(ctx context.Context, req model.Request, id string) sdk.ChatCompletionNewParams {
	out := sdk.ChatCompletionNewParams{
		Model:           id,
		StreamOptions:   sdk.ChatCompletionStreamOptionsParam{IncludeUsage: param.NewOpt(true)},
		ReasoningEffort: shared.ReasoningEffort(p.effort),
	}
	limit := req.MaxTokens
	if limit <= 0 {
		limit = p.maxTokens
	}
	switch {
	case limit <= 0:
	case p.official:
		out.MaxCompletionTokens = param.NewOpt(int64(limit))
	default:
		out.MaxTokens = param.NewOpt(int64(limit))
	}
	if req.Temperature != nil {
		out.Temperature = param.NewOpt(*req.Temperature)
	} else if p.temperature != nil {
		out.Temperature = param.NewOpt(*p.temperature)
	}
	if p.topP != nil {
		out.TopP = param.NewOpt(*p.topP)
	}
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool(t))
	}
	if req.System != "" {
		out.Messages = append(out.Messages, sdk.SystemMessage(req.System))
	}
	for _, m := range model.MoveResultMedia(model.Prepare(req.Messages, p.Name(), id)) {
		out.Messages = append(out.Messages, message(ctx, req, m)...)
	}
	return out
}

// tool keeps the schema's bytes: the SDK's own type would read them into a map and lose their order.
func tool(t model.Tool) sdk.ChatCompletionToolUnionParam {
	definition := struct {
		Name        string          `json:"name"`
		Description string          `json:"description,omitempty"`
		Parameters  json.RawMessage `json:"parameters"`
	}{t.Name, t.Description, t.Schema}
	if len(t.Schema) == 0 {
		definition.Parameters = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	return sdk.ChatCompletionToolUnionParam{OfFunction: &sdk.ChatCompletionFunctionToolParam{
		Function: param.Override[shared.FunctionDefinitionParam](definition),
	}}
}

func message(ctx context.Context, req model.Request, m model.Message) []sdk.ChatCompletionMessageParamUnion {
	switch m.Role {
	case model.RoleUser:
		return user(ctx, req, m)
	case model.RoleAssistant:
		return assistant(m)
	case model.RoleTool:
		var out []sdk.ChatCompletionMessageParamUnion
		for _, r := range m.Results() {
			text := r.Text
			if r.IsError { // The API has no field for it.
				text = "[the call failed] " + text
			}
			out = append(out, sdk.ToolMessage(text, r.CallID))
		}
		return out
	}
	return nil
}

func user(ctx context.Context, req model.Request, m model.Message) []sdk.ChatCompletionMessageParamUnion {
	plain := true
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, p := range m.Parts {
		switch p.Kind {
		case model.PartText:
			parts = append(parts, sdk.TextContentPart(p.Text))
		case model.PartMedia:
			part := attached(ctx, req, *p.Media)
			plain = plain && part.OfText != nil
			parts = append(parts, part)
		}
	}
	if len(parts) == 0 {
		return nil
	}
	if !plain {
		return []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(parts)}
	}
	// Servers for text-only models understand a string and not always a list.
	texts := make([]string, len(parts))
	for i, p := range parts {
		texts[i] = p.OfText.Text
	}
	return []sdk.ChatCompletionMessageParamUnion{sdk.UserMessage(strings.Join(texts, "\n"))}
}

func assistant(m model.Message) []sdk.ChatCompletionMessageParamUnion {
	var out sdk.ChatCompletionAssistantMessageParam
	if text := m.Text(); text != "" {
		out.Content.OfString = param.NewOpt(text)
	}
	var last *sdk.ChatCompletionMessageFunctionToolCallParam
	for _, p := range m.Parts {
		switch p.Kind {
		case model.PartCall:
			last = &sdk.ChatCompletionMessageFunctionToolCallParam{
				ID: p.Call.ID,
				Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{
					Name:      model.OutgoingName(p.Call.Name),
					Arguments: string(p.Call.ArgumentsObject()),
				},
			}
			out.ToolCalls = append(out.ToolCalls, sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: last})
		case model.PartOpaque:
			if last != nil {
				last.SetExtraFields(map[string]any{extraContent: json.RawMessage(p.Opaque.Raw)})
			}
		}
	}
	if !out.Content.OfString.Valid() && len(out.ToolCalls) == 0 {
		return nil
	}
	return []sdk.ChatCompletionMessageParamUnion{{OfAssistant: &out}}
}
