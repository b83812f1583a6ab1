package turn

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/interactive"
	"mindroom/internal/message"
	"mindroom/internal/model"
	"mindroom/internal/store"
)

const (
	asksBlock = "```interactive\n" + `{"question":"Which language?","options":[{"emoji":"🐍","label":"Python","value":"py"},{"emoji":"🐹","label":"Go","value":"golang"}]}` + "\n```"
	asksOpen  = "Which language?\n\n1. 🐍 Python\n2. 🐹 Go\n\nReact with one of the emojis, or type its number."
)

// late is the engine of a bundle as its desk finds it, which is made before it.
type late struct{ engine func() *Engine }

func (l late) Selected(tx *store.Tx, s interactive.Selection) error {
	return l.engine().Selected(tx, s)
}
func (l late) Restate(tx *store.Tx, turn, words string) error {
	return l.engine().Restate(tx, turn, words)
}

// newChooser is a bundle whose answers may ask, and its desk as it is now.
func newChooser(t *testing.T) (*bundle, func() *interactive.Desk) {
	t.Helper()
	var b *bundle
	var desk *interactive.Desk
	b = newBundle(t, "", func(p *Parts) {
		desk = &interactive.Desk{DB: p.DB, Outbox: p.Outbox, Config: p.Config, Authority: everybody{}, Turns: late{func() *Engine { return b.engine }}}
		p.Questions = desk
	})
	return b, func() *interactive.Desk { return desk }
}

// drains sends everything that is due, one event a delivery, and the account hears
// its own messages.
func (b *bundle) drains() {
	b.t.Helper()
	for {
		due, _, err := b.outbox.Next(b.t.Context(), ownID)
		must(b.t, err)
		if len(due) == 0 {
			return
		}
		must(b.t, b.db.Write(b.t.Context(), func(tx *store.Tx) error {
			_, err := b.outbox.MarkSent(tx, due[0].ID, "$sent:"+due[0].ID)
			return err
		}))
		if due[0].Kind == chat.KindMessage {
			var content map[string]any
			must(b.t, json.Unmarshal(due[0].Content, &content))
			heard(b.t, b.db, due[0].ThreadRoot, "$sent:"+due[0].ID, ownID, content)
		}
	}
}

// reacts journals a reaction of Ann's, as her client sends it.
func (b *bundle) reacts(event, target, key string) {
	b.t.Helper()
	must(b.t, b.db.Write(b.t.Context(), func(tx *store.Tx) error {
		_, err := chat.NewJournal(b.db, nil).RecordSync(tx, ownID, "", []chat.Event{{EventID: event, Room: roomID, Sender: ann, Type: "m.reaction",
			OriginTS: time.Now().UnixMilli(), Live: true, Content: json.RawMessage(fmt.Sprintf(
				`{"m.relates_to":{"rel_type":"m.annotation","event_id":%q,"key":%q}}`, target, key))}})
		return err
	}))
}

// chooses has the desk hear a word of Ann's, and reports whether it was claimed.
func (b *bundle) chooses(desk *interactive.Desk, w interactive.Word) bool {
	b.t.Helper()
	w.Person, w.Room = ann, roomID
	v, err := desk.Hear(b.t.Context(), w)
	must(b.t, err)
	if v.Do != nil {
		must(b.t, b.db.Write(b.t.Context(), v.Do))
	}
	return v.Claimed
}

