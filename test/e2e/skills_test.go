//go:build goolm

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const skilled = `
models: {default: {provider: scripted, id: skilled, extra_kwargs: {rules: rules.yaml}}}
agents:
  clerk: {display_name: Clerk, role: You keep the files., rooms: [operations], tools: [shell, file], memory_backend: file, skills: [greet], delegate_to: [clerk]}
authorization: {room_permissions: {operations: ["@ANNA@"]}}
defaults: {tools: []}
`

const skilledRules = `
version: 1
rules:
  - when: {user: '\bgreet\b', system: '- greet: Greets people\.'}
    call: [{tool: read_skill, args: {name: greet}}]
  - when: {user: '\bauthor\b', system: 'Skills, each'}
    call: [{tool: save_file, args: {file_name: skills/mine/SKILL.md, contents: {file: mine.md}}}]
  - when: {user: '\bmine\b', system: '- greet: Greets people\.\n- mine: Does it\.'}
    call: [{tool: read_skill, args: {name: mine}}]
  - when: {user: '\bcopy\b', system: 'You are Clerk'}
    call: [{tool: run_subagent, args: {task: look around, minimal: true, system_prompt: 'You are a copy.', tools: [shell]}}]
  - when: {user: '^look around', system: '^You are a copy\.'}
    call: [{tool: bash, args: {command: {file: look.sh}}}]
  - when: {result: {}}
    say: 'It says: ${result}'
  - when: {user: '(?s)'}
    say: 'I heard.'
`

// What a copy with Bash alone does with the skills it keeps.
const lookAtSkills = `
mindroom-agent context list
mindroom-agent context read skill-1
mindroom-agent context read role
mindroom-agent tools call agent.read_skill '{"name":"mine"}'
`

// An agent reads a skill of the operator's, which counts as it is at the time, writes
// one of its own, and an authored minimal copy of it keeps both (M14).
func TestSkills(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna")
	anna := people["anna"]
	h := newHouse(t, skilled, skilledRules, people)
	operators := filepath.Join(h.folder, "skills", "greet", "SKILL.md")
	h.must(os.MkdirAll(filepath.Dir(operators), 0o700))
	const greet = "---\nname: greet\ndescription: Greets people.\n---\nSay hello.\n"
	for path, text := range map[string]string{
		operators:                          greet,
		filepath.Join(h.folder, "mine.md"): "---\nname: mine\ndescription: Does it.\n---\nDo it.\n",
		filepath.Join(h.folder, "look.sh"): lookAtSkills,
	} {
		h.must(os.WriteFile(path, []byte(text), 0o600))
	}
	h.start()
	room := h.enter(anna)
	root, err := anna.Send(h.within(), room, "hello")
	h.must(err)
	h.said(anna, room, root, "I heard.")
	asks := func(text string, want ...string) {
		t.Helper()
		_, err := anna.SendThread(h.within(), room, root, text)
		h.must(err)
		answer := h.said(anna, room, root, want[0])
		for _, w := range want[1:] {
			if !strings.Contains(answer, w) {
				t.Errorf("the answer to %q lacks %q:\n%s", text, w, answer)
			}
		}
	}
	asks("please greet", `"text":"Say hello."`)
	h.must(os.WriteFile(operators, []byte(strings.Replace(greet, "hello", "good morning", 1)), 0o600))
	asks("now author one", `"file_name":"skills/mine/SKILL.md"`)
	asks("and do mine", `"text":"Do it."`, `"folder":"skills/mine"`)
	asks("greet again", `"text":"Say good morning."`)
	asks("send a copy", "skill-2", "Say good morning.", "You are a copy.", "Do it.")
}
