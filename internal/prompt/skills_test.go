package prompt

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"mindroom/internal/skill"
)

// A prompt lists skills by name and purpose, after the instructions and never with what
// they say; without any it is not one byte longer (M14, spec/runtime.md 7.2).
func TestSkillsInThePrompt(t *testing.T) {
	t.Parallel()
	f := Facts{DisplayName: "Helper", Role: "You help.", Instructions: []string{"Be brief."}, Subagent: "lead"}
	without := System(f)
	f.AuthorsSkills = true
	if got := System(f); got != without {
		t.Errorf("without a skill the prompt is\n%s", got)
	}
	f.Skills = []skill.Skill{{Name: "greet", Description: "Greets people.", Instructions: "Say hello."}, {Name: "mine", Description: "Does it.", Instructions: "Do.", Own: true}}
	got := System(f)
	const list = "- Be brief.\n\nSkills, each the instructions for a kind of task. Before a task that one is for, read it with read_skill, and follow it:\n- greet: Greets people.\n- mine: Does it.\n"
	if !strings.Contains(got, list) || !strings.Contains(got, "skills/NAME/SKILL.md in your workspace") || strings.Contains(got, "Say hello.") {
		t.Errorf("the prompt is\n%s", got)
	}
	f.AuthorsSkills = false
	if got := System(f); !strings.Contains(got, strings.TrimSpace(list)) || strings.Contains(got, "skills/NAME") {
		t.Errorf("without a workspace of its own the prompt is\n%s", got)
	}
}

// The list is bounded whatever the descriptions are, and names every skill.
func TestTheListOfSkillsIsBounded(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 7, 8, 30, skill.MaxSkills} {
		var all []skill.Skill
		for i := range n {
			all = append(all, skill.Skill{Name: fmt.Sprintf("%064d", i), Description: strings.Repeat("ä", skill.MaxDescription)})
		}
		text := index(all)
		if got := utf8.RuneCountInString(text); got > maxIndex || strings.Count(text, "\n") != n-1 {
			t.Errorf("%d skills are listed in %d characters and %d lines", n, got, strings.Count(text, "\n")+1)
		}
		for _, s := range all {
			if !strings.Contains(text, "- "+s.Name+": ää") {
				t.Errorf("of %d skills %s is missing", n, s.Name)
			}
		}
	}
}

// A document holds all of a skill, under a name that is no path (spec/agentcli.md 4.5).
func TestSkillDocuments(t *testing.T) {
	t.Parallel()
	got := Documents(DocumentFacts{
		Context: []ContextFile{{"AGENTS.md", "x"}}, Toolkits: []string{"# web"},
		Skills: []skill.Skill{{Name: "greet", Description: "Greets people.", Instructions: "Say {hello}."}, {Name: "mine", Description: "d", Instructions: "i", Own: true}},
	})
	want := []Document{{"context-1", "x"}, {"skill-1", "# greet\n\nGreets people.\n\nSay {hello}."}, {"skill-2", "# mine\n\nd\n\ni"}, {"toolkit-1", "# web"}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("they are %q", got)
	}
}
