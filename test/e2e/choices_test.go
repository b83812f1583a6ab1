//go:build goolm

package e2e

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/person"
	"mindroom/test/homeserver"
)

// choosing is an agent that asks questions with options, for two people.
const choosing = `
models:
  default: {provider: scripted, id: choosing, extra_kwargs: {rules: rules.yaml}}
agents:
  guide:
    display_name: Guide
    rooms: [operations]
authorization:
  room_permissions: {operations: ["@ANNA@", "@BEN@"]}
defaults: {tools: []}
`

const choosingRules = `
version: 1
rules:
  - name: offer a choice
    when: {user: '\blet me choose\b'}
    say: |-
      There are two ways.

      ~~~interactive
      {"question": "Which way?", "options": [{"emoji": "◀️", "label": "Left", "value": "west"}, {"emoji": "▶️", "label": "Right", "value": "east"}]}
      ~~~
  - name: what was chosen
    when: {user: 'My choice for your question "Which way\?": .*\(value: (\w+)\)'}
    say: 'You chose ${1}.'
  - name: anything else
    when: {user: '(?s)(.*)'}
    say: 'I heard: ${1}'
`

// offered waits for the question in the thread of a message (empty: the room
// itself), with a reaction for each of its two options.
func (h *house) offered(c *person.Client, room, thread string) (question person.Event) {
	h.t.Helper()
	h.until(c, room, "a question with its options", func(raw, messages []person.Event) bool {
		for _, m := range messages {
			if m.ThreadRoot() == thread && strings.HasSuffix(m.Body(), "Which way?\n\n1. ◀️ Left\n2. ▶️ Right\n\nReact with one of the emojis, or type its number.") && finished(m) {
				question = m
			}
		}
		return question.ID != "" && buttons(raw, question) == 2
	})
	return question
}

// buttons counts the reactions of the agent that are under its question.
func buttons(raw []person.Event, question person.Event) (n int) {
	for _, e := range raw {
		relates, _ := e.Content["m.relates_to"].(map[string]any)
		if e.Type == "m.reaction" && e.Sender == question.Sender && relates["event_id"] == question.ID && !redacted(raw, e.ID) {
			n++
		}
	}
	return n
}

func redacted(raw []person.Event, id string) bool {
	return slices.ContainsFunc(raw, func(e person.Event) bool { return e.Content["redacts"] == id })
}

// chosen waits until the question is shown with its choice and without options.
func (h *house) chosen(c *person.Client, room string, question person.Event, label string) {
	h.t.Helper()
	h.until(c, room, "the choice of "+label, func(raw, messages []person.Event) bool {
		return buttons(raw, question) == 0 && slices.ContainsFunc(messages, func(m person.Event) bool {
			return m.ID == question.ID && strings.HasSuffix(m.Body(), "Which way?\n\n✓ "+label)
		})
	})
}

func (h *house) reacts(c *person.Client, room, event, key string) {
	h.t.Helper()
	_, err := c.React(h.within(), room, event, key)
	h.must(err)
}

// A question is answered by the reaction of the person whom it was asked, and of
// nobody else, over a restart, once; the answer goes on in the same thread (M37).
func TestChoiceByReaction(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna, ben := people["anna"], people["ben"]
	h := newHouse(t, choosing, choosingRules, people)
	h.start()
	room := h.enter(anna, ben)
	asked, err := anna.Send(h.within(), room, "let me choose")
	h.must(err)
	question := h.offered(anna, room, asked)
	meta, _ := question.Content["io.mindroom.interactive"].(map[string]any)
	if meta["creator_agent"] != "guide" || meta["question_text"] != "Which way?" || meta["source_event_id"] != asked {
		t.Errorf("programs read %v", meta)
	}
	h.reacts(ben, room, question.ID, "◀️")
	h.stop()
	h.start()
	// What ben did is worked on before what anna does: both are of one room.
	h.reacts(anna, room, question.ID, "▶") // a client that leaves the mark out
	h.answer(anna, room, asked, "You chose east.")
	h.chosen(anna, room, question, "▶️ Right")
	h.reacts(anna, room, question.ID, "◀️")
	_, reply := h.says(anna, room, "are you there?")
	if !strings.HasPrefix(reply.Body(), "I heard") {
		t.Errorf("then it says %q", reply.Body())
	}
	messages := h.until(anna, room, "what there is", func(_, _ []person.Event) bool { return true })
	var said []string
	for _, m := range messages {
		if m.ThreadRoot() == asked {
			said = append(said, m.Body())
		}
	}
	if len(said) != 2 {
		t.Errorf("the thread reads %q", said)
	}
}

