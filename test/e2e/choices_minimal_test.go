//go:build goolm

package e2e

import (
	"strings"
	"testing"
)

// choosingMinimal has an agent look up how to ask before it asks.
const choosingMinimal = `  - when: {user: 'let me choose', result: {tool: bash, text: '# Asking a question with options'}}
    say: |-
      ~~~interactive
      {"question": "Which way?", "options": [{"emoji": "◀️", "label": "Left", "value": "west"}, {"emoji": "▶️", "label": "Right", "value": "east"}]}
      ~~~
  - when: {user: 'let me choose'}
    call: [{tool: bash, args: {command: {file: guide.sh}}}]
  - when: {user: 'My choice for your question "Which way\?": .*\(value: (\w+)\)'}
    say: 'You chose ${1}.'
`

// In minimal mode an agent reads how to ask through mindroom-agent, asks in its
// answer as any agent does, and goes on with the choice in the same conversation
// and mode (M37).
func TestChoiceInMinimalMode(t *testing.T) {
	t.Parallel()
	b := newBasher(t, "", "", choosingMinimal, map[string]string{"guide": "mindroom-agent context read interactive | jq -r .text\n"})
	b.minimal()
	b.tells("let me choose")
	question := b.offered(b.anna, b.room, b.root)
	if !strings.HasPrefix(question.Body(), "🔧 `bash` [1]") {
		t.Errorf("the answer reads %q", question.Body())
	}
	b.reacts(b.anna, b.room, question.ID, "▶️")
	b.answer(b.anna, b.room, b.root, "You chose east.")
	b.chosen(b.anna, b.room, question, "▶️ Right")
	b.tells("let me choose again")
	b.offered(b.anna, b.room, b.root)
	b.tells("1")
	b.answer(b.anna, b.room, b.root, "You chose west.")
}
