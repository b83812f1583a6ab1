package command

import (
	"mindroom/internal/chat"
	"mindroom/internal/message"
)

// answer is the delivery of a command's answer: in the thread of the command,
// in a new thread at it, or plainly as a reply.
func answer(r row, text string, plain bool) chat.Delivery {
	root := r.Thread
	if root == "" && !plain {
		root = r.EventID
	}
	return chat.Delivery{
		ID: "command:" + r.EventID, Conversation: chat.Conversation{Account: r.Account, Room: r.Room, ThreadRoot: root},
		Kind: chat.KindMessage, Type: "m.room.message",
		Content: message.Text(text, message.Notice(), message.ThreadReply(root, r.EventID),
			message.With(message.KeySkipMentions, true), message.With(message.KeyProgram, r.EventID)).Raw(),
	}
}