// The number of an option chooses it, as a message in the thread or as a reply to
// the question; any other message is answered, and closes the question.
func TestChoiceByNumber(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna := people["anna"]
	h := newHouse(t, choosing, choosingRules, people)
	h.start()
	room := h.enter(anna)
	in := func(root, body string) map[string]any {
		return map[string]any{"msgtype": "m.text", "body": body, "m.relates_to": map[string]any{
			"rel_type": "m.thread", "event_id": root, "is_falling_back": true, "m.in_reply_to": map[string]any{"event_id": root}}}
	}
	for _, c := range []struct {
		answer     func(root string, question person.Event) map[string]any
		says, ends string
	}{
		{func(root string, _ person.Event) map[string]any { return in(root, "1") }, "You chose west.", "✓ ◀️ Left"},
		{func(_ string, q person.Event) map[string]any { return replyTo("2", q.ID) }, "You chose east.", "✓ ▶️ Right"},
		{func(root string, _ person.Event) map[string]any { return in(root, "neither") }, "neither", "This question is closed."},
	} {
		asked, err := anna.Send(h.within(), room, "let me choose")
		h.must(err)
		question := h.offered(anna, room, asked)
		_, err = anna.SendEvent(h.within(), room, "m.room.message", c.answer(asked, question))
		h.must(err)
		h.answer(anna, room, asked, c.says)
		h.until(anna, room, "the question ends with "+c.ends, func(raw, messages []person.Event) bool {
			return buttons(raw, question) == 0 && slices.ContainsFunc(messages, func(m person.Event) bool {
				return m.ID == question.ID && strings.HasSuffix(m.Body(), c.ends)
			})
		})
	}
}

// Outside of threads the number is a message in the room, of the person whom the
// question was asked: another's number is a message like any other.
func TestChoiceInARoom(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna, ben := people["anna"], people["ben"]
	h := newHouse(t, strings.Replace(choosing, "rooms: [operations]", "rooms: [operations]\n    thread_mode: room", 1), choosingRules, people)
	h.start()
	room := h.enter(anna, ben)
	_, err := anna.Send(h.within(), room, "let me choose")
	h.must(err)
	question := h.offered(anna, room, "")
	_, err = ben.Send(h.within(), room, "1")
	h.must(err)
	h.answer(ben, room, "", "I heard: <msg")
	_, err = anna.Send(h.within(), room, "2")
	h.must(err)
	h.answer(anna, room, "", "You chose east.")
	h.chosen(anna, room, question, "▶️ Right")
}

// In an encrypted room the question, its choice and the answer are encrypted, over
// a restart; of what is in clear, reactions say no more than an emoji.
func TestChoiceInAnEncryptedRoom(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna := people["anna"]
	h := newHouse(t, strings.Replace(choosing, "authorization:", "rooms: {operations: {encrypted: true}}\nauthorization:", 1), choosingRules, people)
	h.must(anna.Secure(h.within()))
	h.start()
	room := h.enter(anna)
	witness := homeserver.Shared(t).Person(t, "witness")
	h.must(anna.Invite(h.within(), room, witness.UserID))
	_, err := witness.Join(h.within(), room)
	h.must(err)
	asked, err := anna.Send(h.within(), room, "let me choose")
	h.must(err)
	question := h.offered(anna, room, asked)
	if !question.Encrypted {
		t.Error("the question is in clear")
	}
	h.stop()
	h.start()
	h.reacts(anna, room, question.ID, "▶️")
	h.answer(anna, room, asked, "You chose east.")
	h.chosen(anna, room, question, "▶️ Right")

	asked, err = anna.Send(h.within(), room, "let me choose again")
	h.must(err)
	question = h.offered(anna, room, asked)
	_, err = anna.SendEvent(h.within(), room, "m.room.message", replyTo("1", question.ID))
	h.must(err)
	h.answer(anna, room, asked, "You chose west.")
	all, err := witness.Timeline(h.within(), room, 500)
	h.must(err)
	for _, e := range all {
		raw, err := json.Marshal(e.Content)
		h.must(err)
		if strings.Contains(string(raw), "Which way") || strings.Contains(string(raw), "Left") || strings.Contains(string(raw), "east") {
			t.Errorf("%s of %s in clear: %s", e.Type, e.Sender, raw)
		}
	}
}
