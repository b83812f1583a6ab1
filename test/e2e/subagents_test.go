//go:build goolm

package e2e

import (
	"strings"
	"testing"

	"mindroom/internal/approval"
	"mindroom/internal/person"
)

// delegating is an agent that hands work to another one, which is in no room itself
// and whose calls need an approval.
const delegating = `
models:
  default: {provider: scripted, id: delegating, extra_kwargs: {rules: rules.yaml}}
agents:
  lead: {display_name: Lead, rooms: [operations], delegate_to: [scout], background_jobs: true}
  scout: {display_name: Scout, tools: [website: {allow_private_addresses: true}], delegate_to: [deep]}
  deep: {display_name: Deep, delegate_to: [deeper]}
  deeper: {display_name: Deeper, delegate_to: [scout]}
authorization: {room_permissions: {operations: ["@ANNA@"]}}
tool_approval: {rules: [{match: read_url, action: require_approval}]}
defaults: {tools: []}
`

const delegatingRules = `
version: 1
rules:
  - when: {agent: lead, user: 'delegate (http[^\s<]+)'}
    call: [{tool: run_subagent, args: {agent_name: scout, task: 'fetch ${1}'}}]
  - when: {agent: lead, user: 'background (http[^\s<]+)'}
    call: [{tool: run_subagent, args: {task: 'fetch ${1}', background: true}}]
  - when: {agent: lead, user: 'ask (sub-\w+) for (\w+)'}
    call: [{tool: continue_subagent, args: {subagent_id: '${1}', message: 'now ${2}'}}]
  - when: {agent: lead, user: 'stop (sub-\w+)'}
    call: [{tool: stop_subagent, args: {subagent_id: '${1}'}}]
  - when: {agent: lead, user: 'has ended: (\w+)'}
    say: 'I hear that it is ${1}.'
  - when: {agent: lead, user: 'which'}
    call: [{tool: list_subagents, args: {}}]
  - when: {agent: lead, user: 'dig'}
    call: [{tool: run_subagent, args: {task: 'dig on'}}]
  - when: {agent: lead, result: {tool: list_subagents}}
    say: 'The list: ${result}'
  - when: {agent: lead, result: {text: '"status":"(\w+)"'}}
    say: '${result:/subagent_id} is ${result:/status}: ${result:/result}'
  - when: {agent: lead, result: {}}
    say: 'It was explained: ${result}'
  - when: {agent: scout, user: 'fetch (http\S+)'}
    call: [{tool: read_url, args: {url: '${1}'}}]
  - when: {agent: scout, user: 'now (\w+)', turn: 2}
    say: 'After that, ${1}.'
  - when: {user: 'dig on'}
    call: [{tool: run_subagent, args: {task: 'dig on'}}]
  - when: {result: {tool: read_url, failed: false}}
    say: 'It reads ${result:/0/content}.'
  - when: {result: {tool: read_url}}
    say: 'It does not read: ${result}'
  - when: {result: {tool: run_subagent, text: 'at most 3'}}
    say: 'deep enough'
  - when: {result: {tool: run_subagent}}
    say: 'from below: ${result:/result}'
`

// said waits for a finished message of an agent in a thread and returns its text.
func (h *house) said(c *person.Client, room, thread, has string) (text string) {
	h.t.Helper()
	h.until(c, room, "a message with "+has, func(_, messages []person.Event) bool {
		for _, m := range messages {
			if m.Sender != c.UserID && m.Content[approval.KeyCard] == nil && finished(m) && strings.Contains(m.Body(), has) && m.ThreadRoot() == thread {
				text = m.Body()
				return true
			}
		}
		return false
	})
	return text
}

// subagentIn is the id of the subagent that a text names.
func subagentIn(text string) string {
	_, rest, _ := strings.Cut(text, "sub-")
	return "sub-" + rest[:min(32, len(rest))]
}

// A subagent's call is approved in the thread of the answer by the person who asked;
// the subagent is continued, and a restart while it waits ends it honestly.
func TestSubagents(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna")
	anna := people["anna"]
	h := newHouse(t, delegating, delegatingRules, people)
	h.start()
	room := h.enter(anna)
	asked, err := anna.Send(h.within(), room, "delegate "+page.url+"/page")
	h.must(err)
	first := h.question(anna, room, 1, "pending")
	if first.card.ThreadRoot() != asked || first.card.Content["approver_user_id"] != anna.UserID || page.read() != 0 {
		t.Errorf("the card is %v", first.card.Content)
	}
	_, err = anna.React(h.within(), room, first.text.ID, "✅")
	h.must(err)
	text := h.said(anna, room, asked, "is completed: It reads all is well.")
	if !strings.Contains(text, "scout: read_url") || page.read() != 1 {
		t.Errorf("read %d times; the answer is %q", page.read(), text)
	}
	sub := subagentIn(text)
	_, err = anna.SendThread(h.within(), room, asked, "ask "+sub+" for tea")
	h.must(err)
	h.said(anna, room, asked, sub+" is completed: After that, tea.")

	dug, err := anna.Send(h.within(), room, "dig")
	h.must(err)
	h.said(anna, room, dug, "from below: from below: deep enough")

	asked, err = anna.Send(h.within(), room, "delegate "+page.url+"/page")
	h.must(err)
	h.question(anna, room, 2, "pending")
	h.kill()
	h.start()
	h.said(anna, room, asked, "interrupted by service restart")
	h.until(anna, room, "the question is withdrawn", func(raw, messages []person.Event) bool {
		all := questions(raw, messages)
		return len(all) == 2 && all[1].status() != "pending"
	})
	_, err = anna.SendThread(h.within(), room, asked, "which are there?")
	h.must(err)
	if list := h.said(anna, room, asked, "The list: "); !strings.Contains(list, `"status":"interrupted"`) || page.read() != 1 {
		t.Errorf("read %d times; %s", page.read(), list)
	}
}

// In the background a subagent outlives the answer; its end starts the agent again,
// and stop_subagent ends it.
func TestBackgroundSubagents(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	people := persons(t, "anna")
	anna := people["anna"]
	h := newHouse(t, delegating, delegatingRules, people)
	h.start()
	room := h.enter(anna)
	asked, err := anna.Send(h.within(), room, "background "+page.url+"/page")
	h.must(err)
	h.said(anna, room, asked, "is running:")
	first := h.question(anna, room, 1, "pending")
	_, err = anna.React(h.within(), room, first.text.ID, "✅")
	h.must(err)
	h.said(anna, room, asked, "I hear that it is completed.")
	if page.read() != 1 {
		t.Errorf("read %d times", page.read())
	}

	asked, err = anna.Send(h.within(), room, "background "+page.url+"/page")
	h.must(err)
	sub := subagentIn(h.said(anna, room, asked, "is running:"))
	h.question(anna, room, 2, "pending")
	_, err = anna.SendThread(h.within(), room, asked, "stop "+sub)
	h.must(err)
	h.said(anna, room, asked, sub+" is cancelled:")

	asked, err = anna.Send(h.within(), room, "background "+page.url+"/page")
	h.must(err)
	h.question(anna, room, 3, "pending")
	h.stop()
	h.start()
	h.said(anna, room, asked, "I hear that it is interrupted.")
	if page.read() != 1 {
		t.Errorf("read %d times", page.read())
	}
}
