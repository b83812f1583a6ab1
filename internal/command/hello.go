package command

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/config"
)

// Hello is !hi: who is here that the person may talk to, and how.
func Hello(r Residents) Command {
	return Command{
		Name: "hi", Who: Anybody, Brief: "Who is here, and how to talk to them.",
		Help: "`!hi` lists the agents of this room that you may talk to, with the names to mention them by.",
		Run: func(ctx context.Context, c Call) (string, error) {
			agents := r.For(ctx, c.Room, c.Person, c.Snapshot)
			if len(agents) == 0 {
				return "👋 No agent of this room may answer you. An operator decides that in the configuration, under `authorization`.", nil
			}
			return "👋 You can talk to:\n\n" + introduce(agents) + "\n" + r.manners(agents, c.Room), nil
		},
	}
}

// introduce is a line for each agent.
func introduce(agents []*config.Agent) string {
	var b strings.Builder
	for _, a := range agents {
		name := a.DisplayName
		if name == "" {
			name = a.Name
		}
		fmt.Fprintf(&b, "- **%s** (`@%s`)", name, a.Name)
		if role := strings.Join(strings.Fields(a.Role), " "); role != "" {
			fmt.Fprintf(&b, ": %s", role)
		}
		b.WriteString("\n")
	}
	return b.String()
}

// manners says how one talks to the agents of a room.
func (r Residents) manners(agents []*config.Agent, room string) string {
	threads := false
	for _, a := range agents {
		threads = threads || r.Mode(a, room) == config.ModeThread
	}
	var lines []string
	if len(agents) == 1 {
		lines = append(lines, "Just write: a message here is answered, with or without a mention.")
	} else {
		lines = append(lines, "Mention the one you mean, as in `@"+agents[0].Name+" hello`.")
	}
	if threads {
		lines = append(lines, "The answer comes in a thread; whoever answered there goes on without a mention.")
	} else {
		lines = append(lines, "The answer comes here in the room.")
	}
	lines = append(lines, "A 🛑 reaction on a growing answer, or `!stop`, ends it. `!help` lists what else there is.")
	return strings.Join(lines, " ")
}
