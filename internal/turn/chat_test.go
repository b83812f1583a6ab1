package turn

import (
	"encoding/json"
	"testing"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/chat"
	"mindroom/internal/interactive"
	"mindroom/internal/media"
	"mindroom/internal/store"
)

var schemas = []store.Schema{media.Schema, chat.Schema, approval.Schema, interactive.Schema, Schema}

func newChat(t *testing.T, db *store.DB) (*chat.Outbox, *chat.Journal) {
	t.Helper()
	outbox, err := chat.OpenOutbox(t.Context(), db, nil)
	must(t, err)
	return outbox, chat.NewJournal(db, nil)
}

// heard journals a message as the agent's account hears it.
func heard(t *testing.T, db *store.DB, thread, id, sender string, content map[string]any) {
	t.Helper()
	if thread != "" && content["m.relates_to"] == nil {
		content["m.relates_to"] = map[string]any{"rel_type": "m.thread", "event_id": thread}
	}
	raw, err := json.Marshal(content)
	must(t, err)
	must(t, db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := chat.NewJournal(db, nil).RecordSync(tx, ownID, "", []chat.Event{{
			EventID: id, Room: roomID, Sender: sender, Type: "m.room.message", OriginTS: time.Now().UnixMilli(), Content: raw, Live: true}})
		return err
	}))
}

// delivered is one row of the outbox.
type delivered struct {
	content  json.RawMessage
	progress bool
	state    string
}

func deliveries(t *testing.T, db *store.DB) map[string]delivered {
	t.Helper()
	var all map[string]delivered
	must(t, db.Read(t.Context(), func(r *store.Reader) error {
		all = map[string]delivered{}
		return store.Each(r, func(rows *store.Rows) error {
			var id, content string
			var d delivered
			if err := rows.Scan(&id, &content, &d.progress, &d.state); err != nil {
				return err
			}
			d.content = json.RawMessage(content)
			all[id] = d
			return nil
		}, `SELECT id, content, progress, state FROM chat_deliveries`)
	}))
	return all
}

func redact(t *testing.T, db *store.DB, event string) {
	t.Helper()
	must(t, db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := chat.NewJournal(db, nil).RecordSync(tx, ownID, "", []chat.Event{{
			EventID: event + "-gone", Room: roomID, Sender: ownID, Type: "m.room.redaction", OriginTS: time.Now().UnixMilli(), Redacts: event, Live: true}})
		return err
	}))
}
