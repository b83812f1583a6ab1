package delegate

import (
	"context"
	"fmt"
	"slices"

	"mindroom/internal/config"
	"mindroom/internal/tool"
	"mindroom/internal/turn"
)

// Name is the toolkit's key; a configuration brings it by delegate_to.
const Name = "delegate"

// Children is what the toolkit drives. A *turn.Refusal is an answer to the agent.
type Children interface {
	RunSubagent(ctx context.Context, in tool.Invocation, t turn.Task) (turn.Report, error)
	ContinueSubagent(ctx context.Context, in tool.Invocation, id, message string) (turn.Report, error)
	Subagents(ctx context.Context, in tool.Invocation) ([]turn.Report, error)
	StopSubagent(ctx context.Context, in tool.Invocation, id string) (turn.Report, error)
	// CanBeMinimal reports whether an agent may be offered as a minimal subagent.
	CanBeMinimal(snap *config.Snapshot, agent string) bool
}

var _ Children = (*turn.Engine)(nil)

// New makes the toolkit. The engine is made after the registry, so it is asked for
// when a surface is built and with each call; nil means the runtime is not ready.
func New(children func() Children) tool.Toolkit {
	return tool.Toolkit{
		Name:    Name,
		Purpose: "Hand work to subagents, other agents or copies of yourself, and use their results.",
		Build: func(env tool.Env) ([]tool.Function, error) {
			a := env.Snapshot.Config.Agents[env.Agent]
			if a == nil || len(a.DelegateTo) == 0 {
				return nil, nil
			}
			return functions(children, offerOf(a, env.Snapshot, children())), nil
		},
	}
}

// offer is what one agent is offered.
type offer struct {
	targets []string
	// minimal are the targets that can be minimal.
	minimal []string
	// authored and background are offered at all.
	authored, background bool
}

func offerOf(a *config.Agent, snap *config.Snapshot, children Children) offer {
	o := offer{targets: a.DelegateTo, authored: slices.Contains(a.DelegateTo, a.Name), background: a.BackgroundJobs}
	for _, target := range a.DelegateTo {
		if children != nil && children.CanBeMinimal(snap, target) {
			o.minimal = append(o.minimal, target)
		}
	}
	return o
}

// depends is what the functions were built from beside the agent's settings.
func (o offer) depends() string { return fmt.Sprintf("%+v", o) }
