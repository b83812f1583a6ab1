package prompt

import (
	"fmt"
	"strings"
	"time"

	"mindroom/internal/skill"
)

// Facts are what a system prompt says. Empty fields are left out of it.
type Facts struct {
	// DisplayName and UserID are how the room sees the agent.
	DisplayName, UserID string
	// Role and Instructions are the operator's words.
	Role         string
	Instructions []string
	// Skills are what the agent can read with read_skill, AuthorsSkills that it can write its
	// own.
	Skills        []skill.Skill
	AuthorsSkills bool
	// Provider and Model name the model that answers.
	Provider, Model string
	// Subagent is the agent that a subagent works for; empty for an agent that answers
	// people.
	Subagent string
	// HasTools says that the agent may call functions at all.
	HasTools bool
	// Loadable are the toolkits it could load with load_tool.
	Loadable []string
	// CLI says that shell commands have mindroom-agent (M15).
	CLI bool
	// Asks says that the agent may end an answer with an interactive question.
	Asks bool
	// Workspace is the agent's folder; empty when it has none.
	Workspace string
	// Context are the context files, of which ContextLimit characters are shown together.
	Context      []ContextFile
	ContextLimit int
	// Memory is what of MEMORY.md is shown, MemoryMore that the file goes on; empty
	// without file memory.
	Memory     string
	MemoryMore bool
	// RoomName and Room are the room's name and id.
	RoomName, Room string
	// Thread is the root of the thread the answer goes to; empty in room mode.
	Thread string
	// Requester is the Matrix id of the person the agent acts for.
	Requester string
	// Now is shown in Zone; a nil Zone is UTC.
	Now  time.Time
	Zone *time.Location
}

// System writes the system prompt of an agent in standard mode.
func System(f Facts) string {
	var b strings.Builder
	section := func(text string) {
		if text = strings.TrimSpace(text); text == "" {
			return
		}
		if b.Len() > 0 {
			b.WriteString("\n\n")
		}
		b.WriteString(text)
	}
	section(identityText(f))
	section(f.Role)
	section(bullets("Instructions:", f.Instructions))
	section(skillsText(f.Skills, f.AuthorsSkills))
	if f.Subagent != "" {
		section(reporting(f.Subagent))
	} else {
		section(reading)
	}
	if f.HasTools {
		section(calling)
	}
	if len(f.Loadable) > 0 {
		section("You can have more tools: load_tool loads one of " + strings.Join(f.Loadable, ", ") + ", and list_tools says what they are for.")
	}
	if f.CLI {
		section(composing)
	}
	if f.Asks {
		section(asking)
	}
	if f.Workspace != "" {
		section("Your workspace is " + f.Workspace + ". Paths of file tools are relative to it. Long tool results are saved there under mindroom_tool_outputs/.")
	}
	section(contextText(f.Context, f.ContextLimit))
	section(memoryText(f.Memory, f.MemoryMore))
	section(place(f))
	section(today(f.Now, f.Zone))
	return b.String()
}

// today is the date without the time of day, which would differ in every request.
func today(now time.Time, zone *time.Location) string {
	if zone == nil {
		zone = time.UTC
	}
	return "Today is " + now.In(zone).Format("Monday, 2 January 2006") + " (time zone " + zone.String() + ")."
}

const reading = "Messages from people and other agents come as <msg from=\"…\" ts=\"…\"> elements: who said it, when, and what. " +
	"The last one is the one to answer. Answer in plain Markdown; never write a <msg> element and do not repeat the message you answer."

const calling = "Call the tools you were given where they help. Calls that do not depend on one another may be made together. " +
	"A result that says a call was denied or expired is a decision: do not repeat the call and do not work around it; say so. " +
	"A result that says the outcome is unknown means that the call may have taken effect: check before doing it again."

// composing is what an agent in standard mode reads of mindroom-agent.
const composing = "In your shell commands the program `mindroom-agent` calls your tools (`mindroom-agent --help`), so that one script can combine many calls and pass on only what matters."

func identityText(f Facts) string {
	who := "You are " + f.DisplayName
	if f.UserID != "" {
		who += " (" + f.UserID + ")"
	}
	who += ", an agent in a Matrix chat."
	if f.Model != "" {
		who += fmt.Sprintf(" You run on the model %s/%s.", f.Provider, f.Model)
	}
	return who
}

func place(f Facts) string {
	var lines []string
	if f.Room != "" {
		room := f.Room
		if f.RoomName != "" {
			room = f.RoomName + " (" + f.Room + ")"
		}
		where := "You are in the room " + room
		if f.Thread != "" {
			where += ", in the thread " + f.Thread
		}
		lines = append(lines, where+".")
	}
	if f.Requester != "" {
		lines = append(lines, "You act for "+f.Requester+".")
	}
	return strings.Join(lines, "\n")
}

func bullets(title string, items []string) string {
	var lines []string
	for _, item := range items {
		if item = strings.TrimSpace(item); item != "" {
			lines = append(lines, "- "+item)
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return strings.TrimPrefix(title+"\n", "\n") + strings.Join(lines, "\n")
}
