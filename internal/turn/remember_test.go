package turn

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/internal/toolkit/memory"
)

// remembering gives an agent the real memory toolkit, and each requester a
// workspace under folder.
func remembering(t *testing.T, folder, backend string) func(*Parts) {
	return func(p *Parts) {
		registry, err := tool.NewRegistry(newTestTools().toolkit(), memory.New(time.Now))
		must(t, err)
		text := strings.Replace(baseConfig, "tools: [probe]", "tools: [probe, memory]\n    memory_backend: "+backend, 1)
		cfg, _, err := config.Parse("config.yaml", []byte(text), registry, config.Env{})
		must(t, err)
		holder := config.NewHolder(cfg)
		p.Config, p.Room.Config, p.Room.Registry = holder, holder, registry
		p.Room.Workspace = func(_ *config.Snapshot, who identity.Execution) string {
			return filepath.Join(folder, strings.Trim(who.Requester, "@:x"))
		}
	}
}

// What was remembered in one conversation is in the prompt of the next, and in
// that of nobody with another workspace (spec/runtime.md 6.5, 7.2).
func TestWhatIsRememberedIsInTheNextPrompt(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", remembering(t, t.TempDir(), "file"))
	b.model.plays(calls("add_memory", `{"content":"Ann likes </memory> tea."}`), says("Noted."), says("Tea."), says("I do not know."))
	b.ends(b.askIn("$one", "$1", "I like tea"), Answered)
	b.ends(b.askIn("$two", "$2", "what do I like?"), Answered)
	const ben = "@ben:x"
	heard(t, b.db, "$three", "$3", ben, map[string]any{"msgtype": "m.text", "body": "and I?"})
	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		return b.engine.Create(tx, Request{Agent: "watcher", Account: ownID, Who: identity.InThread("watcher", ben, roomID, "$three"),
			Room: roomID, ThreadRoot: "$three", TriggerEvent: "$3"})
	}))
	b.ends(b.turnOf("$3"), Answered)
	asked := b.model.asked()
	for i, want := range []bool{false, false, true, false} {
		has := regexp.MustCompile(`(?s)<memory>\n- \[id=m_\d{14}_[0-9a-f]{8}\] Ann likes &lt;/memory> tea\.\n</memory>.*Today is`).MatchString(asked[i].System)
		if has != want || strings.Contains(asked[i].System, "tea") != want {
			t.Errorf("request %d, remembered %v, want %v:\n%s", i+1, has, want, asked[i].System)
		}
	}
	if result := asked[1].Messages[len(asked[1].Messages)-1].Results()[0]; result.IsError || !strings.HasPrefix(result.Text, "Remembered in MEMORY.md: [id=m_") {
		t.Errorf("the model reads %+v", result)
	}
}

// Without file memory MEMORY.md is a file as any other, and there is no function.
func TestWithoutMemoryNothingIsRemembered(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must(t, os.Mkdir(filepath.Join(folder, "ann"), 0o700))
	must(t, os.WriteFile(filepath.Join(folder, "ann", "MEMORY.md"), []byte("tea"), 0o600))
	b := newBundle(t, "", remembering(t, folder, "none"))
	b.model.plays(says("Hello."))
	b.ends(b.ask("$1", "hello"), Answered)
	asked := b.model.asked()[0]
	if strings.Contains(asked.System, "tea") {
		t.Errorf("the prompt is %s", asked.System)
	}
	for _, f := range asked.Tools {
		if strings.Contains(f.Name, "memor") {
			t.Errorf("it is offered %s", f.Name)
		}
	}
}

// A MEMORY.md that cannot be read costs the memory and not the answer.
func TestAnUnreadableMemoryCostsNoAnswer(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	must(t, os.Mkdir(filepath.Join(folder, "ann"), 0o700))
	must(t, os.Symlink("/etc/hostname", filepath.Join(folder, "ann", "MEMORY.md")))
	b := newBundle(t, "", remembering(t, folder, "file"))
	b.model.plays(says("Hello."))
	b.ends(b.ask("$1", "hello"), Answered)
	if asked := b.model.asked()[0]; strings.Contains(asked.System, "<memory>") {
		t.Errorf("the prompt is %s", asked.System)
	}
}
