package matrixmessage

import (
	"context"
	"strings"
	"time"

	"mindroom/internal/chat"
)

// maxBody bounds the text of one message that is read, in bytes.
const maxBody = 8 << 10

// line is one message that was read.
type line struct {
	EventID   string `json:"event_id"`
	Sender    string `json:"sender"`
	Timestamp string `json:"timestamp"` // as the sender's server says, UTC
	Body      string `json:"body"`
	Edited    bool   `json:"edited,omitempty"`
	Cut       bool   `json:"cut,omitempty"`
}

// read lists the newest messages of the place that the agent has heard, oldest
// first.
func (t *toolkit) read(ctx context.Context, p place, args arguments) (any, error) {
	limit, fault := args.limit()
	if fault != nil {
		return nil, fault
	}
	messages, err := t.Journal.History(ctx, conversation(p), limit)
	if err != nil {
		return nil, laterf("the messages cannot be read right now: %v", err)
	}
	lines := make([]line, 0, len(messages))
	for _, m := range messages {
		body, cut := chat.Body(m.Content), false
		if len(body) > maxBody {
			body, cut = strings.ToValidUTF8(body[:maxBody], ""), true
		}
		lines = append(lines, line{
			EventID: m.EventID, Sender: m.Sender, Timestamp: time.UnixMilli(m.OriginTS).UTC().Format(time.RFC3339),
			Body: body, Edited: m.Edited, Cut: cut,
		})
	}
	r := ok(args.Action, p)
	r.Messages = &lines
	return r, nil
}
