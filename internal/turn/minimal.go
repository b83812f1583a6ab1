package turn

import (
	"mindroom/internal/config"
	"mindroom/internal/prompt"
	"mindroom/internal/turncli"
)

// memoryFiles are the places of an agent's file memory in its workspace.
var memoryFiles = []string{"MEMORY.md", "memory/"}

// minimalSystem is the system prompt of minimal mode (M09, M10).
func (r *response) minimalSystem() string {
	f := prompt.MinimalFacts{
		DisplayName: r.agent.DisplayName, Name: r.row.agent, Toolkits: r.offered(),
		Room: r.row.room, RoomName: r.e.roomName(r.row.room), Thread: r.row.threadRoot, Requester: r.row.who.Requester,
		ContextFiles: r.contextPaths(), Now: r.e.Wall.Now(), Zone: r.snap.Config.Location, Instructions: r.agent.MinimalInstructions,
	}
	if r.child != nil {
		f.Subagent, f.Identity = r.child.sub.caller, r.child.sub.prompt
	}
	if r.agent.MemoryBackend == config.MemoryFile {
		f.MemoryFiles = memoryFiles
	}
	return prompt.Minimal(f)
}

// contextPaths are the context files that are there.
func (r *response) contextPaths() []string {
	var paths []string
	for _, f := range r.contextFiles() {
		paths = append(paths, f.Path)
	}
	return paths
}

// offered are the toolkits that have something to call.
func (r *response) offered() []string {
	var names []string
	for _, f := range r.surface.Functions() {
		names = append(names, f.Name.Toolkit)
	}
	return names
}

// asking is how the agent asks a question with options; empty where none is kept.
func (r *response) asking() string {
	if r.e.Questions == nil || r.child != nil {
		return ""
	}
	return prompt.InteractiveGuide
}

// documents are what of the standard prompt a minimal one leaves out (C11, M09).
func (r *response) documents() []turncli.Document {
	var all []turncli.Document
	role, instructions := r.agent.Role, r.agent.Instructions
	if r.child != nil && r.child.sub.prompt != "" {
		role, instructions = r.child.sub.prompt, nil // and nothing of its caller's (M14)
	}
	for _, d := range prompt.Documents(prompt.DocumentFacts{
		Context: r.contextFiles(), Skills: r.skills, Role: role, Instructions: instructions, Interactive: r.asking(),
		Toolkits: prompt.Guidance(r.surface, r.e.Room.Registry.Purpose), System: r.standardSystem(),
	}) {
		all = append(all, turncli.Document(d))
	}
	return all
}
