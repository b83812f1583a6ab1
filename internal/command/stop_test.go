package command

import (
	"context"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// someResponses are responses written down; Cancel takes them away.
type someResponses struct{ all []place }

type place struct {
	Response
	room, thread string
}

func (s *someResponses) Live(_ store.Queryer, room, thread string) ([]Response, error) {
	var live []Response
	for _, p := range s.all {
		if p.room == room && (thread == "" || p.thread == thread) {
			live = append(live, p.Response)
		}
	}
	return live, nil
}

func (s *someResponses) Shown(_ store.Queryer, delivery string) (Response, bool, bool, error) {
	for _, p := range s.all {
		if "turn:"+p.Turn+":0" == delivery {
			return p.Response, true, true, nil
		}
	}
	return Response{}, false, delivery == "turn:over:0", nil
}

func (s *someResponses) Cancel(_ *store.Tx, turn, _ string) (bool, error) {
	n := len(s.all)
	s.all = slices.DeleteFunc(s.all, func(p place) bool { return p.Turn == turn })
	return len(s.all) < n, nil
}

func (s *someResponses) left() string {
	var ids []string
	for _, p := range s.all {
		ids = append(ids, p.Turn)
	}
	return strings.Join(ids, " ")
}

func newStopper(w *world) (Stopper, *someResponses) {
	of := func(turn, requester, room, thread string) place {
		return place{Response{Turn: turn, Agent: "watcher", Requester: requester}, room, thread}
	}
	responses := &someResponses{all: []place{of("a", ann, ops, "$1"), of("b", ben, ops, "$1"), of("c", ann, ops, "$2"), of("d", ann, lab, "$1")}}
	return Stopper{DB: w.db, Responses: responses, Authority: w.desk.Authority, Config: w.desk.Config, Button: "🛑"}, responses
}

// Sentence 7, by !stop.
func TestStop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		call       Call
		left, says string
	}{
		"one's own in a thread":        {Call{Room: ops, Thread: "$1", Person: ann}, "b c d", "🛑 Stopped the answer of watcher."},
		"one's own in the room":        {Call{Room: ops, Person: ann}, "b d", "🛑 Stopped 2 answers."},
		"an admin in a thread":         {Call{Room: ops, Thread: "$1", Person: dora, RoomAdmin: true}, "c d", "🛑 Stopped 2 answers."},
		"an admin in the room":         {Call{Room: ops, Person: dora, RoomAdmin: true}, "d", "🛑 Stopped 3 answers."},
		"nothing of one's own":         {Call{Room: ops, Thread: "$2", Person: ben}, "a b c d", "No answer to you is being written in this thread."},
		"nothing at all, for an admin": {Call{Room: "!z:x", Person: dora, RoomAdmin: true}, "a b c d", "No answer is being written in this room."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stopper, responses := newStopper(newWorld(t, ""))
			text, err := stopper.Command().Run(t.Context(), c.call)
			must(t, err)
			if text != c.says || responses.left() != c.left {
				t.Errorf("it says %q and leaves %s, want %q and %s", text, responses.left(), c.says, c.left)
			}
		})
	}
}

// Sentence 7, by the button.
func TestTheButton(t *testing.T) {
	t.Parallel()
	const nothing, stops, waits = "", "stops", "waits"
	for name, c := range map[string]struct {
		sender, key, delivery string
		set                   string
		answer                tool.Answer
		want                  string
	}{
		"who asked":                      {sender: ann, want: stops},
		"with colour":                    {sender: ann, key: "🛑\ufe0f", want: stops},
		"the ghost of who asked":         {sender: "@ghost:x", want: stops},
		"an admin":                       {sender: dora, want: stops},
		"a global user":                  {sender: global, want: stops},
		"somebody else":                  {sender: ben, want: nothing},
		"another key":                    {sender: ann, key: "👍", want: nothing},
		"another message":                {sender: ann, delivery: "card:1", want: nothing},
		"an answer that has ended":       {sender: ann, delivery: "turn:over:0", want: nothing},
		"who left":                       {sender: ann, set: ops + " " + ann, answer: tool.No, want: nothing},
		"who may be gone":                {sender: ann, set: ops + " " + ann, answer: tool.CannotTell, want: waits},
		"who may be an admin":            {sender: dora, set: ops + " governs " + dora, answer: tool.CannotTell, want: waits},
		"who asked need not be an admin": {sender: ann, set: ops + " governs " + ann, answer: tool.CannotTell, want: stops},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			stopper, responses := newStopper(w)
			if c.set != "" {
				w.set(c.set, c.answer)
			}
			if c.key == "" {
				c.key = "🛑"
			}
			if c.delivery == "" {
				c.delivery = "turn:a:0"
			}
			claimed, later, do, err := stopper.Pressed(t.Context(), ops, c.sender, c.key, c.delivery)
			must(t, err)
			if do != nil {
				must(t, w.db.Write(t.Context(), do))
			}
			if claimed != (c.want != nothing) || later != (c.want == waits) {
				t.Errorf("claimed %v, later %v", claimed, later)
			}
			if gone := responses.left() == "b c d"; gone != (c.want == stops) {
				t.Errorf("%s is left", responses.left())
			}
		})
	}
}

func TestThreadModeOutlivesARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.start()
	n := 0
	says := func(text, want string) {
		t.Helper()
		n++
		event := "$" + strings.Repeat("x", n)
		w.says(Request{EventID: event, Room: ops, Sender: dora, Text: text})
		w.becomes(event, Answered)
		if _, body, _ := w.answered(event); !strings.Contains(body, want) {
			t.Errorf("%s is answered %q", text, body)
		}
	}
	watcher := w.desk.Config.Current().Config.Agents["watcher"]
	says("!thread_mode", "- `@watcher`: `thread`\n- `@helper`: `thread`")
	says("!thread_mode Room", "✅")
	w.reopen()
	says("!thread_mode show", "This room chose `room` for every agent.")
	if here, there := w.desk.Residents.Mode(watcher, ops), w.desk.Residents.Mode(watcher, lab); here != "room" || there != "thread" {
		t.Errorf("modes are %s and %s", here, there)
	}
	says("!thread_mode thread", "in threads")
	says("!thread_mode show", "`thread` for every agent")
	says("!thread_mode reset", "✅ The configuration decides again.")
	w.reopen()
	if _, chosen := w.modes.Of(ops); chosen {
		t.Error("a choice is left")
	}
}

func TestHelloListsWhomThePersonMayTalkTo(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	hello := Hello(w.desk.Residents)
	snap := w.desk.Config.Current()
	for person, want := range map[string]string{
		ann: "👋 You can talk to:\n\n- **Watcher** (`@watcher`): Watch pages.\n\nJust write",
		ben: "👋 You can talk to:\n\n- **Watcher** (`@watcher`): Watch pages.\n- **Helper** (`@helper`)\n\nMention the one you mean, as in `@watcher hello`.",
	} {
		text, err := hello.Run(t.Context(), Call{Room: ops, Person: person, Snapshot: snap})
		must(t, err)
		if !strings.HasPrefix(text, want) {
			t.Errorf("%s reads %q", person, text)
		}
	}
	w.set(ops+" @watcher:x", tool.No)
	if text, err := hello.Run(t.Context(), Call{Room: ops, Person: ann, Snapshot: snap}); err != nil || !strings.Contains(text, "No agent of this room may answer you") {
		t.Errorf("%q, %v", text, err)
	}
}

func TestEncryption(t *testing.T) {
	t.Parallel()
	keys := RoomKeys{}
	says := func(want ...string) {
		t.Helper()
		text, err := Encryption(func(context.Context, string) (RoomKeys, error) { return keys, nil }).Run(t.Context(), Call{})
		must(t, err)
		for _, part := range want {
			if !strings.Contains(text, part) {
				t.Errorf("%q has no %q", text, part)
			}
		}
	}
	says("is not known at the moment")
	keys.Known = true
	says("This room is not encrypted.")
	keys.Encrypted = true
	keys.Accounts = []AccountKeys{{"a", "AAA", true, true, 0}, {"b", "BBB", true, true, 1}, {"c", "CCC", true, true, 7}, {"d", "DDD", true, false, 0}, {"e", "EEE", false, false, 0}}
	says("🔒 This room is encrypted.", "- `a`, device `AAA`: ✅", "`BBB`: ⚠️ one message", "`CCC`: ⚠️ 7 messages", "`DDD`: ⚠️ its keys are not at the homeserver", "`EEE`: ❌ has no keys")
}
