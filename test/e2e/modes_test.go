package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/person"
)

const moded = `
models: {default: {provider: scripted, id: demo, extra_kwargs: {rules: rules.yaml}}}
agents:
  watcher: {display_name: Watcher, rooms: [operations], tools: [shell], memory_backend: file}
  hall: {display_name: Hall, rooms: [operations], tools: [shell, script], memory_backend: file, thread_mode: room}
  diary: {display_name: Diary, rooms: [operations], tools: [shell], private: {per: user}, thread_mode: room}
  bare: {display_name: Bare, rooms: [operations], thread_mode: room}
teams: {both: {display_name: Both, role: Two, agents: [watcher, bare]}}
authorization: {default_room_access: true, agent_reply_permissions: {diary: ["@ANNA@", "@BEN@"], bare: ["@ANNA@"]}}
defaults: {tools: []}
`

const launching = `
version: 1
rules:
  - when: {result: {tool: start_script}}
    say: 'It says: ${result}'
  - when: {user: '\blaunch\b'}
    call: [{tool: start_script, args: {source: 'print(1)'}}]
  - when: {user: '(?s).*>(.*?)</msg>\s*$'}
    say: 'I heard: ${1}'
`

// M02-M07: an agent is switched where it answers, for whom it answers, and the choice
// outlives a restart and leaves the configuration as it is.
func TestModes(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna, ben := people["anna"], people["ben"]
	h := newHouse(t, moded, launching, people)
	h.start()
	room := h.enter(anna, ben)
	config := filepath.Join(h.folder, "config.yaml")
	before, err := os.ReadFile(config)
	h.must(err)

	root, _ := h.says(anna, room, "@watcher hello")
	// asks gives a command, in a thread or outside of threads, and expects its answer.
	asks := func(who *person.Client, thread, text, want string) {
		t.Helper()
		event, err := who.SendThread(h.within(), room, thread, text)
		if thread == "" {
			event, err = who.Send(h.within(), room, text)
		}
		h.must(err)
		if got := h.reply(who, room, event); !strings.Contains(got.Body(), want) || thread != "" && got.ThreadRoot() != thread {
			t.Errorf("%s is answered in %q: %q, want %q", text, got.ThreadRoot(), got.Body(), want)
		}
	}
	asks(anna, "", "!mode watcher minimal", "❌ `watcher` answers in threads here")
	asks(anna, root, "!mode wacher minimal", "❌ Unknown agent `wacher`. Did you mean `watcher`?")
	asks(anna, root, "!mode both minimal", "❌ Unknown agent `both`.")
	asks(ben, root, "!mode bare minimal", "❌ Access denied")
	asks(anna, root, "!mode bare minimal", "- It has no shell: add `shell` to `agents.bare.tools`.\n- It has no workspace: set `memory_backend: file` in `agents.bare`.")
	asks(anna, root, "!mode watcher minimal", "✅ `watcher` uses **minimal** mode in this conversation")
	asks(anna, root, "!mode hall minimal", "✅ `hall` uses **minimal** mode")
	asks(anna, "", "!mode diary minimal", "✅ `diary` uses **minimal** mode in this conversation, for you")

	h.stop()
	h.start()
	plain, err := ben.SendEvent(h.within(), room, "m.room.message", map[string]any{
		"msgtype": "m.text", "body": "!mode watcher show", "m.relates_to": map[string]any{"m.in_reply_to": map[string]any{"event_id": root}}})
	h.must(err)
	if got := h.reply(ben, room, plain); !strings.Contains(got.Body(), "`watcher` uses **minimal** mode") || got.ThreadRoot() != root {
		t.Errorf("a plain reply in the thread is answered in %q: %q", got.ThreadRoot(), got.Body())
	}
	asks(ben, "", "!mode", "- `watcher`: one for each thread; ask inside one\n- `hall`: minimal\n- `diary`: standard, for you")
	asks(anna, root, "!mode", "- `watcher`: minimal\n- `hall`: minimal\n- `diary`: minimal, for you\n- `bare`: standard")
	asks(ben, root, "!mode watcher standard", "✅ `watcher` uses **standard** mode")
	asks(anna, "", "!mode hall reset", "✅ `hall` uses **standard** mode")
	asks(anna, root, "!mode", "- `watcher`: standard\n- `hall`: standard\n- `diary`: minimal, for you")
	if after, err := os.ReadFile(config); err != nil || string(after) != string(before) {
		t.Errorf("the configuration changed: %v", err)
	}
}

// M29: without an API agents answer, and scripts and minimal mode are refused with the
// reason.
func TestWithoutAnAPI(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna := people["anna"]
	h := newHouse(t, moded, launching, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=off")
	h.args = []string{"--no-api"}
	h.start()
	room := h.enter(anna)
	_, err := anna.Send(h.within(), room, "@hall launch")
	h.must(err)
	h.until(anna, room, "the refusal of a launch", func(_, messages []person.Event) bool {
		last := messages[len(messages)-1]
		return strings.Contains(last.Body(), `"kind":"no_gateway"`) && strings.Contains(last.Body(), "without --no-api") && finished(last)
	})
	_, got := h.says(anna, room, "!mode hall minimal")
	for _, want := range []string{"❌ `hall` cannot use minimal mode, and nothing was changed", "- MindRoom runs without its API: start `mindroom run` without `--no-api`.",
		filepath.Join(h.folder, ".env"), "docs/how-to/use-minimal-mode.md#deployment-requirements"} {
		if !strings.Contains(got.Body(), want) {
			t.Errorf("the answer lacks %q: %q", want, got.Body())
		}
	}
	if _, got := h.says(anna, room, "!mode hall"); !strings.Contains(got.Body(), "**standard**") {
		t.Errorf("after the refusal: %q", got.Body())
	}
	log, err := os.ReadFile(filepath.Join(h.folder, "mindroom.log"))
	h.must(err)
	ready := false
	for line := range strings.Lines(string(log)) {
		var entry struct{ Msg, API string }
		if json.Unmarshal([]byte(line), &entry) == nil && entry.Msg == "ready" {
			ready = true
			if entry.API != "" {
				t.Errorf("an API is told at %q", entry.API)
			}
		}
	}
	if !ready {
		t.Error("it never said that it is ready")
	}
}