// Sentence 16, by a reaction: what the room reads, the turn that goes on, and what
// the model knows of it then and later.
func TestAnAnswerAsks(t *testing.T) {
	t.Parallel()
	b, desk := newChooser(t)
	b.model.plays(says("Let me ask.\n\n"+asksBlock), says("Go it is."), says("You chose Go."))
	id := b.ask("$1", "build it")
	b.ends(id, Answered)
	content := b.final(id)
	if content["body"] != "Let me ask.\n\n"+asksOpen || !strings.Contains(content["formatted_body"].(string), "<li>🐍 Python</li>") {
		t.Errorf("the room reads %v", content)
	}
	raw, err := json.Marshal(content[message.KeyInteractive])
	if want := `{"creator_agent":"watcher","option_labels":{"🐍":"Python","🐹":"Go"},"options":{"🐍":"py","🐹":"golang"},"question_text":"Which language?","source_event_id":"$1"}`; err != nil || string(raw) != want {
		t.Errorf("programs read %s, %v", raw, err)
	}
	for n, key := range []string{"🐍", "🐹"} {
		if d := deliveries(t, b.db)[fmt.Sprintf("question:%s:%d", id, n+1)]; !strings.Contains(string(d.content), key) {
			t.Errorf("button %d is %s", n+1, d.content)
		}
	}
	b.drains()
	b.reacts("$react", "$sent:"+firstDelivery(id), "🐹")
	if !b.chooses(desk(), interactive.Word{Event: "$react", Message: firstDelivery(id), Key: "🐹"}) {
		t.Fatal("the reaction chooses nothing")
	}
	next := b.turnOf("$react")
	b.ends(next, Answered)
	asked := b.model.asked()
	if last := lastOf(asked[1]); !strings.Contains(last, `event_id="$react">My choice for your question "Which language?": 🐹 Go (value: golang)</msg>`) {
		t.Errorf("the model is asked %q", last)
	}
	if own := asked[1].Messages[1]; own.Role != model.RoleAssistant || !strings.Contains(own.Text(), asksBlock) {
		t.Errorf("of its question the model knows %q", own.Text())
	}
	var reply struct {
		Relates struct {
			InReply struct {
				Event string `json:"event_id"`
			} `json:"m.in_reply_to"`
		} `json:"m.relates_to"`
	}
	must(t, json.Unmarshal(deliveries(t, b.db)[firstDelivery(next)].content, &reply))
	if got := reply.Relates.InReply.Event; got != "$sent:"+firstDelivery(id) {
		t.Errorf("the answer replies to %s", got)
	}
	var again map[string]any
	must(t, json.Unmarshal(deliveries(t, b.db)[restateDelivery(id)].content, &again))
	if again["body"] != "Let me ask.\n\nWhich language?\n\n✓ 🐹 Go" || again[message.KeyInteractive] != nil || again[message.KeyStreamStatus] != "completed" {
		t.Errorf("afterwards the room reads %v", again)
	}
	for n := range 2 {
		if _, gone := deliveries(t, b.db)[fmt.Sprintf("question:%s:%d:gone", id, n+1)]; !gone {
			t.Errorf("button %d is still there", n+1)
		}
	}
	b.reacts("$late", "$sent:"+firstDelivery(id), "🐍")
	if b.chooses(desk(), interactive.Word{Event: "$late", Message: firstDelivery(id), Key: "🐍"}) {
		t.Error("a second reaction chooses")
	}
	// A restart later the agent still knows.
	b.reopen()
	third := b.ask("$3", "what did I choose?")
	b.ends(third, Answered)
	var all []string
	for _, m := range b.model.asked()[2].Messages {
		all = append(all, m.Text())
	}
	history := strings.Join(all, "\n")
	if at, then := strings.Index(history, "My choice for"), strings.Index(history, "Go it is."); at < strings.Index(history, asksBlock) || then < at {
		t.Errorf("the history reads %s", history)
	}
}

func lastOf(r model.Request) string { return r.Messages[len(r.Messages)-1].Text() }

// Sentence 16, by the number: the message stays what the person wrote, the model
// reads what it stands for.
func TestANumberChooses(t *testing.T) {
	t.Parallel()
	b, desk := newChooser(t)
	b.model.plays(says(asksBlock), says("Python it is."))
	id := b.ask("$1", "build it")
	b.ends(id, Answered)
	b.drains()
	heard(t, b.db, "$root", "$2", ann, map[string]any{"msgtype": "m.text", "body": "1"})
	word := interactive.Word{Event: "$2", Thread: "$root", Text: "1"}
	if b.chooses(desk(), interactive.Word{Event: "$2", Text: "1"}) || b.chooses(desk(), interactive.Word{Event: "$2", Thread: "$root", Text: "3"}) {
		t.Error("a number elsewhere, or of no option, chooses")
	}
	if !b.chooses(desk(), word) {
		t.Fatal("the number chooses nothing")
	}
	b.ends(b.turnOf("$2"), Answered)
	if last := lastOf(b.model.asked()[1]); !strings.Contains(last, `event_id="$2">My choice for your question "Which language?": 🐍 Python (value: py)</msg>`) {
		t.Errorf("the model is asked %q", last)
	}
	if !b.chooses(desk(), word) {
		t.Error("another account that heard the number would take it for a message")
	}
}

// The next answer goes past an open question, whatever it says.
func TestTheNextAnswerClosesAQuestion(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{"an answer": "As you like.", "another question": asksBlock} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, desk := newChooser(t)
			b.model.plays(says(asksBlock), says(second))
			id := b.ask("$1", "build it")
			b.ends(id, Answered)
			b.drains()
			next := b.ask("$2", "neither")
			b.ends(next, Answered)
			b.reacts("$react", "$sent:"+firstDelivery(id), "🐹")
			if b.chooses(desk(), interactive.Word{Event: "$react", Message: firstDelivery(id), Key: "🐹"}) {
				t.Error("the older question can be answered")
			}
			var again map[string]any
			must(t, json.Unmarshal(deliveries(t, b.db)[restateDelivery(id)].content, &again))
			if again["body"] != "Which language?\n\n1. 🐍 Python\n2. 🐹 Go\n\nThis question is closed." {
				t.Errorf("the older question reads %v", again["body"])
			}
			b.drains()
			b.reacts("$other", "$sent:"+firstDelivery(next), "🐹")
			if got := b.chooses(desk(), interactive.Word{Event: "$other", Message: firstDelivery(next), Key: "🐹"}); got != (second == asksBlock) {
				t.Errorf("the newer answer can be chosen from: %v", got)
			}
		})
	}
}

