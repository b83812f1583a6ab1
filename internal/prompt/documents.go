package prompt

import (
	"fmt"
	"strings"

	"mindroom/internal/skill"
	"mindroom/internal/tool"
)

// Document is something that an agent reads through mindroom-agent context, because
// its prompt does not hold it.
type Document struct {
	// Name is what `context read` takes: it stays the same while the configuration does,
	// and is never a path.
	Name string
	// Text is never empty and never cut.
	Text string
}

// DocumentFacts are what the documents are made from. What is empty has no document.
type DocumentFacts struct {
	// Role and Instructions are the operator's words; of a minimal authored subagent,
	// its own prompt and none of its caller's (M14).
	Role         string
	Instructions []string
	// Interactive is how the agent asks its requester, InteractiveGuide where that is
	// possible.
	Interactive string
	// Knowledge has one line for each source.
	Knowledge []string
	// Context are the files whose names a minimal prompt lists.
	Context []ContextFile
	// Skills are the agent's; of a minimal authored subagent, those it keeps (M14).
	Skills []skill.Skill
	// Toolkits is what toolkits say of themselves, as Guidance has it.
	Toolkits []string
	// System is the whole system prompt that standard mode would have.
	System string
}

// Documents are what of an agent's guidance a minimal prompt leaves out (M09,
// spec/agentcli.md 4.5): role, instructions, interactive, knowledge, context-N,
// skill-N, toolkit-N and agent-context, in this order. N is the position in its list from 1,
// also where an earlier one is empty and left out.
func Documents(f DocumentFacts) []Document {
	var all []Document
	add := func(name, text string) {
		if strings.TrimSpace(text) != "" {
			all = append(all, Document{name, text})
		}
	}
	add("role", f.Role)
	add("instructions", bullets("", f.Instructions))
	add("interactive", f.Interactive)
	add("knowledge", bullets("", f.Knowledge))
	for i, c := range f.Context {
		add(fmt.Sprintf("context-%d", i+1), c.Text)
	}
	for i, s := range f.Skills {
		add(fmt.Sprintf("skill-%d", i+1), skillDocument(s))
	}
	for i, text := range f.Toolkits {
		add(fmt.Sprintf("toolkit-%d", i+1), text)
	}
	add("agent-context", f.System)
	return all
}

// Guidance is what each toolkit of a surface says of itself, in their order: its name
// and purpose, and what its functions do. purpose is a toolkit's line for listings,
// empty where it has none; a toolkit without any function to offer has an empty text.
func Guidance(surface *tool.Surface, purpose func(toolkit string) string) []string {
	texts := make([]string, len(surface.Toolkits()))
	for i, toolkit := range surface.Toolkits() {
		var functions []string
		for _, f := range surface.Functions() {
			if f.Name.Toolkit == toolkit {
				functions = append(functions, "`"+f.Name.Function+"`: "+strings.TrimSpace(f.Description))
			}
		}
		if len(functions) > 0 {
			texts[i] = strings.TrimSpace("# "+toolkit+"\n"+purpose(toolkit)) + "\n\n" + strings.Join(functions, "\n\n")
		}
	}
	return texts
}
