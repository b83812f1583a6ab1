package command

import (
	"context"
	"strings"
	"testing"

	"mindroom/internal/tool"
)

// Who may what, and what people read (sentences 4 and 5).
func TestWhoMay(t *testing.T) {
	t.Parallel()
	const silence = ""
	for name, c := range map[string]struct {
		sender, text string
		spoken       bool
		set          string // what is not so
		want         string
	}{
		"anybody":                     {sender: ann, text: "!Help", want: "**Commands**"},
		"a bridge's ghost of anybody": {sender: "@ghost:x", text: "!hi", want: "**Watcher**"},
		"whom the router ignores":     {sender: eve, text: "!help", want: silence},
		"nor hears of a fault":        {sender: eve, text: "!nonsense", want: silence},
		"who left":                    {sender: ann, text: "!help", set: ops + " " + ann, want: silence},
		"nonsense":                    {sender: ann, text: "!nonsense", want: textUnknown},
		"a lone mark":                 {sender: ann, text: "!", want: textUnknown},
		"an effect":                   {sender: ann, text: "!change-it", want: "changed"},
		"an effect by voice":          {sender: ann, text: "!change-it", spoken: true, want: textSpoken},
		"no effect by voice":          {sender: ann, text: "!help", spoken: true, want: "**Commands**"},
		"no effect with these words":  {sender: dora, text: "!thread_mode show", spoken: true, want: "`@watcher`: `thread`"},
		"a room admin's":              {sender: ann, text: "!thread_mode show", want: textRoomAdmins},
		"by one":                      {sender: dora, text: "!thread_mode show", want: "`@watcher`"},
		"a global user's":             {sender: dora, text: "!reload", want: textAdmins},
		"a fault":                     {sender: ann, text: "!fail", want: textFailed},
		"a fall":                      {sender: ann, text: "!fall", want: textFailed},
		"help on one":                 {sender: ann, text: "!help !Thread-mode", want: "For room admins."},
		"help on none":                {sender: ann, text: "!help `x`", want: "There is no command `!'x'`."},
		"a mode that is none":         {sender: dora, text: "!thread_mode sideways", want: "❌ `sideways` is no mode."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			if c.set != "" {
				w.set(c.set, tool.No)
			}
			w.start()
			w.says(Request{EventID: "$1", Room: ops, Sender: c.sender, Text: c.text, Spoken: c.spoken})
			if c.want == silence {
				w.becomes("$1", Silent)
				if _, body, ok := w.answered("$1"); ok {
					t.Errorf("the answer is %q", body)
				}
				return
			}
			w.becomes("$1", Answered)
			if _, body, ok := w.answered("$1"); !ok || !strings.Contains(body, c.want) || strings.Contains(body, "secret") {
				t.Errorf("the answer is %q, want %q", body, c.want)
			}
		})
	}
	t.Run("global users are room admins", func(t *testing.T) {
		t.Parallel()
		w := newWorld(t, strings.Replace(people, `["@ann:x", "@ben:x", "@dora:x"]`, `["*"]`, 1))
		w.set(ops+" governs "+global, tool.No)
		w.start()
		w.says(Request{EventID: "$1", Room: ops, Sender: global, Text: "!thread_mode show"})
		w.says(Request{EventID: "$2", Room: ops, Sender: global, Text: "!reload"})
		w.becomes("$2", Answered)
		for event, want := range map[string]string{"$1": "By the configuration", "$2": "changed"} {
			if _, body, _ := w.answered(event); !strings.Contains(body, want) {
				t.Errorf("%s: %q", event, body)
			}
		}
	})
}

