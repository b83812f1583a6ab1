package e2e

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"mindroom/internal/control"
	"mindroom/internal/person"
)

const followed = `
models: {default: {provider: scripted, id: demo, extra_kwargs: {rules: rules.yaml}}}
agents: !include_dir_named agents
authorization: {global_users: ["@ANNA@"]}
defaults: {tools: []}
`

const (
	withScripts    = "display_name: Watcher\nrooms: [operations]\ntools: [script]\n"
	withoutScripts = "display_name: Watcher\nrooms: [operations]\ntools: []\n"
	newcomer       = "display_name: Helper\nrooms: [lobby]\n"
)

const launches = `
version: 1
rules:
  - when: {result: {tool: start_script, text: '"run_id":"(?P<run>script-[0-9a-f]+)"'}}
    say: 'It runs as ${result.run}.'
  - when: {result: {tool: start_script}}
    say: 'It does not run: ${result}'
  - when: {user: '\blaunch\b'}
    call: [{tool: start_script, args: {name: sleeper, source: "import time\nprint('asleep', flush=True)\ntime.sleep(3600)\n"}}]
  - when: {user: '(?s).*>(.*?)</msg>\s*$'}
    say: 'I heard: ${1}'
`

// put replaces a file of the configuration as an editor does.
func (h *house) put(name, text string) {
	h.t.Helper()
	path := filepath.Join(h.folder, name)
	h.must(os.MkdirAll(filepath.Dir(path), 0o700))
	h.must(os.WriteFile(path+"~", []byte(text), 0o600))
	h.must(os.Rename(path+"~", path))
}

// told waits until the log has a line of the message with each of the words.
func (h *house) told(message string, words ...string) {
	h.t.Helper()
	h.eventually("the log says "+message+" "+strings.Join(words, " "), func() bool {
		raw, err := os.ReadFile(filepath.Join(h.folder, "mindroom.log"))
		h.must(err)
	line:
		for line := range strings.Lines(string(raw)) {
			var said struct{ Msg string }
			if json.Unmarshal([]byte(line), &said) != nil || said.Msg != message {
				continue
			}
			for _, word := range words {
				if !strings.Contains(line, word) {
					continue line
				}
			}
			return true
		}
		return false
	})
}

// eventually looks again and again until ok.
func (h *house) eventually(what string, ok func() bool) {
	h.t.Helper()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for end := time.After(patience); !ok(); {
		select {
		case <-tick.C:
		case <-end:
			h.must(errors.New("never: " + what))
		}
	}
}

// runs asks the runtime as an operator's command does.
func (h *house) runs() []control.Run {
	h.t.Helper()
	c := control.NewClient(filepath.Join(h.folder, "storage", "control_state"))
	defer c.Close()
	runs, err := c.List(h.within(), true, 0)
	h.must(err)
	return runs
}

var runID = regexp.MustCompile(`script-[0-9a-f]{32}`)

// launches has the agent start a script and returns its run.
func (h *house) launches(c *person.Client, room string) string {
	h.t.Helper()
	_, answer := h.says(c, room, "launch it")
	id := runID.FindString(answer.Body())
	if id == "" {
		h.must(errors.New("no script was started: " + answer.Body()))
	}
	return id
}

// reason is why a run ended; empty while it goes on.
func (h *house) reason(id string) string {
	h.t.Helper()
	for _, r := range h.runs() {
		if r.ID == id {
			var more struct {
				Run struct {
					Code string `json:"reason_code"`
				}
			}
			h.must(json.Unmarshal(r.Raw, &more))
			if r.State == "running" || r.State == "starting" {
				return ""
			}
			return r.State + " " + more.Run.Code
		}
	}
	h.must(errors.New("there is no run " + id))
	return ""
}

// works reports whether a process of the run lives.
func (h *house) works(id string) bool {
	h.t.Helper()
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	h.must(err)
	for _, file := range files {
		if raw, err := os.ReadFile(file); err == nil && strings.Contains(string(raw), "MINDROOM_SCRIPT_RUN_ID="+id) {
			return true
		}
	}
	return false
}

