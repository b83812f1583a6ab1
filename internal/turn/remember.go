package turn

import (
	"mindroom/internal/config"
	"mindroom/internal/memory"
)

// remembered is what of MEMORY.md the prompt shows: that of the workspace in
// which the agent works for this requester. A file that cannot be read costs the
// memory and not the answer.
func (r *response) remembered() memory.Brief {
	dir := r.workspace()
	if r.agent.MemoryBackend != config.MemoryFile || dir == "" {
		return memory.Brief{}
	}
	brief, err := memory.ReadBrief(dir)
	if err != nil {
		r.e.Log.Warn("the agent answers without its memory", "agent", r.agent.Name, "turn", r.id, "error", err)
	}
	return brief
}
