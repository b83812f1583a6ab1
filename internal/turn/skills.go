package turn

import (
	"strings"

	"mindroom/internal/config"
	"mindroom/internal/skill"
	"mindroom/internal/tool"
)

// readSkill is the function by which an agent reads its skills.
var readSkill = tool.Name{Toolkit: config.OwnToolkit, Function: "read_skill"}

// findSkills looks for the agent's skills, and leaves the function that reads them out
// of a response that has none. One that cannot be used costs itself and not the answer.
func (r *response) findSkills() {
	found := skill.Of(r.snap.Config, r.agent.Name, r.workspace()).Find()
	r.skills = found.Skills
	if len(found.Left) > 0 {
		r.e.Log.Warn("the agent answers without some of its skills", "agent", r.agent.Name, "turn", r.id, "count", len(found.Left), "error", reasons(found.Left))
	}
	if len(found.Skills) == 0 && r.surface.Lookup(readSkill) != nil {
		r.surface = r.surface.Without(func(f *tool.Function) bool { return f.Name == readSkill })
	}
}

// readable are the skills that a prompt lists: those that the agent can read by a call.
// Where a rule keeps the function from it they are documents of minimal mode still.
func (r *response) readable() []skill.Skill {
	if r.surface.Lookup(readSkill) == nil {
		return nil
	}
	return r.skills
}

// maxReasons is how many skills that were left out the log names at once.
const maxReasons = 10

func reasons(left []skill.Left) string {
	var all []string
	for _, l := range left[:min(len(left), maxReasons)] {
		all = append(all, l.Error())
	}
	return strings.Join(all, "; ")
}
