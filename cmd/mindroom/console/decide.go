package console

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/approval"
	"mindroom/internal/person"
)

// questionOf reads whom a message puts a question to, from the new content of an
// edit: a card's readable message mentions its requester while a decision is
// wanted. It is empty for any other message.
func questionOf(e person.Event) (card string, asked []string) {
	content := e.Content
	if n, ok := content["m.new_content"].(map[string]any); ok {
		content = n
	}
	card, _ = content[approval.KeyCard].(string)
	mentions, _ := content["m.mentions"].(map[string]any)
	ids, _ := mentions["user_ids"].([]any)
	for _, id := range ids {
		if user, ok := id.(string); ok && card != "" {
			asked = append(asked, user)
		}
	}
	return card, asked
}

// question is the newest that waits for the person; false when none does.
func (s *session) question() (*entry, bool) {
	for _, e := range slices.Backward(s.book.order) {
		if e.card != "" && slices.Contains(e.asked, s.o.UserID) && e.Sender != s.o.UserID {
			return e, true
		}
	}
	return nil, false
}

// decide answers the newest question as any client can: a reaction approves, a
// reply denies with its words.
func (s *session) decide(ctx context.Context, yes bool, reason string) error {
	e, ok := s.question()
	if !ok {
		return s.note("nothing here waits for your decision")
	}
	ctx, cancel := context.WithTimeout(ctx, sendBudget)
	defer cancel()
	var err error
	if reason = strings.TrimSpace(reason); yes || reason == "" {
		key := "❌"
		if yes {
			key = "✅"
		}
		_, err = s.o.Person.React(ctx, s.o.Room, e.ID, key)
	} else {
		_, err = s.o.Person.SendEvent(ctx, s.o.Room, "m.room.message", map[string]any{
			"msgtype": "m.text", "body": reason, "m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": e.ID}},
		})
	}
	if err != nil {
		return s.unsent("your decision", err)
	}
	what := "denied"
	if yes {
		what = "approved"
	}
	first, _, _ := strings.Cut(e.Body, "\n")
	return s.note(fmt.Sprintf("%s: %s", what, strings.Trim(first, "* ")))
}
