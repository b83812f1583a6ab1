package turn

import (
	"encoding/json"
	"slices"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/message"
)

// Two people in one thread with one private agent have two histories; with any
// other agent they share one (spec/runtime.md 1.6).
func TestSessionOfAPrivateAgent(t *testing.T) {
	t.Parallel()
	const ben, ghost = "@ben:x", "@bridge_ann:x"
	said := func(event, sender, delivery string) chat.Message {
		content, err := json.Marshal(map[string]any{"body": event, message.KeyDelivery: delivery})
		must(t, err)
		return chat.Message{Event: chat.Event{EventID: event, Sender: sender, Content: content}}
	}
	messages := []chat.Message{
		said("ann-1", ann, ""), said("to-ann", ownID, firstDelivery("t1")), said("to-ann-whole", ownID, wholeDelivery("t1")),
		said("ben-1", ben, ""), said("to-ben", ownID, firstDelivery("t2")),
		said("ann-bridged", ghost, ""), said("forged", ben, firstDelivery("t1")), said("by-nobody", ownID, ""),
		said("relayed", ownID, ""), // a script of ann's woke the agent
		said("now", ann, ""),
	}
	answers := []answered{
		{turn: "t1", trigger: "ann-1", requester: ann}, {turn: "t2", trigger: "ben-1", requester: ben}, {turn: "t3", trigger: "relayed", requester: ann},
	}
	for name, c := range map[string]struct {
		private   *config.Private
		requester string
		events    []string
		turns     []string
	}{
		"shared": {nil, ann,
			[]string{"ann-1", "to-ann", "to-ann-whole", "ben-1", "to-ben", "ann-bridged", "forged", "by-nobody", "relayed", "now"}, []string{"t1", "t2", "t3"}},
		"hers": {&config.Private{Per: config.ScopeUser}, ann,
			[]string{"ann-1", "to-ann", "to-ann-whole", "ann-bridged", "relayed", "now"}, []string{"t1", "t3"}},
		// What Ben asked is answered with what Ben said, and with the message at hand.
		"his": {&config.Private{Per: config.ScopeUserAgent}, ben, []string{"ben-1", "to-ben", "forged", "now"}, []string{"t2"}},
	} {
		r := &response{
			e: &Engine{}, agent: &config.Agent{Private: c.private},
			snap: &config.Snapshot{Config: &config.Config{Authorization: config.Authorization{Aliases: map[string]string{ghost: ann}}}},
			row:  row{account: ownID, trigger: "now", who: identity.InThread("watcher", c.requester, roomID, "")},
		}
		kept, mine := r.session(messages, answers)
		var events, turns []string
		for _, m := range kept {
			events = append(events, m.EventID)
		}
		for _, a := range mine {
			turns = append(turns, a.turn)
		}
		if !slices.Equal(events, c.events) || !slices.Equal(turns, c.turns) {
			t.Errorf("%s: %v %v", name, events, turns)
		}
	}
}
