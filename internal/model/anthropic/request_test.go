package anthropic

import (
	"encoding/json"
	"os"
	"strings"
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
	for name, c := range map[string]struct {
		kwargs map[string]any
		req    model.Request
		want   []string
		absent []string
	}{
		"defaults": {nil, model.Request{}, []string{`"max_tokens":8192`}, []string{"temperature", "thinking", "tools", "system"}},
		"kwargs": {
			map[string]any{"max_tokens": 99, "temperature": 1, "top_p": 0.9, "top_k": 4, "effort": "low",
				"thinking": map[string]any{"type": "adaptive"}, "extra_body": map[string]any{"service_tier": "auto"}},
			model.Request{},
			[]string{`"max_tokens":99`, `"temperature":1`, `"top_p":0.9`, `"top_k":4`, `"effort":"low"`, `"thinking":{"type":"adaptive"}`, `"service_tier":"auto"`},
			nil,
		},
		"the request wins": {
			map[string]any{"max_tokens": 99, "temperature": 1},
			model.Request{MaxTokens: 7, Temperature: &half, Model: "other"},
			[]string{`"max_tokens":7`, `"temperature":0.5`, `"model":"other"`},
			nil,
		},
		"no prompt: the mark is on the tools": {
			nil,
			model.Request{Tools: []model.Tool{{Name: "a"}, {Name: "b"}}},
			[]string{`"name":"b","cache_control":{"type":"ephemeral"}`, `"input_schema":{"type":"object","properties":{}}`},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.NewServer(t)
			s.Frames = frames(modeltest.Reply{})
			p, err := New(model.Settings{ID: "m", Host: s.URL, ExtraKwargs: c.kwargs, HTTPClient: modeltest.Client(t)})
			if err != nil {
				t.Fatal(err)
			}
			c.req.Messages = []model.Message{model.UserText("x")}
			if _, err := p.Stream(t.Context(), c.req, nil); err != nil {
				t.Fatal(err)
			}
			body := s.Bodies()[0]
			for _, want := range c.want {
				if !strings.Contains(body, want) {
					t.Errorf("%s is not in %s", want, body)
				}
			}
			for _, absent := range c.absent {
				if strings.Contains(body, `"`+absent+`"`) {
					t.Errorf("%s is in %s", absent, body)
				}
			}
		})
	}
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
