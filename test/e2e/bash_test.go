//go:build goolm

package e2e

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mindroom/internal/person"
)

// bashing is an agent whose calls of read_url need an approval where @ASK@ says so.
const bashing = `
models: {default: {provider: scripted, id: bash, extra_kwargs: {rules: rules.yaml}}}
agents:
  watcher:
    display_name: Watcher
    role: You guard the operations room.
    rooms: [operations]
    tools:
      - shell
      - file
      - website: {allow_private_addresses: true}
    memory_backend: file
    minimal_instructions: [Be brief.]
authorization: {room_permissions: {operations: ["@ANNA@"]}}
tool_approval: {rules: [@ASK@]}
defaults: {tools: []}
`

const asksToRead = "{match: read_url, action: require_approval}"

// basher is a house with one person in its room, whose agent plays commands.
type basher struct {
	*house
	anna *person.Client
	room string
	// root is the thread they talk in.
	root string
}

// newBasher lays an agent that runs each of commands when "play NAME" is said, and
// tells what it got. more are rules that come first. @SITE@ in a command is site.
func newBasher(t *testing.T, ask, site, more string, commands map[string]string) *basher {
	t.Helper()
	return newBasherWith(t, strings.NewReplacer(), ask, site, more, commands)
}

// newBasherWith is newBasher with a changed configuration.
func newBasherWith(t *testing.T, change *strings.Replacer, ask, site, more string, commands map[string]string) *basher {
	t.Helper()
	rules := "version: 1\nrules:\n" + more
	for name := range commands {
		rules += fmt.Sprintf("  - when: {user: '\\bplay %s\\b'}\n    call: [{tool: bash, args: {command: {file: %s.sh}}}]\n", name, name)
	}
	rules += "  - when: {result: {tool: 'bash|run_shell_command'}}\n    say: 'It says: ${result}'\n  - when: {user: '(?s).*>(.*?)</msg>\\s*$'}\n    say: 'I heard: ${1}'\n"
	people := persons(t, "anna")
	b := &basher{house: newHouse(t, change.Replace(strings.ReplaceAll(bashing, "@ASK@", ask)), rules, people), anna: people["anna"]}
	for name, text := range commands {
		b.must(os.WriteFile(filepath.Join(b.folder, name+".sh"), []byte(strings.ReplaceAll(text, "@SITE@", site)), 0o600))
	}
	b.start()
	b.room = b.enter(b.anna)
	b.root, _ = b.says(b.anna, b.room, "hello")
	return b
}

// minimal switches the agent in the thread.
func (b *basher) minimal() {
	b.t.Helper()
	if got := b.reply(b.anna, b.room, b.tells("!mode watcher minimal")); !strings.Contains(got.Body(), "**minimal** mode") {
		b.t.Fatalf("it is not minimal: %q", got.Body())
	}
}

// tells says something in the thread.
func (b *basher) tells(text string) (event string) {
	b.t.Helper()
	event, err := b.anna.SendThread(b.within(), b.room, b.root, text)
	b.must(err)
	return event
}

// plays has the agent play something and returns what it says in the end.
func (b *basher) plays(name string) string {
	b.t.Helper()
	return b.reply(b.anna, b.room, b.tells("play "+name)).Body()
}

// said waits for the one end of an answer.
func (b *basher) said(event string) string {
	b.t.Helper()
	return b.reply(b.anna, b.room, event).Body()
}

// decides reacts to the n-th card once it is shown.
func (b *basher) decides(n int, key string) {
	b.t.Helper()
	_, err := b.anna.React(b.within(), b.room, b.question(b.anna, b.room, n, "pending").text.ID, key)
	b.must(err)
}

// holds holds an answer to the parts it must have, in their order.
func holds(t *testing.T, answer string, parts ...string) {
	t.Helper()
	rest := answer
	for _, part := range parts {
		_, after, found := strings.Cut(rest, part)
		if !found {
			t.Errorf("the answer lacks %q at its place:\n%s", part, answer)
			return
		}
		rest = after
	}
}

// snippet is the document's, as it stands (C14).
const snippet = `# TOOLKIT and FUNCTION come from discovery; arguments.json follows describe.
status=0
receipt=$(mindroom-agent tools call "$TOOLKIT" "$FUNCTION" --json-file arguments.json) || status=$?
case "$status" in
  0|3) printf '%s\n' "$receipt" ;;
  *) printf '%s\n' "$receipt"; exit "$status" ;;
esac
call_id=$(printf '%s\n' "$receipt" | jq -r .call_id)
mindroom-agent calls wait "$call_id"
`

