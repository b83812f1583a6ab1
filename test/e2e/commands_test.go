package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"mindroom/internal/message"
	"mindroom/internal/person"
)

const twoAgents = `
models: {default: {provider: scripted, id: demo, extra_kwargs: {rules: rules.yaml}}}
agents:
  watcher:
    display_name: Watcher
    role: Read pages.
    rooms: [operations]
    tools: [website: {allow_private_addresses: true}]
  helper:
    display_name: Helper
    role: Help in other rooms.
authorization:
  default_room_access: true
  room_permissions: {operations: ["@ANNA@", "@BEN@", "@DORA@"]}
matrix_room_access: {room_admins: ["@DORA@"]}
defaults: {tools: []}
`

const talk = `
version: 1
rules:
  - when: {user: '\bread (http[^\s<]+)'}
    call: [{tool: read_url, args: {url: '${1}'}}]
  - when: {result: {tool: read_url}}
    say: 'It says: ${result}'
  - when: {user: '(?s).*>(.*?)</msg>\s*$'}
    say: 'I heard: ${1}'
`

func localpart(id string) string { return strings.SplitN(strings.TrimPrefix(id, "@"), ":", 2)[0] }

// People speak to the program: who may is answered once, in the right place, and
// a stranger hears nothing. A room's choice of thread mode outlives a restart.
func TestCommands(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben", "carl", "dora")
	anna, ben, carl, dora := people["anna"], people["ben"], people["carl"], people["dora"]
	h := newHouse(t, twoAgents, talk, people)
	h.start()
	room := h.enter(anna, ben, dora)
	h.must(anna.Invite(h.within(), room, carl.UserID))
	_, err := carl.Join(h.within(), room)
	h.must(err)

	asked, help := h.says(anna, room, "!Help")
	if help.ThreadRoot() != asked || !strings.Contains(help.Body(), "!thread_mode [room|thread|reset|show]") ||
		help.Content[message.KeySkipMentions] != true || !strings.HasPrefix(localpart(help.Sender), "mindroom_router") {
		t.Errorf("!help in %q by %s: %q", help.ThreadRoot(), help.Sender, help.Body())
	}
	inThread, err := anna.SendThread(h.within(), room, asked, "!help stop")
	h.must(err)
	if about := h.reply(anna, room, inThread); about.ThreadRoot() != asked || !strings.Contains(about.Body(), "`!stop`") {
		t.Errorf("!help stop in %q: %q", about.ThreadRoot(), about.Body())
	}
	unheard, err := carl.Send(h.within(), room, "!help")
	h.must(err)
	for _, c := range []struct {
		who  *person.Client
		says string
		want string
	}{
		{anna, "!nonsense", "❌ Unknown command. Try !help for available commands."},
		{ben, "!thread_mode room", "❌ Room admin only."},
		{anna, "!hi", "**Watcher** (`@watcher`): Read pages."},
		{anna, "!e2ee", "This room is not encrypted."},
		{dora, "🎤 !thread_mode room", "A voice message changes nothing"},
	} {
		if _, got := h.says(c.who, room, c.says); !strings.Contains(got.Body(), c.want) {
			t.Errorf("%s is answered %q", c.says, got.Body())
		}
	}

	root, threaded := h.says(anna, room, "hello")
	if threaded.ThreadRoot() != root {
		t.Errorf("in thread mode the answer is in %q, not in %q", threaded.ThreadRoot(), root)
	}
	if _, done := h.says(dora, room, "!thread_mode room"); !strings.HasPrefix(done.Body(), "✅") {
		t.Errorf("!thread_mode room is answered %q", done.Body())
	}
	plain := func(when, text string) {
		t.Helper()
		_, err := anna.Send(h.within(), room, text)
		h.must(err)
		messages := h.until(anna, room, when, func(_, messages []person.Event) bool {
			last := messages[len(messages)-1]
			return last.Body() == "I heard: "+text && finished(last)
		})
		if root := messages[len(messages)-1].ThreadRoot(); root != "" {
			t.Errorf("%s: the answer is in the thread of %s", when, root)
		}
	}
	plain("room mode", "and plainly?")
	inside, err := anna.SendThread(h.within(), room, root, "and inside?")
	h.must(err)
	if got := h.reply(anna, room, inside); got.ThreadRoot() != root {
		t.Errorf("in room mode a thread is answered in %q", got.ThreadRoot())
	}
	h.stop()
	h.start()
	plain("room mode after a restart", "still plainly?")
	command, reset := h.says(dora, room, "!ThreadMode reset")
	if !strings.Contains(reset.Body(), "`@watcher`: `thread`") {
		t.Errorf("reset is answered %q", reset.Body())
	}
	if reset.ThreadRoot() != command {
		t.Errorf("the answer to reset is in %q", reset.ThreadRoot())
	}
	root, threaded = h.says(anna, room, "and now?")
	if threaded.ThreadRoot() != root {
		t.Errorf("after reset the answer is in %q, not in %q", threaded.ThreadRoot(), root)
	}

	all, err := anna.Timeline(h.within(), room, 500)
	h.must(err)
	if got := answersTo(person.Fold(all), unheard); len(got) != 0 {
		t.Errorf("a stranger is answered:\n%s", shown(got))
	}
	welcomes := 0
	for _, e := range person.Fold(all) {
		if strings.Contains(e.Body(), "**Welcome.**") {
			welcomes++
			if !strings.Contains(e.Body(), "`@watcher`") || strings.Contains(e.Body(), "`@helper`") || e.ThreadRoot() != "" {
				t.Errorf("the welcome in %q reads %q", e.ThreadRoot(), e.Body())
			}
		}
	}
	if welcomes != 1 {
		t.Errorf("the room is welcomed %d times:\n%s", welcomes, shown(person.Fold(all)))
	}
}

