package story

import (
	"fmt"
	"os"
	"time"
)

// Options say how the story is played. Folder and Bin are required.
type Options struct {
	// Folder is where everything of the story lies; it must exist and be empty.
	Folder string
	// Bin holds the built binaries.
	Bin string
	// Poll is the watcher's POLL_SECONDS; 0 keeps the document's 15.
	Poll int
	// Encrypted has the room made encrypted, and the person read and write so.
	Encrypted bool
	// Progress gets lines about long steps; nil gets none.
	Progress func(string)
	// Step hears of each step when it was seen.
	Step func(Step)
	// Lookup is the environment that chooses the model; nil is os.LookupEnv.
	Lookup func(string) (string, bool)
	// Model is the model to use; nil chooses by Lookup.
	Model *Model
	// Patience bounds each step; 0 means 60 seconds, a real model may need more.
	Patience time.Duration
}

// Step is one step of the story that was seen.
type Step struct {
	// Name says what was seen.
	Name string
	// Detail is what there is to read, such as an answer.
	Detail string
	// At is the time since the story began, Took since the step before.
	At, Took time.Duration
}

// Model is which model the story uses.
type Model struct {
	// YAML is the flow mapping that stands under models.default.
	YAML string
	// Words tell a person.
	Words string
	// Offline is true for the scripted model.
	Offline bool
}

// ChooseModel takes the provider whose variable is set, else the offline model.
func ChooseModel(lookup func(string) (string, bool)) Model {
	if lookup == nil {
		lookup = os.LookupEnv
	}
	for _, c := range []struct{ variable, provider, name, fallback string }{
		{"ANTHROPIC_API_KEY", "anthropic", "MINDROOM_DEMO_MODEL", "claude-sonnet-5"},
		{"OPENAI_API_KEY", "openai", "MINDROOM_DEMO_MODEL", "gpt-5-mini"},
		{"OLLAMA_HOST", "ollama", "MINDROOM_DEMO_MODEL", "qwen3"},
	} {
		if v, ok := lookup(c.variable); !ok || v == "" {
			continue
		}
		id, ok := lookup(c.name)
		if !ok || id == "" {
			id = c.fallback
		}
		return Model{
			YAML:  fmt.Sprintf("{provider: %s, id: %q}", c.provider, id),
			Words: fmt.Sprintf("%s %s (because %s is set)", c.provider, id, c.variable),
		}
	}
	return Model{
		YAML:    "{provider: scripted, id: demo, extra_kwargs: {rules: rules.yaml}}",
		Words:   "scripted (offline): a file of rules, because none of ANTHROPIC_API_KEY, OPENAI_API_KEY and OLLAMA_HOST is set",
		Offline: true,
	}
}
