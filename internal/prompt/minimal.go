package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"
)

const (
	// maxList is the most characters of a line that names files or toolkits; what is
	// longer is counted, and where it is listed is said (spec/agentcli.md 4.2).
	maxList = 2000
	// maxMinimal bounds what the program itself writes of a minimal prompt, in characters.
	maxMinimal = 2600
)

// maxName is the most characters of a name that people chose, so that the prompt
// stays short whatever a room is called.
const maxName = 100

// MinimalFacts are what a minimal prompt says (M09, M10). Empty fields are left out.
type MinimalFacts struct {
	// DisplayName is what people see, Name the configured name.
	DisplayName, Name string
	// Identity is an authored subagent's prompt, which stands in place of the line that
	// says who the agent is (M14).
	Identity string
	// Subagent is the agent that a subagent works for; empty for an agent that answers
	// people.
	Subagent string
	// ContextFiles are the files of the workspace that a standard prompt would hold, those
	// that are there, relative to the workspace.
	ContextFiles []string
	// MemoryFiles are MEMORY.md and memory/ with file memory, relative to the workspace.
	MemoryFiles []string
	// Toolkits are the names that mindroom-agent knows, loaded and deferred, in any order.
	Toolkits []string
	// RoomName and Room are the room's name and id, Thread the root of the thread the
	// answer goes to, Requester the Matrix id of the person the agent acts for.
	RoomName, Room, Thread, Requester string
	// Now is shown in Zone; a nil Zone is UTC.
	Now  time.Time
	Zone *time.Location
	// Required is what one request has to say where the model cannot overlook it, such
	// as how an interrupted Bash ended; each text as it is.
	Required []string
	// Instructions are the operator's minimal_instructions, each as it is, in their order.
	Instructions []string
}

// Minimal writes the system prompt of an agent in minimal mode (M09, spec/agentcli.md
// 4.2). What the program writes of it has fewer than 2600 characters, however many
// files and toolkits there are; Identity, Required and Instructions come on top. No
// text of the operator is changed: braces in it mean nothing. What differs between
// requests comes last, but for the instructions, which end the prompt.
func Minimal(f MinimalFacts) string {
	files, toolkits := fileLine(f.ContextFiles), toolkitLine(f.Toolkits)
	identity := fmt.Sprintf("You are %s (agent `%s`), an agent in a Matrix chat, in minimal mode.", named(f.DisplayName), named(f.Name))
	whose := "Messages come as <msg> elements; the last one is the one to answer, in plain Markdown and without such an element."
	if f.Subagent != "" {
		whose = reporting(named(f.Subagent))
	}
	generated := func() []string {
		return filled(
			identity,
			whose,
			"Your one tool is Bash, and every command of it starts in your workspace.",
			files.String(),
			listed("Your memory is in the workspace: ", f.MemoryFiles),
			"Your other tools, and your full role, instructions and guidance, are reached from Bash: run `mindroom-agent --help`.",
			toolkits.String(),
			place(Facts{RoomName: named(f.RoomName), Room: f.Room, Thread: f.Thread, Requester: f.Requester}),
			today(f.Now, f.Zone),
		)
	}
	files.short, toolkits.short = files.length() > maxList, toolkits.length() > maxList
	for characters(generated()) >= maxMinimal && !(files.short && toolkits.short) {
		if files.length() >= toolkits.length() {
			files.short = true
		} else {
			toolkits.short = true
		}
	}
	lines := generated()
	if strings.TrimSpace(f.Identity) != "" {
		lines[0] = f.Identity
	}
	return strings.Join(slices.Concat(lines, filled(f.Required...), filled(f.Instructions...)), "\n")
}

// filled are the lines that say something.
func filled(lines ...string) []string {
	return slices.DeleteFunc(slices.Clone(lines), func(l string) bool { return strings.TrimSpace(l) == "" })
}

// characters is the length of lines as they stand in the prompt.
func characters(lines []string) int { return utf8.RuneCountInString(strings.Join(lines, "\n")) }

// list is a line that names things, or only counts them.
type list struct {
	whole, counted string
	short          bool
}

func (l list) String() string {
	if l.short {
		return l.counted
	}
	return l.whole
}

func (l list) length() int { return utf8.RuneCountInString(l.String()) }

func fileLine(files []string) list {
	return list{
		whole:   listed("Context files loaded for you, in the workspace: ", files),
		counted: fmt.Sprintf("%d context files are loaded for you; `mindroom-agent context list` lists them.", len(files)),
	}
}

func toolkitLine(toolkits []string) list {
	names := slices.Compact(slices.Sorted(slices.Values(toolkits)))
	return list{
		whole:   listed("Toolkits: ", names),
		counted: fmt.Sprintf("You have %d toolkits; `mindroom-agent tools list` lists them.", len(names)),
	}
}

// listed names items in one line; empty for none.
func listed(label string, items []string) string {
	if len(items) == 0 {
		return ""
	}
	return label + "`" + strings.Join(items, "`, `") + "`."
}

// named is a name in one line, cut where it is too long to be one.
func named(name string) string {
	name = strings.Join(strings.Fields(name), " ")
	if utf8.RuneCountInString(name) > maxName {
		return head(name, maxName-1) + "…"
	}
	return name
}
