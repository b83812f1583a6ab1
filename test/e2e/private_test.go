package e2e

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

const diary = `
models: {default: {provider: scripted, id: demo, extra_kwargs: {rules: rules.yaml}}}
agents:
  diary:
    display_name: Diary
    rooms: [operations]
    tools: [file, shell, script]
    private: {per: user_agent}
authorization: {global_users: ["@ANNA@", "@BEN@"]}
defaults: {tools: []}
`

const writes = `
version: 1
rules:
  - when: {result: {tool: run_shell_command}}
    say: 'The shell says ${result}'
  - when: {result: {tool: save_file}}
    say: 'Kept: ${result}'
  - when: {result: {tool: start_script}}
    say: 'Started: ${result}'
  - when: {user: '@diary\b.*\bkeep (\w+)'}
    call: [{tool: save_file, args: {contents: '${1}', file_name: note.txt}}]
  - when: {user: '@diary\b.*\blook'}
    call: [{tool: run_shell_command, args: {args: [sh, -c, 'cat note.txt; echo; ls']}}]
  - when: {user: '@diary\b.*\blaunch'}
    call: [{tool: start_script, args: {source: "import shutil\nshutil.copy('note.txt', 'copied.txt')\n"}}]
`

// Two people talk to one private agent in one room: files, shell commands and
// scripts of each work in a folder of their own (spec/runtime.md 1.6, 2.3).
func TestPrivateAgent(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben")
	anna, ben := people["anna"], people["ben"]
	h := newHouse(t, diary, writes, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=off")
	h.start()
	room := h.enter(anna, ben)
	h.says(anna, room, "@diary keep annas")
	h.says(ben, room, "@diary keep bens")
	if _, got := h.says(anna, room, "@diary look"); !strings.Contains(got.Body(), "annas") || strings.Contains(got.Body(), "bens") {
		t.Errorf("anna's shell sees %q", got.Body())
	}
	h.says(ben, room, "@diary launch")
	folders, err := filepath.Glob(filepath.Join(h.folder, "storage", "private_instances", "*", "diary", "diary_data", "workspace"))
	h.must(err)
	if len(folders) != 2 {
		t.Fatalf("two people have the folders %v", folders)
	}
	h.eventually("ben's script worked in ben's folder", func() bool {
		copies, err := filepath.Glob(filepath.Join(h.folder, "storage", "private_instances", "*", "diary", "diary_data", "workspace", "copied.txt"))
		h.must(err)
		if len(copies) == 0 {
			return false
		}
		raw, err := os.ReadFile(copies[0])
		return len(copies) == 1 && err == nil && string(raw) == "bens"
	})
	if left, err := filepath.Glob(filepath.Join(h.folder, "storage", "agents", "diary", "workspace", "*")); err != nil || len(left) > 0 {
		t.Errorf("the folder of everybody holds %v, %v", left, err)
	}
}
