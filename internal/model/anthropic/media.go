package anthropic

import (
	"context"
	"encoding/base64"
	"strings"
	"unicode/utf8"

	sdk "github.com/anthropics/anthropic-sdk-go/v2"

	"mindroom/internal/media"
	"mindroom/internal/model"
)

// shown is one piece of media in the form in which the API takes it; exactly one field is set.
type shown struct {
	text     *sdk.TextBlockParam
	image    *sdk.ImageBlockParam
	document *sdk.DocumentBlockParam
}

func (s shown) block() sdk.ContentBlockParamUnion {
	return sdk.ContentBlockParamUnion{OfText: s.text, OfImage: s.image, OfDocument: s.document}
}

func (s shown) resultBlock() sdk.ToolResultBlockParamContentUnion {
	return sdk.ToolResultBlockParamContentUnion{OfText: s.text, OfImage: s.image, OfDocument: s.document}
}

func attached(ctx context.Context, req model.Request, ref media.Ref) shown {
	data, mime, note := req.LoadMedia(ctx, ref)
	if note != "" {
		return shown{text: &sdk.TextBlockParam{Text: note}}
	}
	switch {
	case mime == "image/png", mime == "image/jpeg", mime == "image/gif", mime == "image/webp":
		return shown{image: &sdk.ImageBlockParam{Source: sdk.ImageBlockParamSourceUnion{OfBase64: &sdk.Base64ImageSourceParam{
			Data:      base64.StdEncoding.EncodeToString(data),
			MediaType: sdk.Base64ImageSourceMediaType(mime),
		}}}}
	case mime == "application/pdf":
		return shown{document: &sdk.DocumentBlockParam{Source: sdk.DocumentBlockParamSourceUnion{OfBase64: &sdk.Base64PDFSourceParam{
			Data: base64.StdEncoding.EncodeToString(data),
		}}}}
	case strings.HasPrefix(mime, "text/") && utf8.Valid(data) && strings.TrimSpace(string(data)) != "":
		return shown{text: &sdk.TextBlockParam{Text: string(data)}}
	}
	return shown{text: &sdk.TextBlockParam{Text: model.MediaNote(ref, "this model does not read its type")}}
}
