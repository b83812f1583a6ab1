package skill

import (
	"fmt"

	"mindroom/internal/config"
)

// Validate tells, at its place in the file, each skill that an agent is given and that
// cannot be used as things are. It is a warning: the agent works without it.
func Validate(c *config.Config) config.Warnings {
	var all config.Warnings
	for _, name := range c.AgentNames() {
		a := c.Agents[name]
		left := map[string]string{}
		for _, l := range Of(c, name, "").Find().Left {
			left[l.Name] = l.Why
		}
		for i, s := range a.Skills {
			if why, ok := left[s.Name]; ok {
				all = append(all, config.Warning{Pos: s.Pos, Path: fmt.Sprintf("agents.%s.skills[%d]", name, i),
					Message: fmt.Sprintf("the agent goes without the skill %s: %s", s.Name, why)})
			}
		}
	}
	return all
}
