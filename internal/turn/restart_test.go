package turn

import (
	"encoding/json"
	"maps"
	"strings"
	"testing"

	"mindroom/internal/store"
)

// At every phase a restart leaves exactly one placeholder and one end, and no
// tool runs twice (sentences 3 and 4).
func TestRestart(t *testing.T) {
	t.Parallel()
	t.Run("before the turn began", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.stop()
		id := b.ask("$1", "hello")
		b.model.plays(says("Good morning."))
		b.reopen()
		b.ends(id, Answered)
		b.oneAnswer(id, "Good morning.")
	})
	t.Run("while the model writes", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		reached := make(chan struct{})
		b.model.plays(hangs("Good mor", reached), says("Good morning."))
		id := b.ask("$1", "hello")
		<-reached
		b.reopen()
		b.ends(id, Answered)
		b.oneAnswer(id, "Good morning.")
	})
	t.Run("after a batch", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		reached := make(chan struct{})
		b.model.plays(calls("echo", `{"key":"a"}`), hangs("It ec", reached), says("It echoed."))
		id := b.ask("$1", "hello")
		<-reached
		if s := b.row(id).state; s != Clean {
			t.Errorf("after its batch the turn is %s", s)
		}
		b.reopen()
		b.ends(id, Answered)
		b.oneAnswer(id, "🔧 `echo` [1]\n\nIt echoed.")
		if n := b.tools.times("a"); n != 1 {
			t.Errorf("the tool ran %d times", n)
		}
		last := b.model.asked()[2]
		if r := last.Messages[2].Results(); len(r) != 1 || r[0].Text != "echo a" {
			t.Errorf("after the restart the model reads %+v", last.Messages)
		}
	})
	t.Run("while a tool runs that does not end", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.model.plays(calls("echo", `{"key":"a"}`, "hold", `{"key":"b"}`), says("not reached"))
		id := b.ask("$1", "hello")
		b.arrives()
		b.arrives()
		b.reopen()
		b.ends(id, Interrupted)
		b.oneAnswer(id, noteRestart)
		if b.tools.times("a") != 1 || b.tools.times("b") != 1 || len(b.model.asked()) != 1 {
			t.Errorf("ran %v, asked %d times", b.tools.ran, len(b.model.asked()))
		}
		cp, err := decodeCheckpoint(b.row(id).checkpoint)
		must(t, err)
		if len(cp.Calls) != 2 || cp.Calls[0].Result.Text != "echo a" || !strings.HasPrefix(cp.Calls[1].Result.Text, "indeterminate") {
			t.Errorf("kept %+v", cp.Calls)
		}
		ends := map[string]string{}
		for _, r := range b.audit.all() {
			ends[r.Call.Owner[:5]+r.Call.Name.String()+string(r.Call.Args.Canonical())] += string(r.Outcome.State)
		}
		if want := map[string]string{`turn-probe.echo{"key":"a"}`: "completed", `turn-probe.hold{"key":"b"}`: "indeterminate"}; !maps.Equal(ends, want) {
			t.Errorf("audited %v, want %v", ends, want)
		}
	})
	t.Run("while a tool runs that ends in time", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", func(p *Parts) { p.Grace = patient })
		b.model.plays(calls("hold", `{"key":"a"}`), says("It held."))
		id := b.ask("$1", "hello")
		b.arrives()
		b.order()
		close(b.tools.release)
		b.reopen()
		b.ends(id, Answered)
		b.oneAnswer(id, "It held.")
		if n := b.tools.times("a"); n != 1 {
			t.Errorf("the tool ran %d times", n)
		}
	})
	t.Run("after the end", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.model.plays(says("Good morning."))
		id := b.ask("$1", "hello")
		b.ends(id, Answered)
		b.reopen()
		b.idle()
		b.oneAnswer(id, "Good morning.")
	})
	t.Run("with a checkpoint of a later build", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		reached := make(chan struct{})
		b.model.plays(hangs("Good mor", reached))
		id := b.ask("$1", "hello")
		<-reached
		b.stop()
		must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
			return saveCheckpoint(tx, id, `{"version": 99, "streamed": true, "view": 7}`)
		}))
		b.reopen()
		b.ends(id, Interrupted)
		b.oneAnswer(id, noteRestart)
		if r := b.row(id).reason; r != string(ReasonVersion) {
			t.Errorf("the reason is %q", r)
		}
	})
	t.Run("after a cancellation that nobody carried out", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.stop()
		id := b.ask("$1", "hello")
		b.cancels(id, true)
		b.reopen()
		b.ends(id, Cancelled)
		if n := len(b.model.asked()); n != 0 {
			t.Errorf("the model was asked %d times", n)
		}
	})
	t.Run("again and again", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		var id string
		for range maxAttempts {
			reached := make(chan struct{})
			b.model.plays(hangs("Good", reached))
			if id == "" {
				id = b.ask("$1", "hello")
			}
			<-reached
			b.reopen()
		}
		b.ends(id, Failed)
		b.oneAnswer(id, noteFault)
	})
}

