package openai

import (
	"errors"
	"strings"
	"testing"

	"mindroom/internal/model"
	"mindroom/internal/model/modeltest"
)

func TestAddress(t *testing.T) {
	t.Parallel()
	byName := make(map[string]flavour)
	for _, f := range flavours {
		byName[f.name] = f
	}
	for _, c := range []struct {
		flavour, kwarg, host string
		env                  []string
		want                 string
		own                  bool
	}{
		{"openai", "", "", nil, "https://api.openai.com/v1", true},
		{"openai", "", "", []string{"OPENAI_BASE_URL", "https://proxy.example/v1/"}, "https://proxy.example/v1", false},
		{"openai", "", "https://host.example/api", []string{"OPENAI_BASE_URL", "https://proxy.example"}, "https://host.example/api", false},
		{"openai", "https://kwarg.example/v1", "https://host.example", nil, "https://kwarg.example/v1", false},
		{"openai", "https://api.openai.com/v1/", "", nil, "https://api.openai.com/v1", true},
		{"openrouter", "", "", nil, "https://openrouter.ai/api/v1", true},
		{"ollama", "", "", nil, "http://localhost:11434/v1", true},
		{"ollama", "", "gpu.example", nil, "http://gpu.example:11434/v1", false},
		{"ollama", "", "", []string{"OLLAMA_HOST", "0.0.0.0"}, "http://localhost:11434/v1", false},
		{"ollama", "", "", []string{"OLLAMA_HOST", "0.0.0.0:1234"}, "http://localhost:1234/v1", false},
		{"ollama", "", "", []string{"OLLAMA_HOST", "http://[::1]:1234/"}, "http://[::1]:1234/v1", false},
		{"ollama", "", "https://ollama.example", nil, "https://ollama.example/v1", false},
		{"ollama", "", "http://gpu:1/v1/", nil, "http://gpu:1/v1", false},
		{"ollama", "", "http://gpu:1/sub/v1", nil, "http://gpu:1/sub/v1", false},
		{"llama_cpp", "", "", nil, "http://localhost:8080/v1", true},
		{"llama_cpp", "", "http://box:9000", nil, "http://box:9000/v1", false},
	} {
		got, own, err := byName[c.flavour].address(c.kwarg, model.Settings{Host: c.host, Getenv: modeltest.Environment(c.env...)})
		if err != nil || got != c.want || own != c.own {
			t.Errorf("%s %q %q %v: got %q, own %v, %v; want %q, own %v", c.flavour, c.kwarg, c.host, c.env, got, own, err, c.want, c.own)
		}
	}
	for _, bad := range []string{"ftp://host", "http://", "http://a b", "://"} {
		if _, _, err := byName["openai"].address(bad, model.Settings{}); err == nil {
			t.Errorf("the address %q was taken", bad)
		}
	}
}

func TestKeys(t *testing.T) {
	t.Parallel()
	for name, construct := range Constructors() {
		p, err := construct(model.Settings{ID: "m", HTTPClient: modeltest.Client(t), ExtraKwargs: nil})
		if err != nil {
			t.Errorf("%s: %v, want no error before somebody asks", name, err)
			continue
		}
		if p.Name() != name {
			t.Errorf("%s calls itself %s", name, p.Name())
		}
		if name == "ollama" || name == "llama_cpp" {
			continue
		}
		_, err = p.Stream(t.Context(), modeltest.Ask(), nil)
		var failure *model.Error
		if !errors.As(err, &failure) || failure.Kind != model.KindAuth || !strings.Contains(failure.Sentence(), "_API_KEY") {
			t.Errorf("%s without a key: %v, want auth with the name of the variable", name, err)
		}
	}
	if _, err := Constructors()["openai"](model.Settings{ExtraKwargs: map[string]any{"max_token": 1}}); err == nil {
		t.Error("an unknown key of extra_kwargs was taken")
	}
}
