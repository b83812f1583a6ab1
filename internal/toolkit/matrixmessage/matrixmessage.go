package matrixmessage

import (
	"context"
	"time"

	"mindroom/internal/tool"
)

// New makes the toolkit, which the configuration calls matrix_message.
func New(deps Deps) tool.Toolkit {
	t := &toolkit{Deps: deps, rate: newRate()}
	return tool.Toolkit{
		Name:    "matrix_message",
		Purpose: "Send, read and react to messages in Matrix rooms.",
		Build: func(tool.Env) ([]tool.Function, error) {
			return []tool.Function{tool.Typed(tool.Spec{
				Name: "matrix_message",
				Description: "Send a message to this conversation, or reply, react, edit, read messages, or show the context.\n" +
					"A message starts an agent's turn only when recipient names that agent or team. " +
					"Another room can be used when you and the requester are both in it. " +
					"Files of the workspace and attachments of this conversation can be sent along, or without a message.",
			}, t.run)}, nil
		},
	}
}

type toolkit struct {
	Deps
	rate *rate
}

// patience is how long a call waits for its event to be in the room.
const patience = 10 * time.Second

// result is what every action returns; fields that do not apply are left out.
type result struct {
	Status   string `json:"status"`
	Tool     string `json:"tool"`
	Action   string `json:"action"`
	RoomID   string `json:"room_id"`
	ThreadID string `json:"thread_id,omitempty"`
	EventID  string `json:"event_id,omitempty"`
	// Delivery is "queued" when the event was not in the room in time; it will
	// be, and must not be sent again.
	Delivery  string `json:"delivery,omitempty"`
	Recipient string `json:"recipient,omitempty"`
	// Cut is true when the message was too long for one event and its end is
	// missing in the room.
	Cut bool `json:"cut,omitempty"`
	// Attachments are the files that were sent before the message.
	Attachments []sentFile `json:"attachments,omitempty"`
	Messages    *[]line    `json:"messages,omitempty"`
	Agent       string     `json:"agent,omitempty"`
	Requester   string     `json:"requester,omitempty"`
}

func ok(action string, p place) result {
	return result{Status: "ok", Tool: "matrix_message", Action: action, RoomID: p.room, ThreadID: p.thread}
}

func (t *toolkit) run(ctx context.Context, in tool.Invocation, args arguments) (any, error) {
	if fault := args.check(); fault != nil {
		return nil, fault
	}
	p, fault := t.place(ctx, in, args)
	if fault != nil {
		return nil, fault
	}
	if args.Action == actionContext {
		r := ok(args.Action, p)
		r.Agent, r.Requester = in.Who.Agent, in.Who.Requester
		return r, nil
	}
	if fault := t.rate.take(key{in.Who.Agent, in.Who.Requester, p.room}, 1+args.files()); fault != nil {
		return nil, fault
	}
	switch args.Action {
	case actionRead:
		return t.read(ctx, p, args)
	case actionReact:
		return t.react(ctx, in, p, args)
	case actionEdit:
		return t.edit(ctx, in, p, args)
	}
	return t.send(ctx, in, p, args)
}