// oneAnswer holds the outbox to one placeholder and one end with the text.
func (b *bundle) oneAnswer(id, text string) {
	b.t.Helper()
	var first, last int
	for name, d := range deliveries(b.t, b.db) {
		switch {
		case d.progress, strings.HasPrefix(name, "card"):
		case name == firstDelivery(id):
			first++
		case name == lastDelivery(id):
			last++
		case name == stopDelivery(id) || name == unstopDelivery(id):
		default:
			b.t.Errorf("a delivery nobody expects: %s", name)
		}
	}
	if first != 1 || last != 1 || !strings.Contains(b.said(id), text) {
		b.t.Errorf("%d placeholders, %d ends, the last reads %q, want %q", first, last, b.said(id), text)
	}
}

// The next turn of the conversation knows what an interrupted one had called,
// although the room shows only its note.
func TestTheModelHearsOfAnInterruption(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(calls("hold", `{"key":"b"}`), says("I know."))
	id := b.ask("$1", "hello")
	b.arrives()
	b.reopen()
	b.ends(id, Interrupted)
	b.ends(b.ask("$2", "and now?"), Answered)
	messages := b.model.asked()[1].Messages
	if len(messages) != 3 {
		t.Fatalf("the model reads %+v", messages)
	}
	own := messages[1].Text()
	for _, want := range []string{"was interrupted", `hold({"key":"b"})`, "do not repeat it automatically"} {
		if !strings.Contains(own, want) {
			t.Errorf("its own answer reads %q, which lacks %q", own, want)
		}
	}
}

// A turn that follows at once reads the answer before it, although the room has
// not shown that yet; and a redacted answer does not come back.
func TestTheNextTurnReadsTheAnswerBefore(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "", nil)
	b.model.plays(says("The first answer."), says("The second."), says("The third."))
	first := b.ask("$1", "one")
	b.ends(first, Answered)
	b.ends(b.ask("$2", "two"), Answered)
	messages := b.model.asked()[1].Messages
	if len(messages) != 3 || messages[1].Text() != "The first answer." {
		t.Errorf("the model reads %+v", messages)
	}

	must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := b.outbox.MarkSent(tx, firstDelivery(first), "$answer1")
		return err
	}))
	heard(t, b.db, "$root", "$answer1", ownID, map[string]any{"msgtype": "m.notice", "body": placeholderText,
		"io.mindroom.stream_status": "pending", "io.mindroom.delivery_id": firstDelivery(first)})
	redact(t, b.db, "$answer1")
	b.ends(b.ask("$3", "three"), Answered)
	raw, err := json.Marshal(b.model.asked()[2].Messages)
	must(t, err)
	if strings.Contains(string(raw), "The first answer.") || !strings.Contains(string(raw), "The second.") {
		t.Errorf("the model reads %s", raw)
	}
}
