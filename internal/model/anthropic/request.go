package anthropic

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"strings"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/packages/param"

	"mindroom/internal/model"
)

func (p *provider) params(ctx context.Context, req model.Request, id string) sdk.MessageNewParams {
	out := sdk.MessageNewParams{Model: sdk.Model(id), MaxTokens: defaultMaxTokens}
	switch {
	case req.MaxTokens > 0:
		out.MaxTokens = int64(req.MaxTokens)
	case p.maxTokens > 0:
		out.MaxTokens = int64(p.maxTokens)
	}
	out.SetExtraFields(p.sampling(req))
	for _, t := range req.Tools {
		out.Tools = append(out.Tools, tool(t))
	}
	if req.System != "" {
		out.System = []sdk.TextBlockParam{{Text: req.System}}
	}
	for _, m := range model.Prepare(req.Messages, Name, id) {
		blocks := blocks(ctx, req, m)
		if len(blocks) == 0 { // The API refuses a message without content.
			continue
		}
		if m.Role == model.RoleAssistant {
			if len(out.Messages) == 0 { // The API wants a user's message first; a shortened history may not have it.
				out.Messages = append(out.Messages, sdk.NewUserMessage(sdk.NewTextBlock("[The conversation began earlier.]")))
			}
			out.Messages = append(out.Messages, sdk.NewAssistantMessage(blocks...))
		} else {
			out.Messages = append(out.Messages, sdk.NewUserMessage(blocks...))
		}
	}
	markCache(&out)
	return out
}

// sampling holds what the SDK no longer knows by name, because newer models refuse it; older models and compatible
// servers still take it, so it is sent when somebody asks for it and only then.
func (p *provider) sampling(req model.Request) map[string]any {
	extra := map[string]any{}
	if req.Temperature != nil {
		extra["temperature"] = *req.Temperature
	} else if p.temperature != nil {
		extra["temperature"] = *p.temperature
	}
	if p.topP != nil {
		extra["top_p"] = *p.topP
	}
	if p.topK > 0 {
		extra["top_k"] = p.topK
	}
	return extra
}

func tool(t model.Tool) sdk.ToolUnionParam {
	schema := t.Schema
	if len(schema) == 0 {
		schema = json.RawMessage(`{"type":"object","properties":{}}`)
	}
	tp := sdk.ToolParam{Name: t.Name, InputSchema: param.Override[sdk.ToolInputSchemaParam](schema)}
	if t.Description != "" {
		tp.Description = param.NewOpt(t.Description)
	}
	return sdk.ToolUnionParam{OfTool: &tp}
}

func blocks(ctx context.Context, req model.Request, m model.Message) []sdk.ContentBlockParamUnion {
	var out []sdk.ContentBlockParamUnion
	for _, p := range m.Parts {
		switch p.Kind {
		case model.PartText:
			if strings.TrimSpace(p.Text) != "" { // The API refuses blank text.
				out = append(out, sdk.NewTextBlock(p.Text))
			}
		case model.PartCall:
			out = append(out, sdk.NewToolUseBlock(callID(p.Call.ID), p.Call.ArgumentsObject(), model.OutgoingName(p.Call.Name)))
		case model.PartResult:
			out = append(out, sdk.ContentBlockParamUnion{OfToolResult: result(ctx, req, *p.Result)})
		case model.PartMedia:
			out = append(out, attached(ctx, req, *p.Media).block())
		case model.PartOpaque:
			out = append(out, param.Override[sdk.ContentBlockParamUnion](json.RawMessage(p.Opaque.Raw)))
		}
	}
	return out
}

func result(ctx context.Context, req model.Request, r model.Result) *sdk.ToolResultBlockParam {
	out := &sdk.ToolResultBlockParam{ToolUseID: callID(r.CallID)}
	if r.IsError {
		out.IsError = param.NewOpt(true)
	}
	if strings.TrimSpace(r.Text) != "" {
		out.Content = append(out.Content, sdk.ToolResultBlockParamContentUnion{OfText: &sdk.TextBlockParam{Text: r.Text}})
	}
	for _, ref := range r.Media {
		out.Content = append(out.Content, attached(ctx, req, ref).resultBlock())
	}
	return out
}

// callID makes an id of another provider's acceptable here, the same one each time.
func callID(id string) string {
	safe := model.OutgoingName(id)
	if safe == id {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	return "call_" + hex.EncodeToString(sum[:12])
}

// markCache sets the two breakpoints of sentence 3 of the package.
func markCache(p *sdk.MessageNewParams) {
	mark := sdk.NewCacheControlEphemeralParam()
	switch {
	case len(p.System) > 0:
		p.System[len(p.System)-1].CacheControl = mark
	case len(p.Tools) > 0:
		p.Tools[len(p.Tools)-1].OfTool.CacheControl = mark
	}
	if len(p.Messages) == 0 {
		return
	}
	last := p.Messages[len(p.Messages)-1]
	if last.OfUser == nil { // Thinking blocks, which take no mark, occur only in the model's own messages.
		return
	}
	if control := last.OfUser.Content[len(last.OfUser.Content)-1].GetCacheControl(); control != nil {
		*control = mark
	}
}
