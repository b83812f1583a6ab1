package turn

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/media"
	"mindroom/internal/message"
	"mindroom/internal/store"
)

// keeping gives an engine a store of files in a folder that outlives it.
func keeping(folder string) func(*Parts) {
	return func(p *Parts) {
		var err error
		if p.Media, err = media.Open(media.Options{Folder: folder, DB: p.DB}); err != nil {
			panic(err)
		}
	}
}

func attachment(t *testing.T, db *store.DB, id string) (d chat.Delivery, found bool) {
	t.Helper()
	must(t, db.Read(t.Context(), func(r *store.Reader) error {
		return store.Each(r, func(rows *store.Rows) error {
			found = true
			var attach, content string
			if err := rows.Scan(&attach, &content); err != nil {
				return err
			}
			d.Content = json.RawMessage(content)
			return json.Unmarshal([]byte(attach), &d.Attach)
		}, "SELECT attach, content FROM chat_deliveries WHERE id = $1 AND attach <> ''", id)
	}))
	return d, found
}

// An answer too long for a message shows its beginning, and a second message
// carries all of it; the next turn reads all of it too (spec/runtime.md 3.12).
func TestLongAnswer(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{"streamed": "", "in one piece": "defaults: {enable_streaming: false}\n"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t, config, keeping(filepath.Join(t.TempDir(), "media")))
			text := strings.TrimSpace(strings.Repeat("all work and no play makes a long answer\n", 1200)) // 49 KB
			b.model.plays(says(text), says("Yes."))
			id := b.ask("$1", "tell me all")
			b.ends(id, Answered)
			final := b.final(id)
			cut, _ := final[message.KeyCut].(map[string]any)
			if cut["attachment"] != answerFile || !strings.HasSuffix(b.said(id), "attached as answer.md]**") {
				t.Errorf("the message says %v, …%q", cut, b.said(id)[len(b.said(id))-80:])
			}
			d, ok := attachment(t, b.db, wholeDelivery(id))
			if !ok {
				t.Fatal("no message carries the whole")
			}
			raw, err := b.engine.Media.Load(t.Context(), d.Attach)
			if err != nil || string(raw) != text {
				t.Errorf("the file has %d bytes, %v, want %d", len(raw), err, len(text))
			}
			var content map[string]any
			must(t, json.Unmarshal(d.Content, &content))
			about, _ := content[message.KeyLongText].(map[string]any)
			if content["msgtype"] != "m.file" || content["body"] != answerFile || about["original_event_size"] != float64(len(text)) || about["is_complete_content"] != true {
				t.Errorf("the second message %s", d.Content)
			}
			b.ends(b.ask("$2", "is that all?"), Answered)
			asked := b.model.asked()
			if got := asked[len(asked)-1].Messages; len(got) != 3 || got[1].Text() != text {
				t.Errorf("the next turn reads %d messages, the answer with %d bytes", len(got), len(got[1].Text()))
			}
		})
	}
}

// Whoever reads a long answer reads all of it, other agents too; what a message
// says of itself proves nothing.
func TestLongIsKnownFromTheOutbox(t *testing.T) {
	t.Parallel()
	b := newBundle(t, "defaults: {enable_streaming: false}\n", keeping(filepath.Join(t.TempDir(), "media")))
	text := strings.TrimSpace(strings.Repeat("all work and no play makes a long answer\n", 1200))
	b.model.plays(says(text))
	id := b.ask("$1", "tell me all")
	b.ends(id, Answered)
	for range 2 {
		due, _, err := b.outbox.Next(t.Context(), ownID)
		must(t, err)
		must(t, b.db.Write(t.Context(), func(tx *store.Tx) error {
			_, err := b.outbox.MarkSent(tx, due[0].ID, "$of-"+due[0].ID)
			return err
		}))
	}
	said := func(event, sender, room, key string) chat.Message {
		return chat.Message{Event: chat.Event{EventID: event, Sender: sender, Room: room,
			Content: json.RawMessage(`{"body":"part","` + key + `":{},"io.mindroom.delivery_id":"` + firstDelivery(id) + `"}`)}}
	}
	whole, beginning := "$of-"+wholeDelivery(id), "$of-"+firstDelivery(id)
	messages := []chat.Message{
		said(beginning, ownID, roomID, message.KeyCut), said(whole, ownID, roomID, message.KeyLongText),
		said("$forged", ann, roomID, message.KeyCut), said("$hidden", ann, roomID, message.KeyLongText),
	}
	r := newResponse(b.engine, "turn-other", lane{})
	got, err := r.long(t.Context(), messages, 100_000)
	must(t, err)
	if len(got.texts) != 1 || got.texts[beginning] != text || len(got.files) != 1 || !got.files[whole] {
		t.Errorf("known: %d texts, files %v", len(got.texts), got.files)
	}
	elsewhere := []chat.Message{said(beginning, ownID, "!other:x", message.KeyCut)}
	if got, err = r.long(t.Context(), elsewhere, 100_000); err != nil || len(got.texts) != 0 {
		t.Errorf("in another room: %d texts, %v", len(got.texts), err)
	}
	if got, err = r.long(t.Context(), messages, 0); err != nil || len(got.texts) != 0 {
		t.Errorf("without room in the prompt: %d texts, %v", len(got.texts), err)
	}
}

// Where the whole cannot be kept the room gets the beginning, and the turn its end.
func TestLongAnswerThatCannotBeKept(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "media")
	b := newBundle(t, "", keeping(folder))
	must(t, os.RemoveAll(folder))
	b.model.plays(says(strings.Repeat("all work and no play makes a long answer\n", 1200)))
	id := b.ask("$1", "tell me all")
	b.ends(id, Answered)
	if _, ok := attachment(t, b.db, wholeDelivery(id)); ok || !strings.HasSuffix(b.said(id), "KB shown]**") {
		t.Errorf("…%q", b.said(id)[len(b.said(id))-60:])
	}
}

// A process that dies with a long answer half written, or just written, leaves
// one answer and one file.
func TestLongAnswerOverACrash(t *testing.T) {
	t.Parallel()
	folder := filepath.Join(t.TempDir(), "media")
	b := newBundle(t, "", keeping(folder))
	text := strings.TrimSpace(strings.Repeat("all work and no play makes a long answer\n", 1200))
	reached := make(chan struct{})
	b.model.plays(hangs(text, reached))
	id := b.ask("$1", "tell me all")
	<-reached
	next := b.fork()
	next.model.plays(says(text))
	next.start()
	next.ends(id, Answered)
	again := next.fork()
	again.start()
	again.ends(id, Answered)
	for _, b := range []*bundle{next, again} {
		d, ok := attachment(t, b.db, wholeDelivery(id))
		if !ok {
			t.Fatal("no message carries the whole")
		}
		raw, err := b.engine.Media.Load(t.Context(), d.Attach)
		if err != nil || string(raw) != text {
			t.Errorf("the file has %d bytes, %v", len(raw), err)
		}
		n := 0
		for id := range deliveries(t, b.db) {
			if strings.HasPrefix(id, "turn:") && !strings.HasSuffix(id, ":stop") {
				n++
			}
		}
		if n != 3 { // placeholder, end, file
			t.Errorf("%d deliveries: %v", n, keys(deliveries(t, b.db)))
		}
	}
}