// A minimal response finds its tools, reads what its prompt left out, calls and
// answers; the document's snippet works as it stands (M01, M09, C01-C08, C14).
func TestMinimalMode(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, "", page.url, "", map[string]string{
		"explore": `set -eu
mindroom-agent context list | jq -c '[.items[].name]'
mindroom-agent tools search read a web page | jq -r '.items[0] | .toolkit + "." + .function'
mindroom-agent tools describe website.read_url | jq -c '.input_schema.required'
mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' | jq -c '[.status, .outcome[0].content]'
mindroom-agent context read role | jq -r .text
env | grep -c '^MINDROOM_AGENT_CLI_'
command -v mindroom-agent
pwd
`,
		"snippet": "TOOLKIT=website FUNCTION=read_url\nprintf '{\"url\":\"@SITE@/page\"}' > arguments.json\n" + snippet,
		"again":   `mindroom-agent calls get "$(cat id.txt)"; echo "exit $?"`,
		"keep":    `mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' | jq -r .call_id > id.txt`,
	})
	b.minimal()
	holds(t, b.plays("explore"), "🔧 `bash` [1]\n🔧 `read_url` [2]", "\"role\"", "\"agent-context\"", "website.read_url\n", `["url"]`,
		`["completed","all is well"]`, "You guard the operations room.", "3\n", "storage/agent_cli_bin/mindroom-agent\n", "watcher/workspace")
	holds(t, b.plays("snippet"), `"status":"completed"`, `"status":"completed"`)
	if n := page.read(); n != 2 {
		t.Errorf("the page was read %d times", n)
	}
	// What one response did is nobody's in the next (C16).
	b.plays("keep")
	holds(t, b.plays("again"), "exit 4")
}

// A call inside a command waits for the person who asked; the command waits for it
// and other conversations go on meanwhile (M42, C22).
func TestACallInsideACommandWaits(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, asksToRead, page.url, "", map[string]string{
		"read": `mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --timeout 100 | jq -c '[.status, .outcome[0]?.content, .outcome.code?]'`,
	})
	b.minimal()
	asked := b.tells("play read")
	card := b.question(b.anna, b.room, 1, "pending")
	if card.card.ThreadRoot() != b.root || card.card.Content["approver_user_id"] != b.anna.UserID || page.read() != 0 {
		t.Errorf("the card is %v", card.card.Content)
	}
	if _, got := b.says(b.anna, b.room, "are you there?"); got.Body() != "I heard: are you there?" {
		t.Errorf("meanwhile it says %q", got.Body())
	}
	b.decides(1, "✅")
	holds(t, b.said(asked), `["completed","all is well"`)
	asked = b.tells("play read")
	b.decides(2, "❌")
	holds(t, b.said(asked), `"failed"`, `"approval_denied"`)
	if n := page.read(); n != 1 {
		t.Errorf("the page was read %d times", n)
	}
}

// The time-out of a command ends the command and not its calls: Bash returns when
// they are over, one that waits for a person included (M24).
func TestATimeoutEndsNoCall(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, asksToRead, page.url, "  - when: {user: '\\bin time\\b'}\n    call: [{tool: bash, args: {command: {file: read.sh}, timeout: 1}}]\n", map[string]string{
		"read": `mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --timeout 100`,
	})
	b.minimal()
	asked := b.tells("in time")
	b.until(b.anna, b.room, "what it waits for", func(_, messages []person.Event) bool {
		all := answersTo(messages, asked)
		return len(all) == 1 && strings.Contains(all[0].Body(), "Waiting for approval: `read_url`")
	})
	b.decides(1, "✅")
	holds(t, b.said(asked), "because its timeout of 1s passed", "website.read_url was approved by "+b.anna.UserID, "all is well")
	if n := page.read(); n != 1 {
		t.Errorf("the page was read %d times", n)
	}
}

// A command that returned while its call waits parks the response: it holds nobody
// up, not its own thread either, survives a restart, and tells what was decided.
func TestACommandLeavesAWaitingCall(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, asksToRead, page.url, "  - when: {user: 'and now'}\n    say: 'I am here.'\n", map[string]string{
		"leave": `mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --timeout 0 | jq -r .status`,
	})
	b.minimal()
	asked := b.tells("play leave")
	b.question(b.anna, b.room, 1, "pending")
	b.until(b.anna, b.room, "what it waits for", func(_, messages []person.Event) bool {
		all := answersTo(messages, asked)
		return len(all) == 1 && strings.Contains(all[0].Body(), "Waiting for approval: `read_url`")
	})
	if got := b.said(b.tells("and now?")); got != "I am here." {
		t.Errorf("meanwhile it says %q", got)
	}
	b.stop()
	b.start()
	b.decides(1, "✅")
	holds(t, b.said(asked), "website.read_url was approved by "+b.anna.UserID, "all is well")
	if n := page.read(); n != 1 {
		t.Errorf("the page was read %d times", n)
	}
}

