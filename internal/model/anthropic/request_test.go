package anthropic

import (
	"encoding/json"
	"os"
	"testing"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

const thought = `{"signature":"sig==","thinking":"hm <&>","type":"thinking"}`

// The body for a transcript with everything in it. A diff here is a change of what is sent: read it.
func TestBodyOfALongTranscript(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/long.json")
	if err != nil {
		t.Fatal(err)
	}
	got := dialect.Body(t, modeltest.Long(Name, []byte(thought)))
	if got != string(want) {
		t.Errorf("the body changed; it is now:\n%s", got)
	}
}

func TestParameters(t *testing.T) {
	t.Parallel()
	half := 0.5
	modeltest.RunParameters(t, frames(modeltest.Reply{}), New, nil, map[string]modeltest.Parameters{
		"defaults": {Want: []string{`"max_tokens":8192`}, Absent: []string{"temperature", "thinking", "tools", "system"}},
		"kwargs": {
			Kwargs: map[string]any{"max_tokens": 99, "temperature": 1, "top_p": 0.9, "top_k": 4, "effort": "low",
				"thinking": map[string]any{"type": "adaptive"}, "extra_body": map[string]any{"service_tier": "auto"}},
			Want: []string{`"max_tokens":99`, `"temperature":1`, `"top_p":0.9`, `"top_k":4`, `"effort":"low"`, `"thinking":{"type":"adaptive"}`, `"service_tier":"auto"`},
		},
		"the request wins": {
			Kwargs:  map[string]any{"max_tokens": 99, "temperature": 1},
			Request: model.Request{MaxTokens: 7, Temperature: &half, Model: "other"},
			Want:    []string{`"max_tokens":7`, `"temperature":0.5`, `"model":"other"`},
		},
		"no prompt: the mark is on the tools": {
			Request: model.Request{Tools: []model.Tool{{Name: "a"}, {Name: "b"}}},
			Want:    []string{`"name":"b","cache_control":{"type":"ephemeral"}`, `"input_schema":{"type":"object","properties":{}}`},
		},
	})
}

// A shortened history may begin with an answer, and an answer may be nothing but blanks.
func TestOddConversations(t *testing.T) {
	t.Parallel()
	req := modeltest.Ask()
	req.Messages = []model.Message{
		{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart(" \n")}},
		{Role: model.RoleAssistant, Parts: []model.Part{model.TextPart("As I said.")}},
		model.UserText("Go on."),
	}
	var body struct {
		Messages []struct {
			Role    string
			Content []struct{ Text string }
		}
	}
	if err := json.Unmarshal([]byte(dialect.Body(t, req)), &body); err != nil {
		t.Fatal(err)
	}
	if len(body.Messages) != 3 || body.Messages[0].Role != "user" || body.Messages[1].Content[0].Text != "As I said." {
		t.Errorf("messages are %+v, want a user's first and no blank one", body.Messages)
	}
}

func TestForeignCallIDs(t *testing.T) {
	t.Parallel()
	if got := callID("toolu_01-A"); got != "toolu_01-A" {
		t.Errorf("a good id became %q", got)
	}
	a, b := callID("functions.a:0"), callID("functions.a;0")
	if a == b || a != callID("functions.a:0") || callID(a) != a {
		t.Errorf("foreign ids became %q and %q, want two stable good ones", a, b)
	}
}