// The files are changed under a running installation, as a person changes them:
// who is new answers, who is gone does not, what is wrong changes nothing, and a
// run ends with the tool it came from and not before (S16, S65).
func TestReload(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna")
	anna := people["anna"]
	h := newHouse(t, followed, launches, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=off")
	h.put("agents/watcher.yaml", withScripts)
	h.start()
	room := h.enter(anna)
	if _, answer := h.says(anna, room, "hello"); answer.Body() != "I heard: hello" {
		t.Errorf("hello is answered %q", answer.Body())
	}
	run := h.launches(anna, room)

	h.put("agents/helper.yaml", newcomer)
	lobby := h.enter(anna)
	if _, answer := h.says(anna, lobby, "are you new?"); answer.Body() != "I heard: are you new?" || !strings.Contains(answer.Sender, "helper") {
		t.Errorf("the new agent's room has %q by %s", answer.Body(), answer.Sender)
	}

	h.put("agents/watcher.yaml", withoutScripts+"surprise: 1\n")
	h.told("the changed configuration is refused, the old one stays in force", "watcher.yaml:4:1", "surprise")
	if _, answer := h.says(anna, room, "still there?"); answer.Body() != "I heard: still there?" || h.reason(run) != "" {
		t.Errorf("under a faulty file: %q, the run is %q", answer.Body(), h.reason(run))
	}

	h.put(".env", "SOME_KEY=secret-value\n")
	h.told("variables of the .env file have changed; restart MindRoom to take them up", "SOME_KEY")

	h.put("agents/watcher.yaml", withoutScripts)
	h.eventually("the run ends with its tool", func() bool { return h.reason(run) != "" })
	if got := h.reason(run); got != "interrupted script_tool_removed" || h.works(run) {
		t.Errorf("the run is %q, and its process lives: %v", got, h.works(run))
	}
	h.until(anna, room, "the conversation is told", func(_, messages []person.Event) bool {
		told := 0
		for _, e := range messages {
			if e.Content["msgtype"] == "m.notice" && strings.Contains(e.Body(), run) && strings.Contains(e.Body(), "script tool was removed") {
				told++
			}
		}
		return told == 1
	})

	h.must(os.Remove(filepath.Join(h.folder, "agents", "watcher.yaml")))
	h.told("configuration reloaded", `"removed":"[watcher]"`)
	unheard, err := anna.Send(h.within(), room, "anybody?")
	h.must(err)
	h.says(anna, lobby, "one more") // later than that, and answered
	raw, err := anna.Timeline(h.within(), room, 100)
	h.must(err)
	if got := answersTo(person.Fold(raw), unheard); len(got) > 0 {
		t.Errorf("a removed agent answers: %s", shown(got))
	}

	h.put("agents/watcher.yaml", withScripts)
	h.told("configuration reloaded", `"new":"[watcher]"`)
	if _, answer := h.says(anna, room, "back again?"); answer.Body() != "I heard: back again?" {
		t.Errorf("an agent that came back answers %q", answer.Body())
	}
	h.must(h.now.Process.Signal(syscall.SIGHUP))
	h.told("the configuration has not changed")
}

const askedAbout = `
models: {default: {provider: scripted, id: demo, extra_kwargs: {rules: rules.yaml}}}
agents:
  watcher:
    display_name: Watcher
    rooms: [operations]
    tools: [script, website: {allow_private_addresses: true}]
authorization:
  default_room_access: true
  room_permissions: {operations: ["@ANNA@", "@DORA@"]}
matrix_room_access: {room_admins: ["@DORA@"]}
tool_approval: {rules: [{match: read_url, action: require_approval}]}
defaults: {tools: []}
`

const asks = `
version: 1
rules:
  - when: {result: {tool: start_script, text: '"run_id":"(?P<run>script-[0-9a-f]+)"'}}
    say: 'It runs as ${result.run}.'
  - when: {user: '\blaunch\b'}
    call: [{tool: start_script, args: {name: asker, source: "from mindroom.script_sdk import MindRoomTools\nMindRoomTools().call('website', 'read_url', url='http://127.0.0.1:9/')\n"}}]
  - when: {user: '(?s).*>(.*?)</msg>\s*$'}
    say: 'I heard: ${1}'
`

// cards are what the readable messages beside the cards of a room say.
func cards(messages []person.Event) []string {
	var all []string
	for _, e := range messages {
		if e.Content["io.mindroom.tool_approval_card"] != nil {
			all = append(all, e.Body())
		}
	}
	return all
}

// Who is put out of the room loses what acts for them, by event and not by a
// pass: the question is withdrawn, the run interrupted, its process gone (S15, S16,
// S19).
func TestWhoIsKickedLosesTheirScripts(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "dora")
	anna, dora := people["anna"], people["dora"]
	h := newHouse(t, askedAbout, asks, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=off")
	h.start()
	room := h.enter(dora, anna)
	run := h.launches(anna, room)
	h.until(dora, room, "a card waits", func(_, messages []person.Event) bool {
		all := cards(messages)
		return len(all) == 1 && strings.Contains(all[0], "Approval required")
	})
	if !h.works(run) {
		t.Error("the run has no process")
	}
	h.must(dora.Kick(h.within(), room, anna.UserID))
	kicked := time.Now()
	h.eventually("the run ends", func() bool { return h.reason(run) != "" })
	ended := time.Since(kicked)
	if got := h.reason(run); got != "interrupted authorization_revoked" || h.works(run) {
		t.Errorf("the run is %q, and its process lives: %v", got, h.works(run))
	}
	h.until(dora, room, "the card is withdrawn", func(_, messages []person.Event) bool {
		all := cards(messages)
		return len(all) == 1 && strings.Contains(all[0], "Withdrawn")
	})
	t.Logf("interrupted %s after the kick, the card withdrawn after %s", ended.Round(time.Millisecond), time.Since(kicked).Round(time.Millisecond))
	// A pass alone would take up to 30 seconds; the event takes a round trip.
	if ended > 15*time.Second {
		t.Errorf("the run ended %s after the kick: no event told of it", ended)
	}
}

const stubborn = `
version: 1
rules:
  - when: {result: {tool: start_script, text: '"run_id":"(?P<run>script-[0-9a-f]+)"'}}
    say: 'It runs as ${result.run}.'
  - when: {user: '\blaunch\b'}
    call: [{tool: start_script, args: {name: stubborn, source: "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(3600)\n"}}]
`

// The second signal leaves at once, whatever still wants to end in order, and the
// next start ends what was left.
func TestSecondSignal(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna")
	anna := people["anna"]
	h := newHouse(t, followed, stubborn, people)
	h.env = append(h.env, "MINDROOM_SANDBOX_EXECUTION_MODE=off")
	h.put("agents/watcher.yaml", withScripts)
	h.start()
	run := h.launches(anna, h.enter(anna))
	h.must(h.now.Process.Signal(syscall.SIGTERM))
	h.told("run revoked", "runtime_shutdown")
	h.must(h.now.Process.Signal(syscall.SIGTERM))
	select {
	case <-h.ended:
	case <-h.within().Done():
		h.must(errors.New("the second signal ended nothing"))
	}
	if code := h.now.ProcessState.ExitCode(); code != 130 {
		t.Errorf("it left with %s, want exit code 130", h.now.ProcessState)
	}
	h.start()
	h.eventually("the next start ends the run", func() bool { return h.reason(run) != "" })
	if got := h.reason(run); got != "interrupted runtime_shutdown" || h.works(run) {
		t.Errorf("the run is %q, and its process lives: %v", got, h.works(run))
	}
}
