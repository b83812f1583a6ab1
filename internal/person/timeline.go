package person

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strconv"

	"maunium.net/go/mautrix"
	"maunium.net/go/mautrix/event"
	"maunium.net/go/mautrix/id"
)

// Timeline is the newest limit events of a room, oldest first, read from the
// server and not from what was followed.
func (c *Client) Timeline(ctx context.Context, room string, limit int) ([]Event, error) {
	var out []Event
	from := ""
	for len(out) < limit {
		r, err := c.api.Messages(ctx, id.RoomID(room), from, "", mautrix.DirectionBackward, nil, min(limit-len(out), 100))
		if err != nil {
			return nil, fmt.Errorf("timeline of %s: %w", room, err)
		}
		for _, e := range r.Chunk {
			out = append(out, c.opened(ctx, room, e))
		}
		if len(r.Chunk) == 0 || r.End == "" || r.End == from {
			break
		}
		from = r.End
	}
	slices.Reverse(out)
	return out, nil
}

// Thread is every event of a thread, oldest first, the root not included. It
// reads /v1 relations page by page; a bundle in unsigned is never relied upon.
func (c *Client) Thread(ctx context.Context, room, root string) ([]Event, error) {
	return c.relations(ctx, room, root, "m.thread")
}

// Edits is every edit of an event, oldest first.
func (c *Client) Edits(ctx context.Context, room, target string) ([]Event, error) {
	return c.relations(ctx, room, target, "m.replace")
}

func (c *Client) relations(ctx context.Context, room, target, kind string) ([]Event, error) {
	var out []Event
	from := ""
	for {
		query := map[string]string{"dir": "f", "limit": strconv.Itoa(50)}
		if from != "" {
			query["from"] = from
		}
		var page struct {
			Chunk     []*event.Event `json:"chunk"`
			NextBatch string         `json:"next_batch"`
		}
		u := c.api.BuildURLWithQuery(mautrix.ClientURLPath{"v1", "rooms", room, "relations", target, kind}, query)
		if _, err := c.api.MakeRequest(ctx, http.MethodGet, u, nil, &page); err != nil {
			return nil, fmt.Errorf("%s of %s in %s: %w", kind, target, room, err)
		}
		for _, e := range page.Chunk {
			out = append(out, c.opened(ctx, room, e))
		}
		if len(page.Chunk) == 0 || page.NextBatch == "" || page.NextBatch == from {
			return out, nil
		}
		from = page.NextBatch
	}
}
