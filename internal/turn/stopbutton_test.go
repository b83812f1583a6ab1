package turn

import (
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/store"
)

// sends plays the pump for one delivery: it begins an attempt and, unless the
// event id is empty, ends it.
func (b *bundle) sends(id, event string) {
	b.t.Helper()
	due, _, err := b.outbox.Next(b.t.Context(), ownID)
	must(b.t, err)
	if len(due) != 1 || due[0].ID != id {
		b.t.Fatalf("next is %+v, not %s", due, id)
	}
	if event == "" {
		return
	}
	must(b.t, b.db.Write(b.t.Context(), func(tx *store.Tx) error {
		_, err := b.outbox.MarkSent(tx, id, event)
		return err
	}))
}

// Sentence 11: every end takes the button away, and a button that was never
// sent is not sent any more.
func TestTheStopButton(t *testing.T) {
	t.Parallel()
	begin := func(t *testing.T, more string) (*bundle, string) {
		b := newBundle(t, more, nil)
		reached := make(chan struct{})
		b.model.plays(hangs("Once", reached))
		id := b.ask("$1", "tell")
		<-reached
		return b, id
	}
	t.Run("not sent yet", func(t *testing.T) {
		t.Parallel()
		b, id := begin(t, "")
		button := deliveries(t, b.db)[stopDelivery(id)]
		if button.state != string(chat.Queued) || !strings.Contains(string(button.content), StopKey) {
			t.Errorf("the button is %s: %s", button.state, button.content)
		}
		b.cancels(id, true)
		b.ends(id, Cancelled)
		all := deliveries(t, b.db)
		if _, redacted := all[unstopDelivery(id)]; redacted || all[stopDelivery(id)].state != string(chat.Superseded) {
			t.Errorf("the button is %s, redacted: %v", all[stopDelivery(id)].state, redacted)
		}
	})
	for name, event := range map[string]string{"sent": "$button", "on its way": ""} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := begin(t, "")
			b.sends(firstDelivery(id), "$answer")
			b.sends(stopDelivery(id), event)
			b.cancels(id, true)
			b.ends(id, Cancelled)
			if got := deliveries(t, b.db)[unstopDelivery(id)]; got.state != string(chat.Queued) {
				t.Errorf("its removal is %q", got.state)
			}
		})
	}
	t.Run("an end by the restart", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.model.plays(calls("hold", `{"key":"b"}`))
		id := b.ask("$1", "hello")
		b.arrives()
		b.sends(firstDelivery(id), "$answer")
		b.sends(stopDelivery(id), "$button")
		b.reopen()
		b.ends(id, Interrupted)
		if got := deliveries(t, b.db)[unstopDelivery(id)]; got.state != string(chat.Queued) {
			t.Errorf("its removal is %q", got.state)
		}
	})
	for name, more := range map[string]string{
		"switched off": "defaults: {show_stop_button: false}\n", "an answer that does not grow": "defaults: {enable_streaming: false}\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, id := begin(t, more)
			b.cancels(id, true)
			b.ends(id, Cancelled)
			all := deliveries(t, b.db)
			for _, other := range []string{stopDelivery(id), unstopDelivery(id)} {
				if _, there := all[other]; there {
					t.Errorf("%s is in the outbox", other)
				}
			}
		})
	}
}

func TestOfDelivery(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		firstDelivery("turn-1"): "turn-1", lastDelivery("turn-1"): "", stopDelivery("turn-1"): "", "card:1:0": "", "": "",
	} {
		if got, ok := OfDelivery(id); ok != (want != "") || ok && got != want {
			t.Errorf("%q is of turn %q, %v", id, got, ok)
		}
	}
}

func TestLive(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	first, second := make(chan struct{}), make(chan struct{})
	b.model.plays(says("Done."))
	done := b.askIn("$a", "$0", "over")
	b.ends(done, Answered)
	b.model.plays(hangs("", first))
	one := b.askIn("$a", "$1", "one")
	<-first
	b.model.plays(hangs("", second))
	two := b.askIn("$b", "$2", "two")
	<-second
	three := b.askIn("$b", "$3", "waits")
	list := func(thread string) string {
		var ids []string
		must(t, b.db.Read(t.Context(), func(q *store.Reader) error {
			all, err := Live(q, roomID, thread)
			ids = nil
			for _, turn := range all {
				ids = append(ids, turn.ID)
			}
			return err
		}))
		return strings.Join(ids, " ")
	}
	if got, want := list(""), strings.Join([]string{one, two, three}, " "); got != want {
		t.Errorf("in the room %s, want %s", got, want)
	}
	if got, want := list("$b"), two+" "+three; got != want {
		t.Errorf("in the thread %s, want %s", got, want)
	}
	for _, id := range []string{three, two, one} {
		b.cancels(id, true)
		b.ends(id, Cancelled)
	}
}
