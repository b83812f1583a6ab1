package attachments

import (
	"bytes"
	"context"
	"strings"
	"unicode/utf8"

	"mindroom/internal/media"
	"mindroom/internal/media/scale"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

const (
	// maxText is the largest text in bytes that is returned.
	maxText = 40 << 10
	// maxPicture is the largest picture in bytes that is shown, smaller than it is.
	maxPicture = scale.MaxBytes
)

type getArgs struct {
	AttachmentID string `json:"attachment_id" jsonschema:"Id of the attachment (att_…), as messages and list_attachments name it."`
	OutputPath   string `json:"mindroom_output_path,omitempty" jsonschema:"Path of a new file in the workspace to save it to."`
}

type getResult struct {
	head
	about
	// Path is where it was saved in the workspace.
	Path string `json:"path,omitempty"`
	// Content is the text of a text file.
	Content *string `json:"content,omitempty"`
	Note    string  `json:"note,omitempty"`
}

func (t *toolkit) get(ctx context.Context, in tool.Invocation, args getArgs) (any, error) {
	a, fault := t.visible(ctx, in, args.AttachmentID)
	if fault != nil {
		return nil, fault
	}
	raw, err := t.Media.Load(ctx, a.Ref)
	if err != nil {
		return nil, tool.Faultf(tool.FaultTool, "%s cannot be read: %v", a.ID, err)
	}
	out := getResult{head: ok("get_attachment"), about: tell(a)}
	switch {
	case args.OutputPath != "":
		if out.Path, fault = in.CreateFile(args.OutputPath, bytes.NewReader(raw)); fault != nil {
			return nil, fault
		}
	case a.Ref.Picture() && len(raw) <= maxPicture:
		out.Note = "The picture is shown to models that see pictures; its bytes are not part of this result."
		return tool.Showing{Value: out, Media: []media.Ref{a.Ref}}, nil
	case strings.HasPrefix(a.Ref.MIME, "text/") && len(raw) <= maxText && utf8.Valid(raw):
		text := string(raw)
		out.Content = &text
	default:
		out.Note = "This file cannot be shown here; save it with mindroom_output_path and read it there."
	}
	return out, nil
}

func (t *toolkit) visible(ctx context.Context, in tool.Invocation, id string) (media.Attachment, *tool.Fault) {
	room, thread, fault := here(in)
	if fault != nil {
		return media.Attachment{}, fault
	}
	var a media.Attachment
	var found bool
	err := t.DB.Read(ctx, func(r *store.Reader) (err error) {
		a, found, err = media.Visible(r, room, thread, id)
		return err
	})
	switch {
	case err != nil:
		return a, laterf("the attachment cannot be looked up right now: %v", err)
	case !found:
		return a, tool.Faultf(tool.FaultTool, "there is no attachment %.64q in this conversation; list_attachments shows what there is", id)
	case a.Ref.Zero():
		return a, tool.Faultf(tool.FaultTool, "the attachment %s has no file: %s", id, a.Problem)
	}
	return a, nil
}
