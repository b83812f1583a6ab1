package command

import (
	"context"
	"fmt"
	"slices"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// Welcome greets rooms that nothing was said in yet.
type Welcome struct {
	DB        *store.DB
	Outbox    Outbox
	Residents Residents
	Config    *config.Holder
	// Quiet reports whether so little was said in a room that it counts as empty.
	Quiet func(ctx context.Context, room string) (bool, error)
	// Stamp is the time as stored.
	Stamp func() string
}

// Greet decides once a room whether it is welcomed, and never again. key is the
// room's name in the configuration. account says it. An error leaves it to the
// next start.
func (w Welcome) Greet(ctx context.Context, account, key, room string) error {
	var decided bool
	err := w.DB.Read(ctx, func(q *store.Reader) error {
		return q.QueryRow(`SELECT COUNT(*) > 0 FROM command_welcomes WHERE room_id = $1`, room).Scan(&decided)
	})
	if err != nil || decided {
		return err
	}
	quiet, err := w.Quiet(ctx, room)
	if err != nil {
		return fmt.Errorf("look whether anything was said in %s: %w", key, err)
	}
	agents := w.at(key, room)
	post := quiet && len(agents) > 0
	return w.DB.Write(ctx, func(tx *store.Tx) error {
		n, err := tx.Exec(`INSERT INTO command_welcomes (room_id, posted, decided_at) VALUES ($1, $2, $3) ON CONFLICT (room_id) DO NOTHING`,
			room, post, w.Stamp())
		if err != nil || n == 0 || !post {
			return err
		}
		_, err = w.Outbox.Enqueue(tx, chat.Delivery{
			ID: "welcome:" + room, Conversation: chat.Conversation{Account: account, Room: room},
			Kind: chat.KindMessage, Type: "m.room.message",
			Content: message.Text("👋 **Welcome.** In this room live:\n\n"+introduce(agents)+"\n"+w.Residents.manners(agents, room),
				message.Notice(), message.With(message.KeySkipMentions, true), message.With(message.KeyProgram, "welcome")).Raw(),
		})
		return err
	})
}

// at lists the agents that the configuration puts into a room. Who is there
// already depends on how far the start is.
func (w Welcome) at(key, room string) []*config.Agent {
	c := w.Config.Current().Config
	names := append(w.Residents.Authority.Membership.RoomNames(room), key)
	var agents []*config.Agent
	for _, name := range c.AgentNames() {
		if slices.ContainsFunc(c.Agents[name].Rooms, func(r string) bool { return slices.Contains(names, r) }) {
			agents = append(agents, c.Agents[name])
		}
	}
	return agents
}
