package retention

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"mindroom/internal/approval"
	"mindroom/internal/audit"
	"mindroom/internal/chat"
	"mindroom/internal/clock"
	"mindroom/internal/command"
	"mindroom/internal/identity"
	"mindroom/internal/interactive"
	"mindroom/internal/media"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/internal/store/storetest"
	"mindroom/internal/turn"
	"mindroom/test/past"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const day = 24 * time.Hour

// house is a database with its two ends and a clock that the test moves.
type house struct {
	db      *store.DB
	journal *chat.Journal
	outbox  *chat.Outbox
	turns   *turn.Engine
	now     time.Time
}

func (h *house) wall() time.Time { return h.now }

func newHouse(t *testing.T) *house {
	t.Helper()
	h := &house{db: storetest.Open(t, media.Schema, chat.Schema, turn.Schema, interactive.Schema, approval.Schema, command.Schema, script.Schema, audit.Schema), now: time.Now()}
	h.open(t)
	return h
}

func (h *house) open(t *testing.T) {
	t.Helper()
	var err error
	h.journal = chat.NewJournal(h.db, h.wall)
	if h.outbox, err = chat.OpenOutbox(t.Context(), h.db, h.wall); err != nil {
		t.Fatal(err)
	}
	h.turns = turn.New(turn.Parts{DB: h.db, Outbox: h.outbox, History: h.journal, Wall: h.wall})
}

func (h *house) keeper() *Keeper {
	return New(Config{DB: h.db, Journal: h.journal, Outbox: h.outbox, Conversations: 90 * day, Audit: 365 * day, Wall: h.wall})
}

const (
	bot  = "@mindroom_watcher:example.org"
	room = "!ops:example.org"
)

