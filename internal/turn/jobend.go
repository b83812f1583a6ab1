package turn

import (
	"fmt"

	"mindroom/internal/chat"
	"mindroom/internal/excerpt"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// wakeBytes bounds what the message that wakes an agent shows of a result.
const wakeBytes = 8 << 10

// tellEnd tells the agent that started a subagent in the background of its end, with a
// message in the conversation that starts a turn of the agent for the same requester.
// As any message between agents it counts against max_self_triggers. Its delivery is
// named by the call that started the subagent, so that it is said once.
func (e *Engine) tellEnd(tx *store.Tx, row row, s subagent) error {
	text := fmt.Sprintf("Subagent `%s` (%s) has ended: %s.", s.id, s.agent, s.state)
	if s.result != "" {
		text += "\n\n" + excerpt.Head(s.result, wakeBytes)
		if len(s.result) > wakeBytes {
			text += "…\n\n(list_subagents with its id shows the whole.)"
		}
	}
	options := []message.Option{
		message.Requester(s.requester, message.SourceRelay), message.With(message.KeyDepth, row.depth+1), message.Mention(e.userID(row.account)),
	}
	if row.threadRoot != "" {
		options = append(options, message.ThreadReply(row.threadRoot, row.threadRoot))
	}
	_, err := e.Outbox.Enqueue(tx, chat.Delivery{
		ID: "subagent:" + row.trigger, Conversation: chat.Conversation{Account: row.account, Room: row.room, ThreadRoot: row.threadRoot},
		Kind: chat.KindMessage, Type: "m.room.message", Content: message.Text(text, options...).Raw(),
	})
	if err != nil {
		return fmt.Errorf("tell of the end of subagent %s: %w", s.id, err)
	}
	return nil
}
