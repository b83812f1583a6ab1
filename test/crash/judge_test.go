package crash

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"mindroom/internal/approval"
	"mindroom/internal/clock"
	"mindroom/internal/identity"
	"mindroom/internal/message"
	"mindroom/internal/person"
	"mindroom/internal/script"
	"mindroom/internal/store"
	"mindroom/test/primary"
)

func stamp(at time.Time) string { return clock.Stamp(at) }

// until waits until ok says yes.
func (c *cell) until(what string, ok func() (bool, error)) error {
	return primary.Until(c.within(), what, ok)
}

// read looks into the database beside whoever writes it.
func (c *cell) read(fn func(*store.Reader) error) error {
	return primary.Read(c.t.Context(), c.folder, fn)
}

func (c *cell) number(query string) (n int, err error) {
	err = c.read(func(q *store.Reader) error { return q.QueryRow(query).Scan(&n) })
	return n, err
}

// heard waits until everything that led to the person in the room is worked on, the
// room's welcome included.
func (c *cell) heard() {
	c.t.Helper()
	c.must(c.until("the person's joining is worked on", func() (bool, error) {
		n, err := c.number(fmt.Sprintf(`SELECT CASE WHEN (SELECT count(*) FROM chat_events WHERE type = 'm.room.member' AND sender = '%s') >= 2
			AND NOT EXISTS (SELECT 1 FROM chat_events WHERE state = 'new' AND account LIKE '%%watcher%%')
			AND EXISTS (SELECT 1 FROM chat_deliveries WHERE id LIKE 'welcome:%%' AND state = 'sent') THEN 1 ELSE 0 END`, c.person.UserID))
		return n == 1, err
	}))
}

// answers are the messages of the agent in the thread of a message.
func (c *cell) answers(root string) ([]person.Event, error) {
	all, err := c.person.Timeline(c.within(), c.room, 500)
	if err != nil {
		return nil, err
	}
	var found []person.Event
	for _, e := range person.Fold(all) {
		if e.Sender != c.person.UserID && c.answering(e) == root && e.Content[approval.KeyCard] == nil && notice(e) == "" && !asks(e) {
			found = append(found, e)
		}
	}
	return found, nil
}

// answering is the message to which e is the answer. In the plays of minimal mode
// people talk in one thread, elsewhere in one each.
func (c *cell) answering(e person.Event) string {
	if !c.row.Play.bashes() {
		return e.ThreadRoot()
	}
	relation, _ := e.Content["m.relates_to"].(map[string]any)
	reply, _ := relation["m.in_reply_to"].(map[string]any)
	event, _ := reply["event_id"].(string)
	return event
}

// notice is the run of which a message tells by itself; empty for an answer.
func notice(e person.Event) string {
	of, _ := e.Content[message.KeyProgram].(string)
	if _, err := identity.ParseRunID(of); err != nil {
		return ""
	}
	return of
}

// toldAsAsked holds sentence 8: an end that the conversation wants to hear of is
// told there once, any other never.
func (c *cell) toldAsAsked() {
	c.t.Helper()
	var run, state, reason string
	c.must(c.read(func(q *store.Reader) error {
		return store.Each(q, func(rows *store.Rows) error { return rows.Scan(&run, &state, &reason) }, `SELECT run_id, state, reason FROM script_runs`)
	}))
	want := 0
	if (state == string(script.Failed) || state == string(script.Interrupted)) && reason != string(script.ReasonLaunchFailed) {
		want = 1
	}
	got := 0
	// A homeserver shows what it has taken a moment later.
	err := c.until("the conversation is told", func() (bool, error) {
		all, err := c.person.Timeline(c.within(), c.room, 500)
		got = 0
		for _, e := range person.Fold(all) {
			if run != "" && notice(e) == run && !strings.Contains(e.Body(), "waits for a decision") {
				got++
			}
		}
		return got >= want, err
	})
	if err != nil || got != want {
		c.t.Errorf("the conversation is told %d times that the run is %s, want %d: %v", got, state, want, err)
	}
}

func finished(e person.Event) bool {
	if e.Content[message.KeyProgram] != nil {
		return true // the program itself says everything at once
	}
	return primary.Finished(e)
}

// answered waits until the last message has one answer and that is finished. A
// homeserver may show a second one for a moment, until it is taken back.
func (c *cell) answered(part string) {
	c.t.Helper()
	var all []person.Event
	err := c.until("an answer with "+part, func() (done bool, err error) {
		all, err = c.answers(c.asked[len(c.asked)-1])
		return err == nil && len(all) == 1 && finished(all[0]), err
	})
	if err == nil && !strings.Contains(all[0].Body(), part) {
		err = fmt.Errorf("the answer is %q, which has no %q", all[0].Body(), part)
	}
	if err != nil {
		c.must(fmt.Errorf("%w\n%s", err, primary.Said(c.t.Context(), c.folder, all)))
	}
}

