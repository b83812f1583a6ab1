package turn

import (
	"context"
	"fmt"
	"slices"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// elsewhere adds to the messages of a conversation what the agent answered in it
// although the room shows it somewhere else: a reply of a client without threads,
// which stands in the room, and a reaction, which stands nowhere. What was taken
// back stays away, but for a reaction: a choice is made once (internal/interactive).
func (r *response) elsewhere(ctx context.Context, messages []chat.Message, answers []answered) ([]chat.Message, error) {
	missing := map[string]bool{r.row.trigger: true}
	for _, a := range answers {
		missing[a.trigger] = true
	}
	for _, m := range messages {
		delete(missing, m.EventID)
	}
	if len(missing) == 0 {
		return messages, nil
	}
	messages = slices.Clone(messages)
	err := r.e.DB.Read(ctx, func(q *store.Reader) error {
		for id := range missing {
			e, found, err := r.e.History.Find(q, r.row.account, id)
			if err != nil {
				return err
			}
			gone, err := r.e.History.Withdrawn(q, r.row.account, id)
			if err != nil {
				return err
			}
			at := 0
			for i, m := range messages {
				if m.Seq < e.Seq {
					at = i + 1
				}
			}
			if !found || gone && e.Type != "m.reaction" || e.Room != r.row.room || at == 0 && id != r.row.trigger {
				continue // at 0 it is older than what is looked at
			}
			messages = slices.Insert(messages, at, chat.Message{Event: e})
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read what turn %s answers: %w", r.id, err)
	}
	return messages, nil
}
