package model

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/media"
)

// MaxInlineMedia is the size in bytes up to which media is sent to a model; larger media becomes a note. Providers
// refuse a request long before they would read more.
const MaxInlineMedia = 20 << 20

// Sight is what a model reads besides text.
type Sight struct {
	Pictures  bool // PNG, JPEG, GIF and WebP
	Documents bool // PDF
}

// SightOf is what the models of a provider mostly read; images is the
// configuration's word on the one model, nil where it says nothing.
func SightOf(provider string, images *bool) Sight {
	var s Sight
	switch provider {
	case "anthropic", "openai":
		s = Sight{Pictures: true, Documents: true}
	case "azure", "google", "gemini", "openrouter", "scripted":
		s.Pictures = true
	}
	if images != nil {
		s.Pictures, s.Documents = *images, s.Documents && *images
	}
	return s
}

// LoadMedia reads what ref points at. When it cannot, or may not for its size, data is nil and note is a line of text
// for the model to read in its place: a missing image must not end a conversation. mime is the type of what was read:
// a picture may have been made smaller, and is told by its bytes.
func (r Request) LoadMedia(ctx context.Context, ref media.Ref) (data []byte, mime, note string) {
	if r.Media == nil {
		return nil, "", MediaNote(ref, "it cannot be loaded here")
	}
	if ref.Size > MaxInlineMedia && !ref.Picture() {
		return nil, "", MediaNote(ref, "it is too large")
	}
	data, err := r.Media(ctx, ref)
	switch {
	case media.KindOf(err) == media.TooLarge, len(data) > MaxInlineMedia:
		return nil, "", MediaNote(ref, "it is too large")
	case err != nil, len(data) == 0:
		return nil, "", MediaNote(ref, "it is no longer available")
	}
	mime, _, _ = strings.Cut(strings.ToLower(ref.MIME), ";")
	if found := (media.Ref{MIME: media.TypeOf(data[:min(len(data), 512)], "", "")}); ref.Picture() && found.Picture() {
		mime = found.MIME
	}
	return data, mime, ""
}

// MediaNote is the line that stands for media which is not shown, with the reason.
func MediaNote(ref media.Ref, why string) string {
	name := ref.Name
	if name == "" {
		name = "attachment"
	}
	return fmt.Sprintf("[%s (%s) is not shown: %s]", name, ref.MIME, why)
}
