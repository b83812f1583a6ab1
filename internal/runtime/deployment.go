package runtime

import "mindroom/internal/mode"

// deployment is what of this installation minimal mode and the turn CLI hang on.
func (p *primary) deployment() mode.Deployment {
	_, err := p.launcher()
	return mode.Deployment{API: p.api != nil, EnvFile: p.env.File(), AgentCLI: err}
}
