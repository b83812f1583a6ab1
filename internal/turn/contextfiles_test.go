package turn

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/memory"
)

// A prompt holds the context files as they are at the time, as far as they fit, and
// nothing that lies elsewhere.
func TestContextFilesAreInThePrompt(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	put := func(name, text string) { must(t, os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600)) }
	put("AGENTS.md", "Count {twice}.")
	put("other.md", "not named")
	must(t, os.Symlink("/etc/hostname", filepath.Join(folder, "away.md")))
	b := newBundle(t, "", func(p *Parts) {
		registry, err := tool.NewRegistry(newTestTools().toolkit(), memory.New(time.Now))
		must(t, err)
		text := strings.Replace(baseConfig, "tools: [probe]", "tools: [probe]\n    context_files: [AGENTS.md, away.md, later.md]", 1) + "\ndefaults: {max_preload_chars: 20}\n"
		cfg, _, err := config.Parse("config.yaml", []byte(text), registry, config.Env{})
		must(t, err)
		holder := config.NewHolder(cfg)
		p.Config, p.Room.Config, p.Room.Registry = holder, holder, registry
		p.Room.Workspace = func(*config.Snapshot, identity.Execution) string { return folder }
	})
	b.model.plays(says("Yes."), says("Yes."))
	b.ends(b.askIn("$one", "$1", "ready?"), Answered)
	put("later.md", "Then stop and rest.")
	b.ends(b.askIn("$two", "$2", "and now?"), Answered)
	asked := b.model.asked()
	const first = "<context_file path=\"AGENTS.md\">\nCount {twice}.\n</context_file>"
	if s := asked[0].System; !strings.Contains(s, first) || strings.Count(s, "</context_file>") != 1 || strings.Contains(s, "not named") {
		t.Errorf("the first prompt is\n%s", s)
	}
	if s := asked[1].System; !strings.Contains(s, first+"\n<context_file path=\"later.md\">\nThen s\n[6 of 19 characters are shown") {
		t.Errorf("the second prompt is\n%s", s)
	}
}
