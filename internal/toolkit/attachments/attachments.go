package attachments

import (
	"context"
	"time"

	"mindroom/internal/identity"
	"mindroom/internal/media"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// maxListed is how many attachments a list has, the newest.
const maxListed = 50

// Deps is what the toolkit works with. Every field is needed.
type Deps struct {
	DB    *store.DB
	Media *media.Store
}

// New makes the toolkit, which the configuration calls attachments.
func New(deps Deps) tool.Toolkit {
	t := &toolkit{deps}
	return tool.Toolkit{
		Name:    "attachments",
		Purpose: "See, save and register the files of this conversation.",
		Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{
				tool.Typed(tool.Spec{Name: "list_attachments", Class: tool.Shared,
					Description: "List the newest files of this conversation, with the ids other calls take."}, t.list),
				tool.Typed(tool.Spec{Name: "get_attachment", Class: tool.Shared,
					Description: "Look at a file of this conversation, or save it into the workspace.\n" +
						"A picture is shown and a text is returned; give mindroom_output_path to save any file there instead."}, t.get),
				tool.Typed(tool.Spec{Name: "register_attachment", Class: tool.Shared,
					Description: "Make a file of the workspace an attachment of this conversation and return its id."}, t.register),
			}, nil
		},
	}
}

type toolkit struct{ Deps }

// head is what every result of the toolkit begins with.
type head struct {
	Status string `json:"status"`
	Tool   string `json:"tool"`
	Action string `json:"action"`
}

func ok(action string) head { return head{"ok", "attachments", action} }

// about is an attachment as it is told.
type about struct {
	AttachmentID string `json:"attachment_id"`
	Name         string `json:"name"`
	Kind         string `json:"kind"` // image, audio, video or file
	MIME         string `json:"mime_type"`
	Bytes        int64  `json:"bytes"`
	// From is the person it came from or was made for.
	From    string `json:"from,omitempty"`
	EventID string `json:"event_id,omitempty"`
	Created string `json:"created"` // UTC
	// Problem says why there is no file behind it.
	Problem string `json:"problem,omitempty"`
}

func tell(a media.Attachment) about {
	told := about{AttachmentID: a.ID, Name: a.Ref.Name, Kind: string(a.Ref.Kind()), MIME: a.Ref.MIME, Bytes: a.Ref.Size,
		From: a.Owner.Requester, Created: a.Created.UTC().Format(time.RFC3339), Problem: a.Problem}
	if a.Owner.Kind == media.OwnedByEvent {
		told.EventID = a.Owner.ID
	}
	return told
}

// here is the call's conversation.
func here(in tool.Invocation) (room, thread string, fault *tool.Fault) {
	if in.Who.Channel != identity.ChannelMatrix || in.Who.Room == "" {
		return "", "", tool.Faultf(tool.FaultTool, "this call has no Matrix conversation, so it has no attachments")
	}
	return in.Who.Room, in.Who.ResolvedThread, nil
}

type listResult struct {
	head
	Attachments []about `json:"attachments"`
}

func (t *toolkit) list(ctx context.Context, in tool.Invocation, _ struct{}) (any, error) {
	room, thread, fault := here(in)
	if fault != nil {
		return nil, fault
	}
	out := listResult{ok("list_attachments"), []about{}}
	err := t.DB.Read(ctx, func(r *store.Reader) error {
		all, err := media.List(r, room, thread, maxListed)
		for _, a := range all {
			out.Attachments = append(out.Attachments, tell(a))
		}
		return err
	})
	if err != nil {
		return nil, laterf("the attachments cannot be read right now: %v", err)
	}
	return out, nil
}

func laterf(format string, args ...any) *tool.Fault {
	f := tool.Faultf(tool.FaultUnavailable, format, args...)
	f.Retryable = true
	return f
}
