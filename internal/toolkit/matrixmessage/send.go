package matrixmessage

import (
	"context"
	"strings"

	"mindroom/internal/chat"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

func (t *toolkit) send(ctx context.Context, in tool.Invocation, p place, args arguments) (any, error) {
	files, fault := t.attachments(ctx, in, args)
	if fault != nil {
		return nil, fault
	}
	text, opts := args.Message, []message.Option{message.With(message.KeySkipMentions, true)}
	if args.Recipient != "" {
		to, fault := t.recipient(ctx, in, p, args.Recipient)
		if fault != nil {
			return nil, fault
		}
		text, opts = relay(in, args.Recipient, to, args.Message)
	}
	var relation []message.Option
	if args.Target != "" {
		if _, fault := t.known(ctx, p, args.Target); fault != nil {
			return nil, fault
		}
		relation = append(relation, message.ThreadReply(p.thread, args.Target))
	} else if args.Action == actionReply && p.thread == "" {
		return nil, badf("there is no thread to reply in; give thread_id or target, or use send")
	}
	r := ok(args.Action, p)
	r.Recipient = args.Recipient
	if strings.TrimSpace(args.Message) == "" {
		return t.deliver(ctx, in, r, nil, files, t.carry(in, p, files, relation...))
	}
	content := message.Text(text, append(opts, relation...)...)
	r.Cut = content[message.KeyCut] != nil
	return t.deliver(ctx, in, r, &chat.Delivery{
		Conversation: conversation(p), Kind: chat.KindMessage, Type: "m.room.message", Content: content.Raw(),
	}, files, t.carry(in, p, files))
}

func (t *toolkit) react(ctx context.Context, in tool.Invocation, p place, args arguments) (any, error) {
	if _, fault := t.known(ctx, p, args.Target); fault != nil {
		return nil, fault
	}
	return t.deliver(ctx, in, ok(args.Action, p), &chat.Delivery{
		Conversation: conversation(p), Kind: chat.KindReaction, Type: "m.reaction", Content: message.Reaction(args.Message).Raw(),
		Target: chat.Target{Event: args.Target},
	}, nil, nil)
}

func (t *toolkit) edit(ctx context.Context, in tool.Invocation, p place, args arguments) (any, error) {
	original, fault := t.known(ctx, p, args.Target)
	if fault != nil {
		return nil, fault
	}
	if original.Sender != p.account.UserID {
		return nil, tool.Faultf(tool.FaultTool, "only messages of this agent can be edited, and %s is another's", args.Target)
	}
	content := message.Text(args.Message, message.With(message.KeySkipMentions, true))
	r := ok(args.Action, p)
	r.Cut = content[message.KeyCut] != nil
	return t.deliver(ctx, in, r, &chat.Delivery{
		Conversation: conversation(p), Kind: chat.KindEdit, Type: "m.room.message", Content: content.Raw(),
		Target: chat.Target{Event: args.Target},
	}, nil, nil)
}

// known is an event of the place's room as the agent's account heard it. An
// event of another room is as unknown as one that never was.
func (t *toolkit) known(ctx context.Context, p place, eventID string) (chat.Event, *tool.Fault) {
	var event chat.Event
	var found bool
	err := t.DB.Read(ctx, func(r *store.Reader) (err error) {
		event, found, err = t.Journal.Find(r, p.account.Name, eventID)
		return err
	})
	switch {
	case err != nil:
		return chat.Event{}, laterf("the message cannot be looked up right now: %v", err)
	case !found || event.Room != p.room:
		return chat.Event{}, tool.Faultf(tool.FaultTool, "there is no message %.64q in this room that this agent has heard; read lists recent ones", eventID)
	}
	return event, nil
}

func conversation(p place) chat.Conversation {
	return chat.Conversation{Account: p.account.Name, Room: p.room, ThreadRoot: p.thread}
}
