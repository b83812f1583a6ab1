package prompt

import (
	"encoding/json"
	"strings"
	"testing"
)

// The guidance is there for who can ask and for nobody else, and the example of
// the guide is JSON of the form that it describes.
func TestAskingGuidance(t *testing.T) {
	t.Parallel()
	facts := Facts{DisplayName: "A", Asks: true, Now: noon}
	if !strings.Contains(System(facts), "`interactive`") {
		t.Error("an agent that may ask is not told how")
	}
	if facts.Asks = false; strings.Contains(System(facts), "interactive") {
		t.Error("an agent that cannot ask is told how")
	}
	_, rest, _ := strings.Cut(InteractiveGuide, "```interactive\n")
	block, _, closed := strings.Cut(rest, "\n```\n")
	var example struct {
		Question string
		Options  []struct{ Emoji, Label, Value string }
	}
	if err := json.Unmarshal([]byte(block), &example); err != nil || !closed {
		t.Fatalf("the example does not parse: %v", err)
	}
	if example.Question == "" || len(example.Options) != 2 || example.Options[1].Value != "month" {
		t.Errorf("the example reads %+v", example)
	}
}
