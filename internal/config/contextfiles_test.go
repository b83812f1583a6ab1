package config

import (
	"slices"
	"testing"
)

// An agent's own files come before those of private, in the order of the file, each
// once; the room they have together has a default.
func TestContextFiles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		agent string
		want  []string
	}{
		"none":        {`x: {display_name: X}`, nil},
		"its own":     {`x: {display_name: X, context_files: [b.md, ./a.md]}`, []string{"b.md", "a.md"}},
		"of private":  {`x: {display_name: X, private: {per: user, context_files: [a.md]}}`, []string{"a.md"}},
		"both, twice": {`x: {display_name: X, context_files: [notes/b.md, a.md], private: {per: user, context_files: [c.md, notes/./b.md]}}`, []string{"notes/b.md", "a.md", "c.md"}},
	} {
		cfg, warnings := mustParse(t, toolkits(), "models: {default: {provider: scripted, id: demo}}\nagents: {"+c.agent+"}\nauthorization: {default_room_access: true}\n")
		if got := cfg.Agents["x"].ContextFiles; !slices.Equal(got, c.want) || len(warnings) != 0 || cfg.Defaults.MaxPreloadChars != 50_000 {
			t.Errorf("%s: %q, want %q; %v, %d characters", name, got, c.want, warnings, cfg.Defaults.MaxPreloadChars)
		}
	}
}
