package dispatch

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// patientYAML has files wait for an hour, so that only what follows ends it.
const patientYAML = `
models: {default: {provider: scripted, id: demo}}
agents: {watcher: {display_name: Watcher}, helper: {display_name: Helper}}
authorization: {default_room_access: true}
defaults: {coalescing: {debounce_ms: 3600000}}
`

// picture is a file; without more nothing is said about it.
func picture(id, room, sender string, more ...string) chat.Event {
	e := text(id, room, sender, id+".png")
	e.Content = json.RawMessage(fmt.Sprintf(`{"msgtype":"m.image","url":"mxc://x/y","body":"%s.png"%s}`, id, strings.Join(more, "")))
	return e
}

// answered writes requests as "trigger(joined joined)".
func answered(requests []Request) string {
	var all []string
	for _, r := range requests {
		s := r.TriggerEvent
		if len(r.Joined) > 0 {
			s += "(" + strings.Join(r.Joined, " ") + ")"
		}
		all = append(all, s)
	}
	return strings.Join(all, " ")
}

func TestAFileGoesWithWhatIsSaidNext(t *testing.T) {
	t.Parallel()
	caption := `,"filename":"cat.png","body":"what is it?"`
	gap := func(e chat.Event, d time.Duration) chat.Event { e.OriginTS += d.Milliseconds(); return e }
	cases := map[string]struct {
		events []chat.Event
		want   string
		left   int // rows that wait on
	}{
		"a text":                 {[]chat.Event{picture("$p", ops, ann), text("$t", ops, ann, "what is it?")}, "$t($p)", 0},
		"several files":          {[]chat.Event{picture("$p", ops, ann), picture("$q", ops, ann), text("$t", ops, ann, "these?")}, "$t($p $q)", 0},
		"nothing yet":            {[]chat.Event{picture("$p", ops, ann)}, "", 1},
		"a caption waits not":    {[]chat.Event{picture("$p", ops, ann, caption)}, "$p", 0},
		"a caption ends it":      {[]chat.Event{picture("$p", ops, ann), picture("$q", ops, ann, caption)}, "$q($p)", 0},
		"a text before it":       {[]chat.Event{text("$t", ops, ann, "look"), picture("$p", ops, ann)}, "$t", 1},
		"one text takes it":      {[]chat.Event{picture("$p", ops, ann), text("$t", ops, ann, "a"), text("$u", ops, ann, "b")}, "$t($p) $u", 0},
		"of another person":      {[]chat.Event{picture("$p", ops, ann), text("$t", ops, ben, "hello")}, "$t", 1},
		"others in between":      {[]chat.Event{picture("$p", ops, ann), text("$b", ops, ben, "hello"), text("$t", ops, ann, "it?")}, "$b $t($p)", 0},
		"in another room":        {[]chat.Event{picture("$p", ops, ann), text("$t", lab, ann, "hello")}, "$t", 1},
		"in another thread":      {[]chat.Event{picture("$p", ops, ann), text("$t", ops, ann, "hello", inThreadOf("$x"))}, "$t", 1},
		"in the same thread":     {[]chat.Event{picture("$p", ops, ann, inThreadOf("$x")), text("$t", ops, ann, "it?", inThreadOf("$x"))}, "$t($p)", 0},
		"a command is no word":   {[]chat.Event{picture("$p", ops, ann), text("$c", ops, ann, "!help"), text("$t", ops, ann, "it?")}, "$t($p)", 0},
		"an edit is no word":     {[]chat.Event{picture("$p", ops, ann), text("$e", ops, ann, "* x", `,"m.relates_to":{"rel_type":"m.replace","event_id":"$old"}`)}, "", 1},
		"to somebody else":       {[]chat.Event{picture("$p", ops, ann), text("$t", ops, ann, "@helper, it?")}, "", 0},
		"long after":             {[]chat.Event{picture("$p", ops, ann), gap(text("$t", ops, ann, "it?"), 2*time.Hour)}, "$t", 1},
		"an old text":            {[]chat.Event{picture("$p", ops, ann), old(text("$t", ops, ann, "it?"))}, "", 1},
		"a relay is no person's": {[]chat.Event{picture("$p", ops, watcher)}, "", 0},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t, patientYAML)
			w.hears(c.events...)
			w.start()
			if got := answered(w.settles(c.left)); got != c.want {
				t.Errorf("answered %q, want %q", got, c.want)
			}
		})
	}
}

func old(e chat.Event) chat.Event { e.Live = false; return e }

// Where several could answer, nobody takes the file; whoever is named next has it.
func TestAFileGoesToWhoeverIsNamedNext(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patientYAML)
	w.set(ops, helper, tool.Yes)
	w.start()
	w.hears(picture("$p", ops, ann))
	w.settles(0) // ignored
	w.hears(text("$t", ops, ann, "@watcher what is it?"))
	if got := answered(w.settles(0)); got != "$t($p)" {
		t.Errorf("answered %q", got)
	}
}

// A file about which nothing comes is answered by itself once it has waited, and
// one that was configured not to wait at once; nothing is left.
func TestAFileByItself(t *testing.T) {
	t.Parallel()
	for _, wait := range []string{"0", "20"} {
		w := newWorld(t, strings.Replace(patientYAML, "3600000", wait, 1))
		w.start()
		w.hears(picture("$p", ops, ann))
		if got := answered(w.settles(0)); got != "$p" {
			t.Errorf("after %s ms: answered %q", wait, got)
		}
	}
}

// A process that dies while a file waits leaves it to the next, which hears the
// text; the one turn and both rows change together.
func TestAFileThatWaitsSurvivesARestart(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patientYAML)
	w.start()
	w.hears(picture("$p", ops, ann), text("$other", lab, ann, "meanwhile"))
	w.settles(1)
	w.stop()
	must(t, w.db.Close())
	w.open()
	w.start()
	w.hears(text("$t", ops, ann, "it?"))
	if got := answered(w.settles(0)); got != "$other $t($p)" {
		t.Errorf("answered %q", got)
	}
	var state chat.EventState
	must(t, w.db.Read(t.Context(), func(r *store.Reader) error {
		e, _, err := w.journal.Find(r, watcher, "$p")
		state = e.State
		return err
	}))
	if state != chat.EventTaken {
		t.Errorf("the file is %s", state)
	}
}

// A turn answers so many messages and no more; the rest have others.
func TestManyFiles(t *testing.T) {
	t.Parallel()
	w := newWorld(t, patientYAML)
	var many []chat.Event
	for i := range maxJoined + 3 {
		many = append(many, picture(fmt.Sprintf("$p%d", i), ops, ann))
	}
	w.hears(append(many, text("$t", ops, ann, "these"))...)
	w.start()
	got := w.settles(0)
	if len(got) != 2 || len(got[0].Joined) != maxJoined-1 || got[0].TriggerEvent != fmt.Sprintf("$p%d", maxJoined-1) ||
		len(got[1].Joined) != 3 || got[1].TriggerEvent != "$t" {
		t.Errorf("answered %s", answered(got))
	}
}
