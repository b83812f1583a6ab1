package prompt

import (
	"strings"
	"unicode/utf8"

	"mindroom/internal/skill"
)

// maxIndex bounds the list of skills in a prompt, in characters. It holds the names of
// as many as an agent can have (skill.MaxSkills), each with the least of its words.
const maxIndex = 8000

// leastWords is the least that is shown of a description, in characters.
const leastWords = 32

// skillsText lists the skills of an agent by name and purpose; what they say in full it
// reads when it needs it. authors says that it may write its own (spec/runtime.md 7.2).
func skillsText(skills []skill.Skill, authors bool) string {
	if len(skills) == 0 {
		return ""
	}
	text := "Skills, each the instructions for a kind of task. Before a task that one is for, read it with read_skill, and follow it:\n" + index(skills)
	if authors {
		text += "\nWhat you learn to do well you can write down as a skill of your own: skills/NAME/SKILL.md in your workspace, with name and description between two lines of --- before the instructions."
	}
	return text
}

// index is one line a skill; where all of them are too long, each description is cut.
func index(skills []skill.Skill) string {
	for most := skill.MaxDescription; ; most /= 2 {
		var lines []string
		for _, s := range skills {
			lines = append(lines, "- "+s.Name+": "+short(s.Description, most))
		}
		text := strings.Join(lines, "\n")
		if utf8.RuneCountInString(text) <= maxIndex || most/2 < leastWords {
			return text
		}
	}
}

// short is a text of at most n characters.
func short(text string, n int) string {
	if utf8.RuneCountInString(text) <= n {
		return text
	}
	return strings.TrimSpace(head(text, n-1)) + "…"
}

// skillDocument is a skill as a document: its name, what it is for, and all that it says.
func skillDocument(s skill.Skill) string {
	return "# " + s.Name + "\n\n" + s.Description + "\n\n" + s.Instructions
}
