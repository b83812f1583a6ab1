package matrixmessage

import (
	"context"
	"fmt"
	"path/filepath"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// maxAttachments is how many files one call sends.
const maxAttachments = 5

// attached is a file that a call sends.
type attached struct {
	id  string // the attachment's, by which tools of this conversation know it
	ref media.Ref
}

// attachments are the files that a call names: attachments of the call's own
// conversation (invariant 6), and files of the workspace, which become such.
func (t *toolkit) attachments(ctx context.Context, in tool.Invocation, args arguments) ([]attached, *tool.Fault) {
	var files []attached
	for _, id := range args.AttachmentIDs {
		ref, fault := t.visible(ctx, in, id)
		if fault != nil {
			return nil, fault
		}
		files = append(files, attached{id, ref})
	}
	for i, name := range args.AttachmentPaths {
		if in.Keep == nil {
			return nil, tool.Faultf(tool.FaultTool, "no files are kept here, so none can be sent")
		}
		ref, fault := keep(ctx, in, i, name)
		if fault != nil {
			return nil, fault
		}
		files = append(files, attached{tool.FileOwner(in.Call, i).AttachmentID(), ref})
	}
	return files, nil
}

func (t *toolkit) visible(ctx context.Context, in tool.Invocation, id string) (media.Ref, *tool.Fault) {
	var a media.Attachment
	var found bool
	err := t.DB.Read(ctx, func(r *store.Reader) (err error) {
		a, found, err = media.Visible(r, in.Who.Room, in.Who.ResolvedThread, id)
		return err
	})
	switch {
	case err != nil:
		return media.Ref{}, laterf("the attachment cannot be looked up right now: %v", err)
	case !found:
		return media.Ref{}, tool.Faultf(tool.FaultTool, "there is no attachment %.64q in this conversation; its messages name theirs", id)
	case a.Ref.Zero():
		return media.Ref{}, tool.Faultf(tool.FaultTool, "the attachment %s has no file: %s", id, a.Problem)
	}
	return a.Ref, nil
}

// keep makes a file of the workspace an attachment. Links may not lead out of
// the workspace.
func keep(ctx context.Context, in tool.Invocation, part int, name string) (media.Ref, *tool.Fault) {
	f, fault := in.OpenFile(name)
	if fault != nil {
		return media.Ref{}, fault
	}
	defer func() { _ = f.Close() }()
	ref, err := in.Keep(ctx, part, f, "", filepath.Base(name))
	if media.KindOf(err) == media.TooLarge {
		return media.Ref{}, tool.Faultf(tool.FaultTool, "%s is larger than the files that can be sent", name)
	}
	if err != nil {
		return media.Ref{}, laterf("%s cannot be sent right now: %v", name, err)
	}
	return ref, nil
}

// carry are the messages that carry the files. They start no turn: the message
// that names a recipient comes after them.
func (t *toolkit) carry(in tool.Invocation, p place, files []attached, first ...message.Option) []chat.Delivery {
	var all []chat.Delivery
	for i, f := range files {
		info := message.FileInfo{Kind: string(f.ref.Kind()), Name: f.ref.Name, MIME: f.ref.MIME, Size: f.ref.Size}
		if info.Name == "" {
			info.Name = string(f.ref.Kind())
		}
		info.Width, info.Height = t.Media.Dimensions(f.ref)
		opts := []message.Option{message.With(message.KeySkipMentions, true), message.With(message.KeyAttachments, []string{f.id})}
		if i == 0 {
			opts = append(opts, first...)
		}
		all = append(all, chat.Delivery{
			// Of the call's own key too, but none that stands for the whole call.
			ID: fmt.Sprintf("%s.%d:%s", deliveryPrefix, i+1, in.Ref), Conversation: conversation(p), Kind: chat.KindMessage, Type: "m.room.message",
			Content: message.File(info, opts...).Raw(), Attach: f.ref,
		})
	}
	return all
}

// sentFile is what became of one file.
type sentFile struct {
	AttachmentID string `json:"attachment_id"`
	Name         string `json:"name"`
	EventID      string `json:"event_id,omitempty"`
	// Delivery is "queued" while the file is on its way; it must not be sent again.
	Delivery string `json:"delivery,omitempty"`
	// Error is why the room did not take it.
	Error string `json:"error,omitempty"`
}