// week is what happens in seven days: threads in which a person asks and an
// agent answers, long answers with many edits.
func (h *house) week(t *testing.T, n int) {
	t.Helper()
	body := strings.Repeat("words of an answer ", 50)
	for i := range 7 {
		root := fmt.Sprintf("$%d-%d", n, i)
		err := h.db.Write(t.Context(), func(tx *store.Tx) error {
			events := []chat.Event{h.event(root, "@anna:example.org", "", body)}
			for k := range 10 {
				events = append(events, h.event(fmt.Sprint(root, "-", k), bot, `,"m.relates_to":{"rel_type":"m.thread","event_id":"`+root+`"}`, body))
			}
			if _, err := h.journal.RecordSync(tx, bot, fmt.Sprint("s", n), events); err != nil {
				return err
			}
			if _, err := tx.Exec(`UPDATE chat_events SET state = 'taken' WHERE state = 'new'`); err != nil {
				return err
			}
			if err := h.turns.Create(tx, turn.Request{Agent: "watcher", Account: bot, Who: identity.InThread("watcher", "@anna:example.org", room, root),
				Room: room, ThreadRoot: root, TriggerEvent: root}); err != nil {
				return err
			}
			// No engine runs here: the turn is ended by hand.
			if _, err := tx.Exec(`UPDATE turns SET state = 'answered'`); err != nil {
				return err
			}
			id := "say " + root
			if _, err := h.outbox.Enqueue(tx, chat.Delivery{ID: id, Conversation: chat.Conversation{Account: bot, Room: room}, Kind: chat.KindMessage,
				Type: "m.room.message", Content: json.RawMessage(`{"body":"` + body + `"}`)}); err != nil {
				return err
			}
			_, err := h.outbox.MarkSent(tx, id, "$sent-"+root)
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
		h.now = h.now.Add(day)
	}
}

func (h *house) event(id, sender, relations, body string) chat.Event {
	return chat.Event{EventID: id, Room: room, Sender: sender, Type: "m.room.message", OriginTS: h.now.UnixMilli(), Live: true,
		Content: json.RawMessage(`{"body":"` + body + `"` + relations + `}`)}
}

func (h *house) count(t *testing.T, table string) (n int) {
	t.Helper()
	if err := h.db.Read(t.Context(), func(r *store.Reader) error { return r.QueryRow(`SELECT count(*) FROM ` + table).Scan(&n) }); err != nil {
		t.Fatal(err)
	}
	return n
}

func (h *house) size(t *testing.T) (total int64) {
	t.Helper()
	for _, suffix := range []string{"", "-wal"} {
		info, err := os.Stat(h.db.Path() + suffix)
		if err != nil {
			t.Fatal(err)
		}
		total += info.Size()
	}
	return total
}

// A year of weeks: after the first window neither rows nor file grow any more, but
// for the roots of threads, of which a living room keeps the newest.
func TestTheFileStaysBounded(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	pass := func() {
		t.Helper()
		// A jump of a week is believed only after a day; a keeper is made anew, as
		// by a start.
		if _, err := h.keeper().Pass(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	var settledRows int
	var settledBytes int64
	for n := range 52 {
		h.week(t, n)
		pass()
		if n == 20 {
			settledRows, settledBytes = h.count(t, "chat_events"), h.size(t)
		}
	}
	if rows := h.count(t, "chat_events"); rows > settledRows+7*31 {
		t.Errorf("%d events after a year, %d after 20 weeks", rows, settledRows)
	}
	if bytes := h.size(t); bytes > settledBytes+(1<<20) {
		t.Errorf("%d bytes after a year, %d after 20 weeks", bytes, settledBytes)
	}
	t.Logf("after 20 weeks %d events and %d KiB, after a year %d events and %d KiB", settledRows, settledBytes>>10, h.count(t, "chat_events"), h.size(t)>>10)
	// Then the room falls silent, and all but the newest of each goes, which stands in
	// a thread with a root.
	h.now = h.now.Add(100 * day)
	full := h.size(t)
	for range 2 {
		pass()
	}
	for table, want := range map[string]int{"chat_events": 2, "chat_deliveries": 1, "chat_copies": 1, "turns": 1} {
		if got := h.count(t, table); got != want {
			t.Errorf("%s: %d rows are left, want %d", table, got, want)
		}
	}
	if now := h.size(t); now > full/4 {
		t.Errorf("the file has %d bytes, and had %d", now, full)
	}
}

// Of a story that ended 100 days ago the audit is left, and what of it belongs to
// a run that is kept. A year later that goes too, once the run is gone; only the
// newest record stays, whose number must not be given again.
func TestAuditOutlivesTurns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if _, err := past.Write(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), past.Path(dir), chat.Schema, turn.Schema, interactive.Schema, approval.Schema, command.Schema, script.Schema, audit.Schema)
	if err != nil {
		t.Fatal(err)
	}
	h := &house{db: db, now: time.Now().Add(100 * day)}
	t.Cleanup(func() { _ = db.Close() })
	h.open(t)
	must := func(statement string) {
		t.Helper()
		if err := db.Write(t.Context(), func(tx *store.Tx) error { _, err := tx.Exec(statement); return err }); err != nil {
			t.Fatal(err)
		}
	}
	must(`UPDATE turns SET state = 'answered'`)
	must(`UPDATE chat_events SET state = 'taken'`)
	had := h.count(t, "audit")
	d, err := h.keeper().Pass(t.Context())
	if err != nil || d.Turns != 1 || d.Events != 1 || d.Audit != 0 || h.count(t, "audit") != had {
		t.Errorf("after 100 days: %+v, %v", d, err)
	}
	h.now = h.now.Add(365 * day)
	if d, err = h.keeper().Pass(t.Context()); err != nil || d.Audit != 1 {
		t.Errorf("after a year, the run still there: %+v, %v", d, err)
	}
	must(`DELETE FROM script_runs`)
	if d, err = h.keeper().Pass(t.Context()); err != nil || d.Audit != had-2 || h.count(t, "audit") != 1 {
		t.Errorf("after a year, the run gone: %+v, %v", d, err)
	}
}

// The first pass waits, and a clock set wrong for less than a day deletes nothing
// (sentences 1 and 2).
func TestWhen(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var off time.Duration
		asked := 0
		wall := clock.Wall(func() time.Time { asked++; return time.Now().Add(off) })
		k := New(Config{Conversations: 90 * day, Audit: 365 * day, Wall: wall})
		before := func() time.Duration { return time.Until(k.steady.Now()).Round(time.Second) }
		off = 200 * day
		if got := before(); got != 0 {
			t.Errorf("a jump of 200 days moved the clock by %s", got)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		asked = 0
		go func() { done <- k.Run(ctx) }()
		time.Sleep(firstAfter - time.Second)
		synctest.Wait()
		if asked != 0 {
			t.Error("a pass was made at once")
		}
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
}
