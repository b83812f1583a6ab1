package openai

import (
	"os"
	"strings"
	"testing"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

// The body for a transcript with everything in it. A diff here is a change of what is sent: read it.
func TestBodyOfALongTranscript(t *testing.T) {
	t.Parallel()
	want, err := os.ReadFile("testdata/long.json")
	if err != nil {
		t.Fatal(err)
	}
	got := dialect.Body(t, modeltest.Long("openai", []byte(`{"google":{"thought_signature":"sig=="}}`)))
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
		"defaults": {nil, model.Request{}, []string{`"stream":true`, `"include_usage":true`, `"model":"m"`}, []string{"temperature", "max_tokens", "max_completion_tokens", "tools"}},
		"kwargs": {
			map[string]any{"max_tokens": 99, "temperature": 1, "top_p": 0.9, "reasoning_effort": "low", "extra_body": map[string]any{"num_ctx": 4096}},
			model.Request{},
			[]string{`"max_tokens":99`, `"temperature":1`, `"top_p":0.9`, `"reasoning_effort":"low"`, `"num_ctx":4096`},
			[]string{"max_completion_tokens"},
		},
		"the request wins": {
			map[string]any{"max_tokens": 99, "temperature": 1},
			model.Request{MaxTokens: 7, Temperature: &half, Model: "other", Tools: []model.Tool{{Name: "a"}}},
			[]string{`"max_tokens":7`, `"temperature":0.5`, `"model":"other"`, `"parameters":{"type":"object","properties":{}}`},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := modeltest.NewServer(t)
			s.Frames = frames(modeltest.Reply{})
			p, err := Constructors()["llama_cpp"](model.Settings{ID: "m", Host: s.URL, ExtraKwargs: c.kwargs, HTTPClient: modeltest.Client(t)})
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
			if header := s.Headers()[0].Get("Authorization"); header != "" {
				t.Errorf("a server without a key was sent %q", header)
			}
		})
	}
}