func TestWhereAnswersGo(t *testing.T) {
	t.Parallel()
	roomMode := strings.Replace(people, "rooms: [ops]", "rooms: [ops], thread_mode: room", 1)
	for name, c := range map[string]struct {
		yaml, thread, alone string
		root                string
	}{
		"a new thread":                      {root: "$1"},
		"the thread of the command":         {thread: "$root", root: "$root"},
		"plainly where all answer so":       {yaml: roomMode, alone: "@helper:x"},
		"a new thread where one does not":   {yaml: roomMode, root: "$1"},
		"a thread there too":                {yaml: roomMode, alone: "@helper:x", thread: "$root", root: "$root"},
		"a new thread where no agent lives": {yaml: roomMode, alone: "@helper:x @watcher:x", root: "$1"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, c.yaml)
			for _, gone := range strings.Fields(c.alone) {
				w.set(ops+" "+gone, tool.No)
			}
			w.start()
			w.says(Request{EventID: "$1", Room: ops, Thread: c.thread, Sender: ann, Text: "!help", Account: "@other:x", Entity: "other"})
			w.becomes("$1", Answered)
			d, _, _ := w.answered("$1")
			said := content(t, d)
			relation, _ := said["m.relates_to"].(map[string]any)
			reply, _ := relation["m.in_reply_to"].(map[string]any)
			if d.ThreadRoot != c.root || d.Account != "@other:x" || d.Room != ops || reply["event_id"] != "$1" {
				t.Errorf("it goes to %+v as %v", d.Conversation, relation)
			}
			// Sentence 6.
			if said["com.mindroom.skip_mentions"] != true || said["io.mindroom.program"] != "$1" || said["msgtype"] != "m.notice" {
				t.Errorf("it says %v", said)
			}
		})
	}
}

// Sentence 4: what cannot be told waits, in order, and holds up its room alone.
func TestWhatCannotBeToldWaits(t *testing.T) {
	t.Parallel()
	for name, unknown := range map[string]string{"access": ops + " " + ann, "power": ops + " governs " + dora} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, "")
			w.set(unknown, tool.CannotTell)
			w.start()
			w.says(Request{EventID: "$a", Room: ops, Sender: map[string]string{"access": ann, "power": dora}[name], Text: "!thread_mode show"})
			w.says(Request{EventID: "$b", Room: ops, Sender: ben, Text: "!change_it"})
			w.says(Request{EventID: "$c", Room: lab, Sender: ben, Text: "!change_it"})
			w.becomes("$c", Answered)
			if a, b := w.state("$a"), w.state("$b"); a != Accepted || b != Accepted {
				t.Errorf("they are %s and %s", a, b)
			}
			w.set(unknown, tool.Yes)
			w.desk.Wake()
			w.becomes("$b", Answered)
			if a := w.state("$a"); a != Answered {
				t.Errorf("the first is %s", a)
			}
		})
	}
}

// Sentence 1, and another account that heard the same.
func TestACommandIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	w.start()
	r := Request{EventID: "$1", Room: ops, Sender: ann, Text: "!change_it"}
	w.says(r)
	w.becomes("$1", Answered)
	r.Account, r.Entity = "@helper:x", "helper"
	w.says(r)
	w.says(Request{EventID: "$2", Room: ops, Sender: ann, Text: "!help"})
	w.becomes("$2", Answered)
	if d, _, _ := w.answered("$1"); d.Account != router || len(w.ran) != 1 {
		t.Errorf("%s answers, it ran %d times", d.Account, len(w.ran))
	}
}

// Sentences 2 and 3 over a restart: what had begun is not repeated, and is told.
func TestAfterARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, "")
	reached := make(chan struct{})
	w.during = func(ctx context.Context) error {
		close(reached)
		<-ctx.Done()
		return ctx.Err()
	}
	w.start()
	w.says(Request{EventID: "$1", Room: ops, Thread: "$root", Sender: ann, Text: "!change_it"})
	w.says(Request{EventID: "$2", Room: ops, Sender: ann, Text: "!help"})
	<-reached
	w.during = nil
	w.reopen()
	w.becomes("$1", Uncertain)
	w.becomes("$2", Answered)
	if d, body, _ := w.answered("$1"); body != textUncertain || d.ThreadRoot != "$root" || len(w.ran) != 1 {
		t.Errorf("it is answered %q in %q and ran %d times", body, d.ThreadRoot, len(w.ran))
	}
	w.reopen()
	w.says(Request{EventID: "$3", Room: ops, Sender: ann, Text: "!help"})
	w.becomes("$3", Answered)
	if s := w.state("$1"); s != Uncertain {
		t.Errorf("it is %s", s)
	}
}
