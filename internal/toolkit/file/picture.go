package file

import (
	"bytes"
	"context"
	"io"

	"mindroom/internal/media"
	"mindroom/internal/media/scale"
	"mindroom/internal/tool"
)

// maxPicture is the largest picture in bytes that is shown, smaller than it is.
const maxPicture = scale.MaxBytes

// pictureResult describes a picture. The picture itself goes beside it.
type pictureResult struct {
	head
	MIME   string `json:"mime_type"`
	Bytes  int    `json:"bytes"`
	Width  int    `json:"width,omitempty"`
	Height int    `json:"height,omitempty"`
	// AttachmentID is the id under which matrix_message can send it.
	AttachmentID string `json:"attachment_id"`
	Note         string `json:"note"`
}

// picture shows a file that is a picture; is is false for any other file, which
// is then read as text and whose faults are told there.
func (w *workspace) picture(ctx context.Context, name string) (seen any, is bool, err error) {
	f, size, fault := w.regular(name)
	if fault != nil {
		return nil, false, nil
	}
	defer f.Close()
	raw := make([]byte, 512)
	n, err := io.ReadFull(f, raw)
	if err != nil && n == 0 {
		return nil, false, nil
	}
	if w.in.Keep == nil || !(media.Ref{MIME: media.TypeOf(raw[:n], "", "")}).Picture() {
		return nil, false, nil
	}
	whole, err := io.ReadAll(io.LimitReader(io.MultiReader(bytes.NewReader(raw[:n]), f), maxPicture+1))
	if err != nil {
		return nil, true, explain(name, err)
	}
	if len(whole) > maxPicture {
		return nil, true, failf("%s is a picture of %d bytes, more than the %d that can be shown; make a smaller one of it", name, size, maxPicture)
	}
	ref, err := w.in.Keep(ctx, 0, bytes.NewReader(whole), "", name)
	if err != nil {
		return nil, true, failf("%s cannot be shown right now: %v", name, err)
	}
	width, height := media.DimensionsOf(bytes.NewReader(whole))
	return tool.Showing{Value: pictureResult{
		head: ok("read_file", name), MIME: ref.MIME, Bytes: len(whole), Width: width, Height: height,
		AttachmentID: tool.FileOwner(w.in.Call, 0).AttachmentID(),
		Note:         "The picture is shown to models that see pictures; its bytes are not part of this result.",
	}, Media: []media.Ref{ref}}, true, nil
}