// A block asks only where it can be answered: at the end of an answer that came
// to its end by itself, and well formed.
func TestBlocksThatDoNotAsk(t *testing.T) {
	t.Parallel()
	cut := func(text string) answer {
		return func(ctx context.Context, req model.Request, sink func(model.Event)) (model.Response, error) {
			r, err := says(text)(ctx, req, sink)
			r.Stop = model.StopMaxTokens
			return r, err
		}
	}
	malformed := "```interactive\n{\"question\": \"Which?\"}\n```"
	cases := map[string]struct {
		plays answer
		want  string
	}{
		"malformed":        {says("A.\n\n" + malformed), "A.\n\n" + malformed},
		"the answer's cut": {cut("A.\n\n" + asksBlock), "A.\n\n" + noteCut + "\n\nWhich language?\n\n1. 🐍 Python\n2. 🐹 Go\n\nThis question is closed."},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b, _ := newChooser(t)
			b.model.plays(c.plays)
			id := b.ask("$1", "go")
			b.ends(id, Answered)
			if got := b.said(id); got != c.want || b.final(id)[message.KeyInteractive] != nil {
				t.Errorf("the room reads %q, want %q", got, c.want)
			}
			if _, asked := deliveries(t, b.db)["question:"+id+":1"]; asked {
				t.Error("it has buttons")
			}
		})
	}
	t.Run("nobody keeps questions", func(t *testing.T) {
		t.Parallel()
		b := newBundle(t, "", nil)
		b.model.plays(says(asksBlock))
		id := b.ask("$1", "go")
		b.ends(id, Answered)
		if got := b.said(id); got != asksBlock || strings.Contains(b.model.asked()[0].System, "interactive") {
			t.Errorf("the room reads %q", got)
		}
	})
}

// While an answer grows nobody reads JSON, and its calls keep their lines.
func TestAGrowingQuestion(t *testing.T) {
	t.Parallel()
	b, _ := newChooser(t)
	reached := make(chan struct{})
	b.model.plays(sayAndCall("Look.", "echo", `{"key":"a"}`), hangs("Now.\n\n```interactive\n{\"question\": \"Wh", reached))
	id := b.ask("$1", "go")
	<-reached
	r := &response{e: b.engine, id: id, row: b.row(id)}
	v := view{Pieces: []piece{{Text: "Now.\n\n```interactive\n{\"question\": \"Wh"}}}
	if got := r.visible(&v); got != "Now." {
		t.Errorf("it is shown as %q", got)
	}
	v.Pieces[0].Text = "```interactive\n{"
	if got := r.visible(&v); got != placeholderText {
		t.Errorf("before any words it is shown as %q", got)
	}
	b.cancels(id, true)
	b.ends(id, Cancelled)
	if got := b.said(id); !strings.HasPrefix(got, "Look.\n\n🔧 `echo` [1]\n\nNow.") {
		t.Errorf("the room reads %q", got)
	}
}

// A long answer is cut above its question, and its file holds both.
func TestALongAnswerAsks(t *testing.T) {
	t.Parallel()
	b, desk := newChooser(t)
	b.model.plays(says(strings.Repeat("word ", 20_000)+"\n\n"+asksBlock), says("Good."))
	id := b.ask("$1", "go")
	b.ends(id, Answered)
	if body := b.said(id); !strings.HasSuffix(body, asksOpen) || !strings.Contains(body, "[Cut here: ") {
		t.Errorf("it ends with %q", body[len(body)-300:])
	}
	b.drains()
	b.reacts("$react", "$sent:"+firstDelivery(id), "🐹")
	b.chooses(desk(), interactive.Word{Event: "$react", Message: firstDelivery(id), Key: "🐹"})
	b.ends(b.turnOf("$react"), Answered)
	if again := deliveries(t, b.db)[restateDelivery(id)]; !strings.Contains(string(again.content), `✓ 🐹 Go"`) || !strings.Contains(string(again.content), "[Cut here: ") {
		t.Errorf("afterwards it is %.200s", again.content)
	}
}
