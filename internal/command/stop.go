package command

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/authz"
	"mindroom/internal/config"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Response is an answer that has not come to its end, running or waiting.
type Response struct {
	// Turn is its id; Agent the configured name of who answers.
	Turn, Agent string
	// Requester is the canonical Matrix id of who is answered.
	Requester string
}

// Responses are the answers that can be stopped.
type Responses interface {
	// Live lists those of a room, or of one thread of it.
	Live(q store.Queryer, room, thread string) ([]Response, error)
	// Shown is the response whose message a delivery is, with whether it still
	// lives; false for any other delivery.
	Shown(q store.Queryer, delivery string) (r Response, live, ok bool, err error)
	// Cancel ends one in the caller's transaction, by a person; false when it had
	// ended before.
	Cancel(tx *store.Tx, turn, by string) (bool, error)
}

// Stopper ends responses for people: by !stop and by the button.
type Stopper struct {
	DB        *store.DB
	Responses Responses
	Authority authz.Authority
	Config    *config.Holder
	// Button is the key of the reaction.
	Button string
}

// Command is !stop.
func (s Stopper) Command() Command {
	return Command{
		Name: "stop", Who: Anybody, Changes: Always, Brief: "End your answers that are being written here.",
		Help: "In a thread, `!stop` ends your answers in that thread; outside of threads, all of yours in the room. What was written so far stays. " +
			"An admin of the room ends everybody's. A 🛑 reaction on one answer ends that one alone. Background scripts go on: ask their agent to cancel them.",
		Run: func(ctx context.Context, c Call) (string, error) {
			var stopped []string
			err := s.DB.Write(ctx, func(tx *store.Tx) error {
				stopped = nil
				all, err := s.Responses.Live(tx, c.Room, c.Thread)
				if err != nil {
					return err
				}
				for _, r := range all {
					if !mayStop(r, c.Person, c.RoomAdmin) {
						continue
					}
					was, err := s.Responses.Cancel(tx, r.Turn, c.Person)
					if err != nil {
						return err
					}
					if was {
						stopped = append(stopped, r.Agent)
					}
				}
				return nil
			})
			if err != nil {
				return "", fmt.Errorf("stop answers in %s: %w", c.Room, err)
			}
			return told(stopped, c), nil
		},
	}
}

func told(stopped []string, c Call) string {
	where := "in this room"
	if c.Thread != "" {
		where = "in this thread"
	}
	switch {
	case len(stopped) == 1:
		return fmt.Sprintf("🛑 Stopped the answer of %s.", stopped[0])
	case len(stopped) > 1:
		return fmt.Sprintf("🛑 Stopped %d answers.", len(stopped))
	case c.RoomAdmin:
		return "No answer is being written " + where + "."
	}
	return "No answer to you is being written " + where + "."
}

// mayStop holds sentence 7.
func mayStop(r Response, person string, admin bool) bool { return admin || r.Requester == person }

// Pressed decides about a person's reaction to one of our messages: claimed when
// it stops a response, later when that cannot be told now. do is to be carried
// out with the reaction. Anybody else's reaction, and one to an answer that has
// ended, is not claimed.
func (s Stopper) Pressed(ctx context.Context, room, sender, key, delivery string) (claimed, later bool, do func(*store.Tx) error, err error) {
	// Clients send the emoji with and without the mark that asks for colour.
	if strings.TrimSuffix(key, "\ufe0f") != s.Button {
		return false, false, nil, nil
	}
	var r Response
	var live, ok bool
	err = s.DB.Read(ctx, func(q *store.Reader) (err error) {
		r, live, ok, err = s.Responses.Shown(q, delivery)
		return err
	})
	if err != nil || !ok || !live {
		return false, false, nil, err
	}
	snap := s.Config.Current()
	person := snap.Config.Authorization.Canonical(sender)
	may := s.Authority.Reach(ctx, r.Agent, sender, room, snap)
	admin := tool.No
	if may == tool.Yes && r.Requester != person {
		admin = s.Authority.RoomAdmin(ctx, sender, room, snap)
	}
	switch {
	case may == tool.CannotTell || admin == tool.CannotTell:
		return true, true, nil, nil
	case may == tool.No || !mayStop(r, person, admin == tool.Yes):
		return false, false, nil, nil
	}
	return true, false, func(tx *store.Tx) error {
		_, err := s.Responses.Cancel(tx, r.Turn, person)
		return err
	}, nil
}
