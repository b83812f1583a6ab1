package interactive

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"mindroom/internal/chat"
	"mindroom/internal/config"
	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/tool"
)

const (
	bot  = "@mindroom_coder:x"
	ann  = "@ann:x"
	ben  = "@ben:x"
	room = "!ops:x"
)

// house is a desk over a real store and outbox, with turns that only remember.
type house struct {
	t      testing.TB
	db     *store.DB
	outbox *chat.Outbox
	desk   *Desk
	now    time.Time
	may    tool.Answer

	started  []Selection
	restated map[string]string
	refuses  error
}

func newHouse(t testing.TB) *house {
	t.Helper()
	h := &house{t: t, db: storetest.Open(t, chat.Schema, Schema), now: time.Now(), may: tool.Yes, restated: map[string]string{}}
	var err error
	h.outbox, err = chat.OpenOutbox(context.Background(), h.db, h.wall)
	h.must(err)
	registry, err := tool.NewRegistry()
	h.must(err)
	cfg, _, err := config.Parse("config.yaml", []byte("models: {default: {provider: scripted, id: demo}}\nagents: {coder: {display_name: Coder}}\n"), registry, config.Env{})
	h.must(err)
	h.desk = &Desk{DB: h.db, Outbox: h.outbox, Config: config.NewHolder(cfg), Authority: h, Wall: h.wall, Turns: h}
	return h
}

func (h *house) wall() time.Time { return h.now }

func (h *house) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// May, Selected and Restate make the house what a desk works with.
func (h *house) May(context.Context, identity.Execution, *config.Snapshot) tool.Answer { return h.may }

func (h *house) Selected(_ *store.Tx, s Selection) error {
	if h.refuses == nil {
		h.started = append(h.started, s)
	}
	return h.refuses
}

func (h *house) Restate(_ *store.Tx, turn, words string) error {
	h.restated[turn] = words
	return nil
}

// asked is a question of a turn to a person in a thread.
func asked(turn, person, thread string) Asked {
	return Asked{
		Question: language, Turn: turn, Conversation: chat.Conversation{Account: bot, Room: room, ThreadRoot: thread},
		Message: "turn:" + turn + ":0", Who: identity.InThread("coder", person, room, thread),
	}
}

// asks enqueues an answer and asks its question, as a turn's end does.
func (h *house) asks(a Asked) {
	h.t.Helper()
	h.must(h.db.Write(context.Background(), func(tx *store.Tx) error {
		if _, err := h.outbox.Enqueue(tx, chat.Delivery{ID: a.Message, Conversation: a.Conversation, Kind: chat.KindMessage, Type: "m.room.message",
			Content: message.Text("answer").Raw()}); err != nil {
			return err
		}
		return h.desk.Ask(tx, a)
	}))
}

// hears has a word judged and carried out.
func (h *house) hears(w Word) Verdict {
	h.t.Helper()
	v, err := h.desk.Hear(context.Background(), w)
	h.must(err)
	if v.Do != nil {
		h.must(h.db.Write(context.Background(), v.Do))
	}
	return v
}

// stands is how the question of a turn is.
func (h *house) stands(turn string) Asked {
	h.t.Helper()
	var a Asked
	h.must(h.db.Read(context.Background(), func(q *store.Reader) (err error) {
		a, _, err = Of(q, turn)
		return err
	}))
	return a
}

// buttons are the states of a question's reactions and what takes them away.
func (h *house) buttons(turn string) string {
	h.t.Helper()
	var all []string
	h.must(h.db.Read(context.Background(), func(q *store.Reader) error {
		for n := range language.Options {
			for _, id := range []string{buttonDelivery(turn, n), unbuttonDelivery(turn, n)} {
				d, err := chat.Get(q, id)
				if errors.Is(err, chat.ErrUnknown) {
					all = append(all, "-")
					continue
				}
				if err != nil {
					return err
				}
				all = append(all, string(d.State))
			}
		}
		return nil
	}))
	return strings.Join(all, " ")
}

func (h *house) sends() {
	h.t.Helper()
	for {
		due, _, err := h.outbox.Next(context.Background(), bot)
		h.must(err)
		if len(due) == 0 {
			return
		}
		h.must(h.db.Write(context.Background(), func(tx *store.Tx) error {
			_, err := h.outbox.MarkSent(tx, due[0].ID, "$"+due[0].ID)
			return err
		}))
	}
}

func react(event, person, turn, key string) Word {
	return Word{Event: event, Person: person, Message: "turn:" + turn + ":0", Room: room, Key: key}
}

func say(event, person, thread, text string) Word {
	return Word{Event: event, Person: person, Room: room, Thread: thread, Text: text}
}

func reply(event, person, turn, text string) Word {
	w := react(event, person, turn, "")
	w.Text = text
	return w
}
