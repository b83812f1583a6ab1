package runtime

import (
	"context"
	"time"

	"mindroom/internal/lifecycle"
)

// groups are parts of the primary that stop one after another.
type groups struct {
	starting *lifecycle.Group
	intake   *lifecycle.Group
	answers  *lifecycle.Group
	wires    *lifecycle.Group
}

func newGroups(ctx context.Context) groups {
	return groups{lifecycle.New(ctx), lifecycle.New(ctx), lifecycle.New(ctx), lifecycle.New(ctx)}
}

// arrange says in what order everything stops: the last step here is the first
// to run. The store and the listeners were added before and stop last.
func (p *primary) arrange() {
	for _, step := range []lifecycle.Step{
		{Name: "file of the audit", Budget: time.Second, Stop: p.mirror.Stop},
		{Name: "transports", Budget: 2 * time.Second, Stop: func(ctx context.Context) error {
			defer p.network.Close()
			return p.wires.Stop(ctx)
		}},
		{Name: "last messages", Budget: 3 * time.Second, Stop: p.network.Drain},
		{Name: "process trees", Budget: 4 * time.Second, Stop: p.backend.Close},
		{Name: "MCP servers", Budget: 6 * time.Second, Stop: p.servers.Close},
		{Name: "shell commands", Budget: 4 * time.Second, Stop: p.processes.Close},
		{Name: "hooks", Budget: 2 * time.Second, Stop: p.hooks.Drain},
		{Name: "turn CLI", Budget: 3 * time.Second, Stop: p.cli.Close},
		{Name: "turns", Budget: 4 * time.Second, Stop: p.answers.Stop},
		{Name: "scripts", Budget: 8 * time.Second, Stop: p.scripts.Shutdown},
		{Name: "new messages", Budget: time.Second, Stop: p.intake.Stop},
		{Name: "start", Budget: time.Second, Stop: p.starting.Stop},
	} {
		p.group.OnStop(step)
	}
	// A part that fails by itself ends the whole: half a runtime would look
	// alive and do nothing.
	for name, g := range map[string]*lifecycle.Group{"start": p.starting, "new messages": p.intake, "turns": p.answers, "transports": p.wires} {
		p.group.Go("watch "+name, func(ctx context.Context) error {
			select {
			case <-ctx.Done():
				return nil
			case <-g.Context().Done():
				return failure(g.Context())
			}
		})
	}
}

// failure is why a group ended, or nil when it was told to stop.
func failure(ctx context.Context) error {
	if cause := context.Cause(ctx); cause != nil && cause != context.Canceled {
		return cause
	}
	return nil
}
