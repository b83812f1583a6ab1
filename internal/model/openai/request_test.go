package openai

import (
	"os"
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
	keyless := func(t *testing.T, s *modeltest.Server) {
		if header := s.Headers()[0].Get("Authorization"); header != "" {
			t.Errorf("a server without a key was sent %q", header)
		}
	}
	modeltest.RunParameters(t, frames(modeltest.Reply{}), Constructors()["llama_cpp"], keyless, map[string]modeltest.Parameters{
		"defaults": {Want: []string{`"stream":true`, `"include_usage":true`, `"model":"m"`}, Absent: []string{"temperature", "max_tokens", "max_completion_tokens", "tools"}},
		"kwargs": {
			Kwargs: map[string]any{"max_tokens": 99, "temperature": 1, "top_p": 0.9, "reasoning_effort": "low", "extra_body": map[string]any{"num_ctx": 4096}},
			Want:   []string{`"max_tokens":99`, `"temperature":1`, `"top_p":0.9`, `"reasoning_effort":"low"`, `"num_ctx":4096`},
			Absent: []string{"max_completion_tokens"},
		},
		"the request wins": {
			Kwargs:  map[string]any{"max_tokens": 99, "temperature": 1},
			Request: model.Request{MaxTokens: 7, Temperature: &half, Model: "other", Tools: []model.Tool{{Name: "a"}}},
			Want:    []string{`"max_tokens":7`, `"temperature":0.5`, `"model":"other"`, `"parameters":{"type":"object","properties":{}}`},
		},
	})
}
