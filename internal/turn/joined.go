package turn

import (
	"context"
	"fmt"
	"slices"

	"mindroom/internal/chat"
	"mindroom/internal/prompt"
	"mindroom/internal/store"
)

// joined adds to the messages of a conversation the files that were answered with
// one of them (spec/runtime.md 3.14) and that the room shows elsewhere: where an
// answer begins a thread, its message is in it and the file before that is not.
// What was taken back stays away.
func (r *response) joined(ctx context.Context, messages []chat.Message, answers []answered) ([]chat.Message, error) {
	with := map[string][]string{r.row.trigger: r.cp.Joined} // files by the message they go with
	for _, a := range answers {
		with[a.trigger] = a.joined
	}
	there := map[string]bool{}
	for _, m := range messages {
		there[m.EventID] = true
	}
	var all []chat.Message
	err := r.e.DB.Read(ctx, func(q *store.Reader) error {
		all = nil
		for _, m := range messages {
			for _, id := range with[m.EventID] {
				e, found, err := r.e.History.Find(q, r.row.account, id)
				if err != nil {
					return err
				}
				gone, err := r.e.History.Withdrawn(q, r.row.account, id)
				if err != nil {
					return err
				}
				if found && !gone && !there[id] && e.Room == r.row.room {
					all = append(all, chat.Message{Event: e})
				}
			}
			all = append(all, m)
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read the files that turn %s answers: %w", r.id, err)
	}
	return all, nil
}

// withJoined moves the files that the turn answers from the conversation to the
// message that they go with, which is always shown whole.
func (r *response) withJoined(history []prompt.Entry, trigger *prompt.Entry) []prompt.Entry {
	return slices.DeleteFunc(history, func(e prompt.Entry) bool {
		if e.Own || !slices.Contains(r.cp.Joined, e.EventID) {
			return false
		}
		trigger.Queued = append(trigger.Queued, e)
		return true
	})
}
