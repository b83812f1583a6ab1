package matrixmessage

import (
	"context"
	"errors"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// deliveryPrefix begins the ids of what a call says; a colon and the call's key
// follow.
const deliveryPrefix = "matrix_message"

// deliver enqueues what a call says, its files first, and waits a while for the
// events. d is nil when there are only files.
func (t *toolkit) deliver(ctx context.Context, in tool.Invocation, r result, d *chat.Delivery, files []attached, carried []chat.Delivery) (any, error) {
	all := carried
	if d != nil {
		d.ID = deliveryPrefix + ":" + in.Ref.String()
		all = append(all, *d)
	}
	err := t.DB.Write(ctx, func(tx *store.Tx) error {
		for _, d := range all {
			if _, err := t.Outbox.Enqueue(tx, d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, laterf("the message was not sent, because it could not be stored: %v", err)
	}
	waiting, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	refused := ""
	for i, f := range files {
		sent := sentFile{AttachmentID: f.id, Name: f.ref.Name}
		if sent.EventID, sent.Delivery, sent.Error, err = t.became(ctx, waiting, carried[i].ID); err != nil {
			return nil, err
		}
		refused = sent.Error
		r.Attachments = append(r.Attachments, sent)
	}
	if d == nil {
		if len(files) == 1 && refused != "" {
			return nil, refusal(refused)
		}
		return r, nil
	}
	r.EventID, r.Delivery, refused, err = t.became(ctx, waiting, d.ID)
	switch {
	case err == nil && refused != "" && len(files) > 0:
		err = tool.Faultf(tool.FaultTool, "the room did not take the message (%s); its files were sent before it", refused)
	case err == nil && refused != "":
		err = refusal(refused)
	}
	return r, err
}

// became is the event of a delivery, or how it stands when waiting ends first, or
// why the room did not take it.
func (t *toolkit) became(ctx, waiting context.Context, id string) (eventID, delivery, refused string, err error) {
	eventID, state, err := t.Outbox.Wait(waiting, id)
	switch {
	case err != nil && (waiting.Err() != nil || errors.Is(err, context.DeadlineExceeded)):
		return "", string(chat.Queued), "", nil
	case err != nil:
		return "", "", "", tool.Faultf(tool.FaultIndeterminate, "the message is stored and will be sent, but what became of it cannot be read: %v", err)
	case state == chat.Failed:
		return "", "", t.refused(ctx, id), nil
	case state == chat.Sent:
		return eventID, "", "", nil
	}
	return "", string(state), "", nil
}

func refusal(kind string) *tool.Fault {
	return tool.Faultf(tool.FaultTool, "the room did not take the message (%s); nothing was sent", kind)
}

// refused says why the homeserver would not take an event.
func (t *toolkit) refused(ctx context.Context, id string) string {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	kind := "unknown reason"
	err := t.DB.Read(ctx, func(r *store.Reader) error {
		d, err := chat.Get(r, id)
		if err == nil && d.ErrorKind != "" {
			kind = d.ErrorKind
		}
		return err
	})
	if err != nil {
		return err.Error()
	}
	return kind
}
