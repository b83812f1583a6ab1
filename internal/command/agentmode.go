package command

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/mode"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// AgentModes is what !mode works on. Every field is needed.
type AgentModes struct {
	// Residents.Authority decides who may use an agent, Residents.Mode what a
	// conversation of it is.
	Residents Residents
	DB        *store.DB
	Choices   mode.Choices
	// Surface is an agent's tools under a configuration; *tool.Registry.Surface.
	Surface func(snap *config.Snapshot, agent string) (*tool.Surface, error)
	// Deployment is what all agents share, at the moment.
	Deployment func() mode.Deployment
}

// action is the second word of !mode.
type action string

// The actions. show is what is meant without one.
const (
	actMinimal  action = "minimal"
	actStandard action = "standard"
	actShow     action = "show"
	actReset    action = "reset"
)

// order is what !mode was asked for. No agent means all of them.
type order struct {
	agent string
	do    action
}

// parseOrder reads the words after !mode: none, an agent, or an agent and an action.
// Both are matched as they are written, an "@" before the agent aside (spec/agentcli.md 6).
func parseOrder(args string) (o order, ok bool) {
	words := strings.FieldsFunc(args, isSpace)
	switch len(words) {
	case 0:
		return order{do: actShow}, true
	case 1:
		o = order{words[0], actShow}
	case 2:
		o = order{words[0], action(words[1])}
	default:
		return order{}, false
	}
	o.agent = strings.TrimPrefix(o.agent, "@")
	return o, o.agent != "" && slices.Contains([]action{actMinimal, actStandard, actShow, actReset}, o.do)
}

// Command is !mode: the interface of one agent to its tools in one conversation
// (M02-M08). It changes neither config.yaml nor what an agent may call (M40).
func (m AgentModes) Command() Command {
	return Command{
		Name: "mode", Usage: "[agent] [minimal|standard|show|reset]", Who: Anybody, Brief: "How an agent reaches its tools in this conversation.",
		Help: "`!mode helper minimal` gives the agent helper a short prompt and one Bash tool in this conversation, from its next answer on; it reaches its other tools through " +
			"`mindroom-agent` in that Bash. `!mode helper standard` and `!mode helper reset` go back to the whole prompt and all tools, which is the default. " +
			"`!mode helper show` tells how it is, `!mode` tells it of every agent here that you may talk to. An agent that answers in threads is switched inside one of its threads, one that answers " +
			"in the room for the whole room. A private agent is switched for you alone. The choice outlives a restart. " +
			"Where something is missing for minimal mode, everything that is missing is told, and nothing changes.",
		Changes: func(args string) bool { o, ok := parseOrder(args); return ok && o.do != actShow },
		Run: func(ctx context.Context, c Call) (string, error) {
			o, ok := parseOrder(c.Args)
			switch {
			case !ok:
				return textModeUsage, nil
			case o.agent == "":
				return m.list(ctx, c)
			}
			return m.one(ctx, c, o)
		},
	}
}

const (
	textModeUsage = "❌ Write `!mode AGENT` with `minimal`, `standard`, `show` or `reset`, or `!mode` alone to see how it is."
	// textNoAccess is one text for no and for what cannot be told yet, so that nothing
	// is learned of an agent by asking.
	textNoAccess = "❌ Access denied: you may not use this agent in this room, or it is not known yet who is in the room."
	textNoThread = "❌ `%s` answers in threads here, each a conversation of its own: write `!mode` inside the thread that you mean."
)

// one carries an order for one agent out. What refuses does so before anything of
// the choices is read.
func (m AgentModes) one(ctx context.Context, c Call, o order) (string, error) {
	a := c.Snapshot.Config.Agents[o.agent]
	if a == nil {
		return m.unknown(ctx, c, o.agent), nil
	}
	who := identity.InThread(a.Name, c.Person, c.Room, c.Thread)
	if m.Residents.Authority.May(ctx, who, c.Snapshot) != tool.Yes {
		return textNoAccess, nil
	}
	threads := m.Residents.Mode(a, c.Room)
	if threads != config.ModeRoom && c.Thread == "" {
		return fmt.Sprintf(textNoThread, a.Name), nil
	}
	key := mode.KeyFor(a, who, threads)
	switch o.do {
	case actShow:
		return m.show(ctx, c, a, key)
	case actMinimal:
		missing, err := m.missing(c.Snapshot, a.Name)
		if err != nil || len(missing) > 0 {
			return m.refusal(a.Name, missing), err
		}
		return m.choose(ctx, c, a, key, mode.Minimal)
	}
	return m.choose(ctx, c, a, key, mode.Standard)
}

func (m AgentModes) choose(ctx context.Context, c Call, a *config.Agent, key mode.Key, chosen mode.Mode) (string, error) {
	if err := m.DB.Write(ctx, func(tx *store.Tx) error { return m.Choices.Set(tx, key, chosen, c.Person) }); err != nil {
		return "", err
	}
	return fmt.Sprintf("✅ `%s` uses **%s** mode in this conversation%s, from its next answer on.", a.Name, chosen, forWhom(a)), nil
}

func (m AgentModes) get(ctx context.Context, key mode.Key) (chosen mode.Mode, err error) {
	err = m.DB.Read(ctx, func(q *store.Reader) (err error) {
		chosen, err = m.Choices.Get(q, key)
		return err
	})
	return chosen, err
}

func (m AgentModes) missing(snap *config.Snapshot, agent string) ([]mode.Problem, error) {
	surface, err := m.Surface(snap, agent)
	if err != nil {
		return nil, err
	}
	return mode.Requirements(snap, surface, m.Deployment()), nil
}