// nothingOpen is a row's end in the database: nothing waits for anything.
const nothingOpen = `SELECT (SELECT count(*) FROM script_runs WHERE nonterminal = 1)
	+ (SELECT count(*) FROM script_calls WHERE state = 'pending')
	+ (SELECT count(*) FROM turns WHERE state IN ('clean', 'dirty', 'parked', 'ready', 'claimed'))
	+ (SELECT count(*) FROM commands WHERE state IN ('accepted', 'begun'))
	+ (SELECT count(*) FROM approval_cards WHERE state = 'pending')
	+ (SELECT count(*) FROM interactive_questions WHERE state = 'open')
	+ (SELECT count(*) FROM chat_deliveries WHERE state IN ('queued', 'sending'))
	+ (SELECT count(*) FROM chat_events WHERE state = 'new' AND account LIKE '%watcher%')`

// judge looks at what is left, by the package's sentences.
func (c *cell) judge() {
	c.t.Helper()
	c.answered(c.row.Answer)
	c.must(c.until("nothing is open", func() (bool, error) {
		n, err := c.number(nothingOpen)
		return n == 0, err
	}))
	c.nothingLeft()
	c.runAsTold()
	c.callsAsTold()
	c.cardsAsTold()
	c.choiceAsTold()
	c.toldAsAsked()
	c.say("are you there?")
	c.answered(saidHeard)
	c.must(c.until("nothing is open", func() (bool, error) {
		n, err := c.number(nothingOpen)
		return n == 0, err
	}))
	for _, root := range c.asked {
		if all, err := c.answers(root); err != nil || len(all) != 1 {
			c.t.Errorf("%d answers to one message, %v\n%s", len(all), err, primary.Said(c.t.Context(), c.folder, all))
		}
	}
	var err error
	c.copies, err = c.number(`SELECT count(*) FROM chat_deliveries WHERE id LIKE 'copy %'`)
	c.must(err)
	if err := c.now.Stop(); err != nil {
		c.t.Error(err)
	}
	if left := within(c.folder); len(left) != 0 {
		c.t.Errorf("after an orderly stop %v is left", left)
	}
	c.now = nil
}

// nothingLeft holds sentences 1 and 2. What a script started is gone when its run
// is terminal; the supervisor takes a moment to leave after its last word, and
// the primary itself compiles the SDK when it starts.
func (c *cell) nothingLeft() {
	c.t.Helper()
	for _, p := range within(c.folder, c.now.Cmd.Process.Pid) {
		if p.script {
			c.t.Errorf("a process is left: %s", p.words)
		}
	}
	c.must(c.until("nobody but the primary is left", func() (bool, error) {
		return len(within(c.folder, c.now.Cmd.Process.Pid)) == 0, nil
	}))
	left, err := filepath.Glob(filepath.Join(c.folder, "storage", "script_runs", "*"))
	c.must(err)
	for _, path := range left {
		inside, _ := os.ReadDir(path)
		c.t.Errorf("%s is left, with %v", path, inside)
	}
}

// runAsTold holds sentence 6 for the run.
func (c *cell) runAsTold() {
	c.t.Helper()
	want := c.row.run()
	if c.row.State == "" {
		want = "no row"
	}
	got := "no row"
	c.must(c.read(func(q *store.Reader) error {
		return store.Each(q, func(rows *store.Rows) error {
			var state, reason string
			err := rows.Scan(&state, &reason)
			got = fmt.Sprintf("%s (%s)", state, reason)
			return err
		}, `SELECT state, reason FROM script_runs`)
	}))
	if got != want {
		c.t.Errorf("the run is %s, not %s", got, want)
	}
}

// callsAsTold holds sentences 3, 4 and 6 for the calls.
func (c *cell) callsAsTold() {
	c.t.Helper()
	var got []string
	c.must(c.read(func(q *store.Reader) error {
		return store.Each(q, func(rows *store.Rows) error {
			var state string
			err := rows.Scan(&state)
			got = append(got, state)
			return err
		}, `SELECT state FROM script_calls ORDER BY created_at, rowid`)
	}))
	var want []string
	for i, call := range c.row.Calls {
		want = append(want, string(call.State))
		name := string(rune('a' + i))
		if hits := c.site.count("/read/" + name); hits != call.Hits {
			c.t.Errorf("call %s ran %d times, not %d", name, hits, call.Hits)
		}
		if c.site.count("/mark/told-"+name) > 0 && i < len(got) && got[i] != "completed" {
			c.t.Errorf("the script heard the result of call %s, whose receipt says %s", name, got[i])
		}
	}
	if strings.Join(got, " ") != strings.Join(want, " ") {
		c.t.Errorf("receipts %v, not %v", got, want)
	}
	if hits := c.site.count("/read/page"); hits != c.row.Hits {
		c.t.Errorf("the call of the answer ran %d times, not %d", hits, c.row.Hits)
	}
}
