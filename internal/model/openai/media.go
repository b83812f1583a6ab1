package openai

import (
	"context"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

func attached(ctx context.Context, req model.Request, ref media.Ref) sdk.ChatCompletionContentPartUnionParam {
	data, mime, note := req.LoadMedia(ctx, ref)
	if note != "" {
		return sdk.TextContentPart(note)
	}
	inline := func() string { return "data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data) }
	switch {
	case mime == "image/png", mime == "image/jpeg", mime == "image/gif", mime == "image/webp":
		return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{URL: inline()})
	case mime == "application/pdf":
		name := ref.Name
		if name == "" {
			name = "document.pdf"
		}
		return sdk.FileContentPart(sdk.ChatCompletionContentPartFileFileParam{
			Filename: param.NewOpt(name),
			FileData: param.NewOpt(inline()),
		})
	case strings.HasPrefix(mime, "text/") && utf8.Valid(data):
		return sdk.TextContentPart(string(data))
	}
	return sdk.TextContentPart(model.MediaNote(ref, "this model does not read its type"))
}
