package turn

import (
	"encoding/json"

	"mindroom/internal/chat"
	"mindroom/internal/message"
)

// session is the part of a conversation that belongs to the requester of a turn.
// A private agent keeps one history for each (spec/runtime.md 1.6): what others
// said to it, and what it answered them out of their workspace, is none of this
// person's. For every other agent it is all of the conversation.
func (r *response) session(messages []chat.Message, answers []answered) ([]chat.Message, []answered) {
	if r.agent.Private == nil {
		return messages, answers
	}
	requester := r.row.who.Requester
	own := map[string]bool{r.row.trigger: true} // events and deliveries
	var kept []answered
	for _, a := range answers {
		if a.requester == requester {
			kept = append(kept, a)
			own[a.trigger], own[firstDelivery(a.turn)], own[wholeDelivery(a.turn)] = true, true, true
		}
	}
	self := r.e.userID(r.row.account)
	var said []chat.Message
	for _, m := range messages {
		person := r.snap.Config.Authorization.Canonical(m.Sender)
		if own[m.EventID] || person == requester || m.Sender == self && own[deliveryOf(m)] {
			said = append(said, m)
		}
	}
	return said, kept
}

// deliveryOf is the delivery that a message of ours says it is; empty for none.
func deliveryOf(m chat.Message) string {
	var content map[string]json.RawMessage
	var id string
	if json.Unmarshal(m.Content, &content) != nil || json.Unmarshal(content[message.KeyDelivery], &id) != nil {
		return ""
	}
	return id
}