// Where the router is not, one agent answers commands, once.
func TestCommandsWithoutTheRouter(t *testing.T) {
	t.Parallel()
	people := persons(t, "anna", "ben", "dora")
	anna := people["anna"]
	h := newHouse(t, twoAgents, talk, people)
	h.start()
	agent := func(name string) string {
		return "@mindroom_" + name + "_" + strings.TrimPrefix(h.env[1], "MINDROOM_NAMESPACE=") + anna.UserID[strings.Index(anna.UserID, ":"):]
	}
	room, err := anna.CreateRoom(h.within(), "Just us", agent("watcher"), agent("helper"))
	h.must(err)
	for _, name := range []string{"watcher", "helper"} {
		_, err := anna.WaitFor(h.within(), func(e person.Event) bool {
			return e.Room == room && e.Type == "m.room.member" && e.Sender == agent(name) && e.Content["membership"] == "join"
		})
		h.must(err)
	}
	for i := range 3 {
		_, help := h.says(anna, room, "!help")
		if help.Sender != agent("helper") {
			t.Errorf("%d: %s answers", i, help.Sender)
		}
	}
	all, err := anna.Timeline(h.within(), room, 500)
	h.must(err)
	if got := len(person.Fold(all)); got != 6 {
		t.Errorf("%d messages:\n%s", got, shown(person.Fold(all)))
	}
}

// The stop button and !stop: who asked and admins end an answer, nobody else,
// and the button goes with the answer, whatever ended it.
func TestStopping(t *testing.T) {
	t.Parallel()
	arrived, release := make(chan struct{}, 100), make(chan struct{})
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		arrived <- struct{}{}
		select {
		case <-release:
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(func() { close(release); site.Close() })
	people := persons(t, "anna", "ben", "carl", "dora")
	anna, ben, carl, dora := people["anna"], people["ben"], people["carl"], people["dora"]
	h := newHouse(t, twoAgents, talk, people)
	h.start()
	room := h.enter(anna, ben, dora)
	h.must(anna.Invite(h.within(), room, carl.UserID))
	_, err := carl.Join(h.within(), room)
	h.must(err)

	// asks begins an answer that does not end by itself and waits for its button.
	asks := func() (asked, answer, button string) {
		t.Helper()
		asked, err := anna.Send(h.within(), room, "read "+site.URL)
		h.must(err)
		select {
		case <-arrived:
		case <-h.within().Done():
			h.must(fmt.Errorf("the agent does not read"))
		}
		h.until(anna, room, "the button", func(raw, messages []person.Event) bool {
			for _, m := range answersTo(messages, asked) {
				answer = m.ID
			}
			for _, e := range raw {
				if key, target := e.Reaction(); key == "🛑" && target == answer && answer != "" {
					button = e.ID
				}
			}
			return button != ""
		})
		return asked, answer, button
	}
	// ended waits for the end of an answer and of its button.
	ended := func(asked, button, note string) {
		t.Helper()
		h.until(anna, room, "the end with "+note, func(raw, messages []person.Event) bool {
			all := answersTo(messages, asked)
			gone := false
			for _, e := range raw {
				gone = gone || e.ID == button && len(e.Content) == 0
			}
			return len(all) == 1 && finished(all[0]) && strings.HasSuffix(all[0].Body(), note) && gone
		})
	}
	const cancelled, restarted = "**[Response cancelled by user]**", "**[Response interrupted by service restart]**"

	asked, answer, button := asks()
	for _, other := range []*person.Client{carl, ben} {
		_, err := other.React(h.within(), room, answer, "🛑")
		h.must(err)
	}
	// Commands of the room come after the reactions, through the same journal.
	if _, got := h.says(ben, room, "!stop"); got.Body() != "No answer to you is being written in this room." {
		t.Errorf("another's !stop is answered %q", got.Body())
	}
	all, err := anna.Timeline(h.within(), room, 500)
	h.must(err)
	if got := answersTo(person.Fold(all), asked); len(got) != 1 || finished(got[0]) {
		t.Fatalf("somebody else stopped the answer:\n%s", shown(got))
	}
	_, err = anna.React(h.within(), room, answer, "🛑\ufe0f")
	h.must(err)
	ended(asked, button, cancelled)

	asked, _, button = asks()
	if _, got := h.says(dora, room, "!stop"); !strings.HasPrefix(got.Body(), "🛑") {
		t.Errorf("an admin's !stop is answered %q", got.Body())
	}
	ended(asked, button, cancelled)

	asked, answer, button = asks()
	_, err = dora.React(h.within(), room, answer, "🛑")
	h.must(err)
	ended(asked, button, cancelled)

	asked, _, button = asks()
	h.kill()
	h.start()
	ended(asked, button, restarted)
}
