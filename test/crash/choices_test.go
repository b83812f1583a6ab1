package crash

import (
	"fmt"
	"strings"

	"mindroom/internal/lifecycle/step"
	"mindroom/internal/person"
)

// question is what the rules ask, and the option that the person takes.
const (
	question = "Which way?"
	option   = "▶"
)

// playChoose has the primary die around a question with options; where nobody
// could choose before, the person does after the next start.
func (c *cell) playChoose() {
	c.t.Helper()
	c.begin()
	c.heard()
	c.arm()
	c.say("let me choose")
	switch c.row.At {
	case "":
		c.asks()
		c.kill()
	case step.ChoiceTaken:
		c.choose()
		c.killed()
	default:
		c.killed()
	}
}

// asks waits until the question is in the room with a reaction for each option.
func (c *cell) asks() (message person.Event) {
	c.t.Helper()
	c.must(c.until("a question with its options", func() (bool, error) {
		messages, buttons, err := c.questions()
		if len(messages) == 1 {
			message = messages[0]
		}
		return len(messages) == 1 && finished(messages[0]) && buttons == 2, err
	}))
	return message
}

// questions are the messages that ask, and how many reactions of the agent are
// under them.
func (c *cell) questions() (messages []person.Event, buttons int, err error) {
	all, err := c.person.Timeline(c.within(), c.room, 500)
	if err != nil {
		return nil, 0, err
	}
	gone := map[string]bool{}
	for _, e := range all {
		if redacts, _ := e.Content["redacts"].(string); redacts != "" {
			gone[redacts] = true
		}
	}
	for _, e := range all {
		if e.Type == "m.reaction" && e.Sender != c.person.UserID && !gone[e.ID] && len(e.Content) > 0 {
			buttons++
		}
	}
	for _, e := range person.Fold(all) {
		if asks(e) && e.Sender != c.person.UserID {
			messages = append(messages, e)
		}
	}
	return messages, buttons, nil
}

// asks reports whether a message asks, or did: it is no answer to a choice.
func asks(e person.Event) bool { return strings.Contains(e.Body(), question+"\n") }

// choose reacts to the question as a person does.
func (c *cell) choose() {
	c.t.Helper()
	_, err := c.person.React(c.within(), c.room, c.asks().ID, option)
	c.must(err)
}

// choiceAsTold holds that a question was asked once, is shown with its choice, and
// that none of its options is left to be taken.
func (c *cell) choiceAsTold() {
	c.t.Helper()
	if c.row.Play != Choose {
		return
	}
	var said string
	err := c.until("the question is shown as it ended", func() (bool, error) {
		messages, buttons, err := c.questions()
		said = fmt.Sprintf("%d questions, %d options left", len(messages), buttons)
		if len(messages) > 0 {
			said += ": " + messages[0].Body()
		}
		return len(messages) == 1 && buttons == 0 && strings.Contains(messages[0].Body(), "✓ "+option+" Right"), err
	})
	if err != nil {
		c.t.Errorf("%v; %s", err, said)
	}
	if n, err := c.number(`SELECT count(*) FROM turns`); n != 2 || err != nil {
		c.t.Errorf("%d turns for a message and a choice, %v", n, err)
	}
}
