package doctor

import (
	"context"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/mode"
	"mindroom/internal/runtime"
)

// minimal tells for each agent whether it could be used in minimal mode (M29). It is no
// fault that one cannot.
func (p *patient) minimal(context.Context) []Finding {
	registry, err := runtime.Catalog()
	if err != nil {
		return []Finding{{"minimal mode", Fail, err.Error(), "this is a fault of the build: use another"}}
	}
	snap := &config.Snapshot{Number: 1, Config: p.cfg}
	var out []Finding
	for _, name := range p.cfg.AgentNames() {
		f := Finding{Check: "minimal " + name, Status: OK, Found: "the agent lacks nothing for it: !mode " + name + " minimal"}
		surface, err := registry.Surface(snap, name)
		if err != nil {
			f.Status, f.Found, f.Fix = Fail, err.Error(), "mindroom config validate names every fault with its place"
			out = append(out, f)
			continue
		}
		var missing []string
		for _, problem := range mode.Requirements(snap, surface, p.deployment()) {
			text := problem.Text
			if problem.Err != nil {
				text += " (" + problem.Err.Error() + ")"
			}
			missing = append(missing, text)
		}
		if len(missing) > 0 {
			f.Found = "not as it is: " + strings.ReplaceAll(strings.Join(missing, " "), "`", "")
		}
		out = append(out, f)
	}
	return out
}

// deployment is what a runtime that is started from here would have, with an API.
// Whether mindroom-agent is there is told once, by agentCLI, and not for each agent.
func (p *patient) deployment() mode.Deployment {
	return mode.Deployment{API: true, EnvFile: p.env.File()}
}
