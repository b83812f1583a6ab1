package turn

import (
	"mindroom/internal/contextfile"
	"mindroom/internal/prompt"
)

// contextFiles are the agent's context files that are there, whole, from the workspace
// in which it works for this requester (spec/runtime.md 7.2). One that cannot be read
// costs itself and not the answer.
func (r *response) contextFiles() []prompt.ContextFile {
	files, faults := contextfile.Read(r.workspace(), r.agent.ContextFiles)
	for _, fault := range faults {
		r.e.Log.Warn("the agent answers without a context file", "agent", r.agent.Name, "turn", r.id, "error", fault)
	}
	var all []prompt.ContextFile
	for _, f := range files {
		all = append(all, prompt.ContextFile(f))
	}
	return all
}