// A runtime that dies while a command waits for a decision does not run the command
// again; the call is made once it is decided, and the answer says both (M28).
func TestARestartWhileACommandWaits(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, asksToRead, page.url, "", map[string]string{
		"read": `echo once >> ran.txt; mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --timeout 100 | jq -c .status`,
		"ran":  `wc -l < ran.txt`,
	})
	b.minimal()
	asked := b.tells("play read")
	b.question(b.anna, b.room, 1, "pending")
	b.kill()
	b.start()
	b.decides(1, "✅")
	holds(t, b.said(asked), "interrupted by a restart", "is not run again", "website.read_url was approved by "+b.anna.UserID, "all is well")
	if n := page.read(); n != 1 {
		t.Errorf("the page was read %d times", n)
	}
	holds(t, b.plays("ran"), "1")
}

// Bash itself may need an approval; one that came after a restart runs nothing, and
// the agent is told that it can issue the command again (M28).
func TestBashItselfWaits(t *testing.T) {
	t.Parallel()
	b := newBasher(t, "{match: run_shell_command, action: require_approval}", "", "", map[string]string{"touch": `touch it-ran; echo done`})
	b.minimal()
	asked := b.tells("play touch")
	b.decides(1, "✅")
	holds(t, b.said(asked), "done")
	ran := filepath.Join(b.folder, "storage", "agents", "watcher", "workspace", "it-ran")
	b.must(os.Remove(ran))
	asked = b.tells("play touch")
	b.question(b.anna, b.room, 2, "pending")
	b.stop()
	b.start()
	b.decides(2, "✅")
	holds(t, b.said(asked), "approved this command", "did not run. Issue it again")
	if _, err := os.Stat(ran); err == nil {
		t.Error("a saved command was run")
	}
}

// In standard mode the same program works inside the agent's own shell commands,
// and what may ask is not offered there (M15, M17).
func TestStandardModeHasTheCLI(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, "{match: save_file, action: require_approval}", page.url,
		"  - when: {user: '\\bcompose\\b', system: 'mindroom-agent'}\n    call: [{tool: run_shell_command, args: {args: {file: compose.sh}}}]\n",
		map[string]string{"compose": `mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' | jq -c '[.status, .outcome[0].content]'
mindroom-agent tools list | jq -c '[.items[].function]'
mindroom-agent context list | jq -c .items`})
	answer := b.said(b.tells("compose"))
	holds(t, answer, "🔧 `run_shell_command` [1]\n🔧 `read_url` [2]", `["completed","all is well"]`, "run_shell_command", "[]")
	if strings.Contains(answer, "save_file") {
		t.Errorf("a function that may ask is offered:\n%s", answer)
	}
}

// A shell command of standard mode that goes on in the background keeps the door
// until it ends, after the response too (M19).
func TestABackgroundCommandKeepsTheCLI(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, "", page.url, "  - when: {user: '\\bgo on\\b'}\n    call: [{tool: run_shell_command, args: {args: {file: later.sh}, timeout: 0}}]\n",
		map[string]string{"later": `while [ ! -e go ]; do sleep 0.05; done
mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --result > first.json
mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' | jq -r .status > told.tmp
mv told.tmp told`})
	holds(t, b.said(b.tells("go on")), "Still running")
	if page.read() != 0 {
		t.Error("it went on before it was let go")
	}
	workspace := filepath.Join(b.folder, "storage", "agents", "watcher", "workspace")
	b.must(os.WriteFile(filepath.Join(workspace, "go"), nil, 0o600))
	for within := b.within(); ; {
		told, err := os.ReadFile(filepath.Join(workspace, "told"))
		if err == nil {
			if string(told) != "completed\n" || page.read() != 2 {
				t.Errorf("it was told %q, and the page was read %d times", told, page.read())
			}
			return
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-within.Done():
			b.must(context.Cause(within))
		}
	}
}

// An orderly stop while a command waits for a decision takes no longer than others;
// the question stands, and the answer says what the command had said (M28).
func TestAStopWhileACommandWaits(t *testing.T) {
	t.Parallel()
	page := newCounted(t)
	b := newBasher(t, asksToRead, page.url, "", map[string]string{
		"read": `mindroom-agent tools call website.read_url '{"url":"@SITE@/page"}' --timeout 100 | jq -c .status`,
	})
	b.minimal()
	asked := b.tells("play read")
	b.question(b.anna, b.room, 1, "pending")
	b.stop()
	b.start()
	b.decides(1, "✅")
	holds(t, b.said(asked), "website.read_url was approved by "+b.anna.UserID, "all is well")
	if n := page.read(); n != 1 {
		t.Errorf("the page was read %d times", n)
	}
}
