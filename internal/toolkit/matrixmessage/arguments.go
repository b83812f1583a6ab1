package matrixmessage

import (
	"strings"

	"mindroom/internal/interactive"
	"mindroom/internal/tool"
)

// The actions.
const (
	actionSend        = "send"
	actionReply       = "reply"
	actionThreadReply = "thread-reply" // another name of reply
	actionReact       = "react"
	actionEdit        = "edit"
	actionRead        = "read"
	actionContext     = "context"
)

// wholeRoom as a thread id means the room's own timeline.
const wholeRoom = "room"

// Bounds of the arguments.
const (
	maxMessage   = 256 << 10
	defaultLimit = 20
	maxLimit     = 50
	defaultEmoji = "👍"
	maxEmoji     = 64
)

type arguments struct {
	Action    string `json:"action,omitempty" jsonschema:"send, reply, react, edit, read or context; send if left out."`
	Message   string `json:"message,omitempty" jsonschema:"Markdown text to send; for react the emoji."`
	Recipient string `json:"recipient,omitempty" jsonschema:"Name of an available agent or team that shall answer; without it the message starts no turn. Your own name is an intentional self-trigger."`
	RoomID    string `json:"room_id,omitempty" jsonschema:"Another room's id or managed key; this conversation's room if left out."`
	ThreadID  string `json:"thread_id,omitempty" jsonschema:"Event id of a thread's root, or room for the room's own timeline; this conversation's thread if left out."`
	Target    string `json:"target,omitempty" jsonschema:"Event id that is reacted to, edited or replied to."`
	// The files that are sent before the message.
	AttachmentIDs   []string `json:"attachment_ids,omitempty" jsonschema:"Ids (att_…) of attachments of this conversation to send along; five files at most."`
	AttachmentPaths []string `json:"attachment_file_paths,omitempty" jsonschema:"Paths of files of the workspace to send along; five files at most."`
	Limit           *int     `json:"limit,omitempty" jsonschema:"How many messages read returns, 1 to 50; 20 if left out."`
}

// check holds what does not depend on the call's place, and fills in defaults.
func (a *arguments) check() *tool.Fault {
	if a.Action == "" {
		a.Action = actionSend
	}
	if a.Action == actionThreadReply {
		a.Action = actionReply
	}
	switch a.Action {
	case actionSend, actionReply, actionEdit:
		if strings.TrimSpace(a.Message) == "" && (a.files() == 0 || a.Recipient != "" || a.Action == actionEdit) {
			return badf("message is needed for %s", a.Action)
		}
		if len(a.Message) > maxMessage {
			return badf("message has %d bytes, more than %d; write it to a file and send a summary", len(a.Message), maxMessage)
		}
		if interactive.Tagged(a.Message) {
			return badf("an interactive block asks only at the end of your answer, not in a message; send the message without it")
		}
	case actionReact:
		if a.Message == "" {
			a.Message = defaultEmoji
		}
		if len(a.Message) > maxEmoji {
			return badf("message must be a single emoji for react")
		}
	case actionRead, actionContext:
	default:
		return badf("there is no action %.40q; use send, reply, react, edit, read or context", a.Action)
	}
	if (a.Action == actionReact || a.Action == actionEdit) && !strings.HasPrefix(a.Target, "$") {
		return badf("target must be the event id of the message to %s", a.Action)
	}
	if a.Recipient != "" && a.Action != actionSend && a.Action != actionReply {
		return badf("recipient goes with send and reply only")
	}
	if n := a.files(); n > maxAttachments {
		return badf("%d files are more than %d; send them in several calls", n, maxAttachments)
	} else if n > 0 && a.Action != actionSend && a.Action != actionReply {
		return badf("attachments go with send and reply only")
	}
	if a.ThreadID != "" && a.ThreadID != wholeRoom && !strings.HasPrefix(a.ThreadID, "$") {
		return badf("thread_id must be the event id of a thread's root, or %q", wholeRoom)
	}
	return nil
}

// files is how many files the call sends.
func (a *arguments) files() int { return len(a.AttachmentIDs) + len(a.AttachmentPaths) }

// limit is how many messages are read.
func (a *arguments) limit() (int, *tool.Fault) {
	if a.Limit == nil {
		return defaultLimit, nil
	}
	if *a.Limit < 1 || *a.Limit > maxLimit {
		return 0, badf("limit must be between 1 and %d", maxLimit)
	}
	return *a.Limit, nil
}

func badf(format string, args ...any) *tool.Fault {
	return tool.Faultf(tool.FaultArguments, format, args...)
}
