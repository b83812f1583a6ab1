//go:build goolm

package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// shelling is an agent that starts minimal subagents; the rules would ask about what
// one of them tries to read.
const shelling = `
models:
  default: {provider: scripted, id: shelling, extra_kwargs: {rules: rules.yaml}}
agents:
  lead: {display_name: Lead, rooms: [operations], tools: [shell], memory_backend: file, delegate_to: [scout, lead, bare]}
  scout: {display_name: Scout, role: You scout., tools: [shell, file, website: {allow_private_addresses: true}], memory_backend: file}
  bare: {display_name: Bare, tools: [shell]}
authorization: {room_permissions: {operations: ["@ANNA@"]}}
tool_approval: {rules: [{match: read_url, action: require_approval}]}
defaults: {tools: []}
`

const shellingRules = `
version: 1
rules:
  - when: {agent: lead, user: '\bsmall\b'}
    call: [{tool: run_subagent, args: {agent_name: scout, task: look around, minimal: true}}]
  - when: {agent: lead, user: '\bbare\b'}
    call: [{tool: run_subagent, args: {agent_name: bare, task: look around, minimal: true}}]
  - when: {agent: lead, user: '\bauthored\b'}
    call: [{tool: run_subagent, args: {task: who are you, minimal: true, system_prompt: 'You are a clerk.', tools: [shell]}}]
  - when: {agent: lead, user: '\binside\b'}
    call: [{tool: bash, args: {command: {file: inside.sh}}}]
  - when: {user: '^look around', system: 'in minimal mode'}
    call: [{tool: bash, args: {command: {file: look.sh}}}]
  - when: {user: '^who are you', system: '^You are a clerk\.'}
    call: [{tool: bash, args: {command: {file: who.sh}}}]
  - when: {agent: lead, result: {tool: run_subagent, text: '"status":"(\w+)"'}}
    say: 'It ${result.1}: ${result:/result}'
  - when: {result: {}}
    say: 'It says: ${result}'
  - when: {user: '(?s)'}
    say: 'I heard.'
`

// What a subagent with Bash alone does with it.
const lookAround = `
mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}'; echo "read: $?"
mindroom-agent tools call file.list_files '{}' >/dev/null; echo "list: $?"
mindroom-agent context read role; echo "role: $?"
`

// Minimal subagents work end to end: by a call of the model and from inside a Bash,
// each with its own grant; what might ask is kept from them, one that cannot be is
// refused with the reason, and an authored one is who it was told to be (M11-M14).
func TestMinimalSubagents(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna")
	anna := people["anna"]
	h := newHouse(t, shelling, shellingRules, people)
	for name, text := range map[string]string{
		"look.sh":   strings.ReplaceAll(lookAround, "@SITE@", page.url),
		"who.sh":    "mindroom-agent context read role\nmindroom-agent tools list",
		"inside.sh": `mindroom-agent tools call delegate.run_subagent '{"agent_name":"scout","task":"look around","minimal":true}'`,
	} {
		h.must(os.WriteFile(filepath.Join(h.folder, name), []byte(text), 0o600))
	}
	h.start()
	room := h.enter(anna)
	root, err := anna.Send(h.within(), room, "hello")
	h.must(err)
	h.said(anna, room, root, "I heard.")
	ask := func(text, has string) string {
		_, err := anna.SendThread(h.within(), room, root, text)
		h.must(err)
		return h.said(anna, room, root, has)
	}
	found := []string{"read: 1", "list: 0", "You scout.", "role: 0"}
	answer := ask("small", "It completed: It says: ")
	for _, want := range append(found, "scout: bash") {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer lacks %q:\n%s", want, answer)
		}
	}
	if answer := ask("bare", "Start a new subagent without minimal."); !strings.Contains(answer, "no workspace") {
		t.Errorf("the refusal is %q", answer)
	}
	answer = ask("authored", `"toolkit":"shell"`)
	if !strings.Contains(answer, "You are a clerk.") || strings.Contains(answer, "delegate") {
		t.Errorf("the authored one says %q", answer)
	}
	ask("!mode lead minimal", "**minimal** mode")
	answer = ask("inside", `"function":"run_subagent"`)
	for _, want := range append(found, `"status":"completed"`) {
		if !strings.Contains(answer, want) {
			t.Errorf("the answer lacks %q:\n%s", want, answer)
		}
	}
	if page.read() != 0 {
		t.Errorf("what might ask was read %d times", page.read())
	}
}
