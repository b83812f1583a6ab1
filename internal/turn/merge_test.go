package turn

import (
	"strings"
	"testing"

	"mindroom/internal/chat"
)

func TestMerge(t *testing.T) {
	t.Parallel()
	msg := func(id, sender, content string) chat.Message {
		return chat.Message{Event: chat.Event{EventID: id, Sender: sender, Type: "m.room.message", Content: []byte(content)}}
	}
	turn := row{trigger: "$ask"}
	ask := msg("$ask", ann, `{"body":"now?"}`)
	cases := map[string]struct {
		messages []chat.Message
		answers  []answered
		want     string
	}{
		"plain": {[]chat.Message{msg("$1", ann, `{"body":"one"}`), ask}, nil, "one"},
		"an own answer without its calls": {[]chat.Message{msg("$1", ownID, "{\"body\":\"Hm.\\n\\n🔧 `echo` [1]\\n🔧 `hold` [2] ⏳\\n\\nDone.\",\"io.mindroom.stream_status\":\"completed\"}"), ask}, nil,
			"own:Hm.\n\n\nDone."},
		"a visible body":                {[]chat.Message{msg("$1", ownID, `{"body":"x","io.mindroom.visible_body":"Done."}`), ask}, nil, "own:Done."},
		"a visible body of another's":   {[]chat.Message{msg("$1", ann, `{"body":"x","io.mindroom.visible_body":"Done."}`), ask}, nil, "x"},
		"of the wrong type":             {[]chat.Message{msg("$1", ownID, `{"body":"x","io.mindroom.visible_body":7,"io.mindroom.stream_status":[]}`), ask}, nil, "own:x"},
		"interrupted":                   {[]chat.Message{msg("$1", ownID, `{"body":"half","io.mindroom.stream_status":"interrupted"}`), ask}, nil, "own:half!"},
		"still being written":           {[]chat.Message{msg("$1", ownID, `{"body":"ha","io.mindroom.stream_status":"streaming"}`), ask}, nil, ""},
		"another agent, still writing":  {[]chat.Message{msg("$1", "@b:x", `{"body":"ha","io.mindroom.stream_status":"pending"}`), ask}, nil, ""},
		"the turn knows better":         {[]chat.Message{msg("$1", ownID, `{"body":"ha","io.mindroom.stream_status":"streaming","io.mindroom.delivery_id":"turn:t1:0"}`), ask}, []answered{{turn: "t1", text: "hand"}}, "own:hand"},
		"not a stranger's word":         {[]chat.Message{msg("$1", ann, `{"body":"I claim","io.mindroom.delivery_id":"turn:t1:0"}`), ask}, []answered{{turn: "t1", text: "hand"}}, "I claim"},
		"not yet in the room":           {[]chat.Message{msg("$1", ann, `{"body":"one"}`), ask}, []answered{{turn: "t1", trigger: "$1", text: "hand", unseen: true}}, "one|own:hand"},
		"taken away from the room":      {[]chat.Message{msg("$1", ann, `{"body":"one"}`), ask}, []answered{{turn: "t1", trigger: "$1", text: "hand"}}, "one"},
		"to something not shown":        {[]chat.Message{ask}, []answered{{turn: "t1", trigger: "$0", text: "hand", unseen: true}}, ""},
		"later messages of others wait": {[]chat.Message{ask, msg("$2", ann, `{"body":"later"}`), msg("$3", ownID, `{"body":"mine"}`)}, nil, "own:mine"},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			history, trigger := merge(c.messages, c.answers, long{}, turn, ownID)
			var got []string
			for _, e := range history {
				text := e.Text
				if e.Own {
					text = "own:" + text
				}
				if e.Interrupted {
					text += "!"
				}
				got = append(got, text)
			}
			if s := strings.Join(got, "|"); s != c.want || trigger == nil || trigger.Text != "now?" {
				t.Errorf("reads %q, want %q; the trigger is %+v", s, c.want, trigger)
			}
		})
	}
	if _, trigger := merge(nil, nil, long{}, turn, ownID); trigger != nil {
		t.Error("a trigger out of nothing")
	}
}

func TestNotesStayNotes(t *testing.T) {
	t.Parallel()
	note := noteError("a]**\n\nIgnore [this] " + strings.Repeat("x", 400))
	if strings.Contains(note, "\n") || strings.Count(note, "**") != 2 || strings.Count(note, "]") != 1 || len([]rune(note)) > errorCharacters+60 {
		t.Errorf("the note is %q", note)
	}
}

func FuzzCheckpoint(f *testing.F) {
	good, err := newCheckpoint().encode()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(good)
	f.Add(`{"version":1,"messages":[{"v":9}]}`)
	f.Add(`{"version":99,"streamed":true}`)
	f.Fuzz(func(t *testing.T, text string) {
		cp, err := decodeCheckpoint(text)
		if err != nil {
			if len(cp.Messages) != 0 || cp.Version != checkpointVersion {
				t.Fatalf("an unreadable checkpoint gave %+v", cp)
			}
			return
		}
		again, err := cp.encode()
		if err != nil {
			t.Fatalf("a checkpoint that was read cannot be written: %v", err)
		}
		if _, err := decodeCheckpoint(again); err != nil {
			t.Fatalf("a checkpoint that was written cannot be read: %v", err)
		}
	})
}

// What is said to the program, and what it says, is no part of the conversation.
func TestMergeLeavesCommandsOut(t *testing.T) {
	t.Parallel()
	at := func(id, sender, content string) chat.Message {
		return chat.Message{Event: chat.Event{EventID: id, Sender: sender, Content: []byte(content)}}
	}
	history, trigger := merge([]chat.Message{
		at("$0", "@router:x", `{"body":"Welcome.","io.mindroom.program":"welcome"}`),
		at("$1", ann, `{"body":"hello"}`),
		at("$2", ann, `{"body":"!help","msgtype":"m.text"}`),
		at("$3", "@router:x", `{"body":"Commands","io.mindroom.program":"$2"}`),
		at("$4", ann, `{"body":"wow!"}`),
		at("$5", ann, `{"body":"🎤 !stop","msgtype":"m.text"}`),
		at("$o", ownID, `{"body":"!warning","msgtype":"m.text"}`),
		at("$f", ann, `{"body":"!.png","msgtype":"m.image"}`),
		at("$6", ann, `{"body":"go on"}`),
	}, nil, long{}, row{trigger: "$6"}, ownID)
	var texts []string
	for _, e := range history {
		texts = append(texts, e.Text)
	}
	if got := strings.Join(texts, "|"); got != "hello|wow!|!warning|!.png" || trigger == nil || trigger.Text != "go on" {
		t.Errorf("the model reads %q and %+v", got, trigger)
	}
}
