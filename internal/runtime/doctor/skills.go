package doctor

import (
	"context"
	"fmt"
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/runtime"
	"mindroom/internal/skill"
)

// maxFaults is how many skills that cannot be used are named for one agent.
const maxFaults = 10

// skills tells for each agent that has any which skills it has, and which it cannot use
// (M14). The workspaces of private agents, one for each requester, are not looked into.
func (p *patient) skills(context.Context) []Finding {
	snap := &config.Snapshot{Number: 1, Config: p.cfg}
	workspace := runtime.Workspace(p.set.StoragePath)
	var out []Finding
	for _, name := range p.cfg.AgentNames() {
		dir := ""
		if p.cfg.Agents[name].Private == nil {
			dir = workspace(snap, identity.Execution{Agent: name})
		}
		found := skill.Of(p.cfg, name, dir).Find()
		check := "skills " + name
		if len(found.Skills) > 0 {
			out = append(out, Finding{check, OK, told(found.Skills), ""})
		}
		for i, left := range found.Left {
			if i == maxFaults {
				out = append(out, Finding{check, Warn, fmt.Sprintf("%d more cannot be used", len(found.Left)-i), "mend those that are named first"})
				break
			}
			out = append(out, Finding{check, Warn, "goes without " + left.Error(), remedy(left)})
		}
	}
	return out
}

// told are skills in a line, the agent's own marked.
func told(skills []skill.Skill) string {
	var names []string
	for _, s := range skills {
		name := s.Name
		if s.Own {
			name += " (its own)"
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// remedy is where to mend a skill.
func remedy(l skill.Left) string {
	if l.Own {
		return "mend it in " + config.SkillsFolder + "/ of the agent's workspace, or remove it"
	}
	return "mend it in " + config.SkillsFolder + "/ beside the configuration file, or take it out of the agent's skills"
}
