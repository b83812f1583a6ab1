package explain

import (
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/chat"
	"mindroom/internal/script"
	"mindroom/internal/secret"
	"mindroom/internal/store"
	"mindroom/internal/tool"
	"mindroom/test/past"
	"mindroom/test/rig"
)

// told is a database with a story, opened beside nobody and for reading only.
func told(t *testing.T) (past.Story, Options) {
	t.Helper()
	dir := t.TempDir()
	s, err := past.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	return s, reading(t, dir)
}

// changing is told beside a writer, which holds the database as a running
// primary does.
func changing(t *testing.T) (past.Story, Options, *store.DB) {
	t.Helper()
	dir := t.TempDir()
	s, err := past.Write(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	db, err := store.Open(t.Context(), past.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return s, reading(t, dir), db
}

func reading(t *testing.T, dir string) Options {
	t.Helper()
	db, err := store.OpenReadOnly(t.Context(), past.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return Options{DB: db, Redactor: &secret.Redactor{}}
}

func explained(t *testing.T, o Options, owner, id string) Report {
	t.Helper()
	r, err := ID(t.Context(), o, owner, id)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ids are the links of a chain, each as its kind and id.
func ids(r Report) []string {
	var all []string
	for _, l := range r.Chain {
		id := ""
		switch l.Kind {
		case KindCall:
			id = l.Call.Owner + " " + l.Call.ID
		case KindRun:
			id = l.Run.ID
		case KindTurn:
			id = l.Turn.ID
		case KindMessage:
			id = l.Message.EventID
		}
		all = append(all, string(l.Kind)+" "+id)
	}
	return all
}

func TestEveryIDLeadsToTheMessage(t *testing.T) {
	t.Parallel()
	s, o := told(t)
	// From the person's message down to the turn that the script's message began.
	whole := []string{
		"turn " + s.Woken, "message " + s.Relay, "call " + s.Done.Owner + " " + s.Done.ID, "run " + string(s.Run),
		"call " + s.Turn + " " + s.Start.ID, "turn " + s.Turn, "message " + s.Message,
	}
	for name, c := range map[string]struct {
		owner, id string
		from      int
	}{
		"the turn a relay began": {"", s.Woken, 0}, "a call alone": {"", s.Done.ID, 2}, "a call of its run": {s.Done.Owner, s.Done.ID, 2},
		"a correlation id": {"", s.Done.String(), 2}, "a run": {"", string(s.Run), 3}, "a call of a turn": {s.Turn, s.Start.ID, 4},
		"the first turn": {"", s.Turn, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := explained(t, o, c.owner, c.id)
			if got := ids(r); !slices.Equal(got, whole[c.from:]) || r.End != endMessage {
				t.Errorf("the chain is\n%s\nwant\n%s\nand ends because %s", strings.Join(got, "\n"), strings.Join(whole[c.from:], "\n"), r.End)
			}
			m := r.Chain[len(r.Chain)-1].Message
			if m.Sender != past.Person || !strings.HasPrefix(m.Words, "Watch the page") || m.Sent == nil || m.SentBy != nil {
				t.Errorf("the message is %+v", m)
			}
		})
	}
}

func TestACallThatRan(t *testing.T) {
	t.Parallel()
	s, o := told(t)
	o.Offered = func(agent string, name tool.Name) bool { return agent == rig.Agent && name.Function != "noop" }
	c := explained(t, o, "", s.Done.ID).Chain[0].Call
	if c.Ref != s.Done || c.Name != (tool.Name{Toolkit: rig.Toolkit, Function: "noop"}) || c.Agent != rig.Agent || c.Requester != past.Person {
		t.Errorf("whose call: %+v", c)
	}
	if g := c.Grant; g.By != ByLaunch || !*g.Captured || !*g.Preapproved || *g.Offered {
		t.Errorf("granted %+v", g)
	}
	if c.Verdict != tool.Allow || !strings.Contains(c.Rule, "allowed_tools") || c.Hooks != HooksPassed {
		t.Errorf("judged %s by %q, hooks %q", c.Verdict, c.Rule, c.Hooks)
	}
	if !c.Began || c.Where != InRuntime || c.Receipt != (Receipt{State: tool.StateCompleted, Bytes: 4, Result: "null"}) || !c.Recorded {
		t.Errorf("ran in %q and left %+v", c.Where, c.Receipt)
	}
	if c.Arguments != `{"n":7}` || c.Created == nil || c.Ended == nil || c.Ended.Before(*c.Created) {
		t.Errorf("arguments %s, from %v to %v", c.Arguments, c.Created, c.Ended)
	}
}

// What is not known is null, not a guess (sentence 2).
func TestACallThatNeverRan(t *testing.T) {
	t.Parallel()
	s, o := told(t)
	c := explained(t, o, "", s.Refused.ID).Chain[0].Call
	if c.Began || c.Where != "" || c.Hooks != HooksUnknown || c.Verdict != "" || c.Grant.Offered != nil {
		t.Errorf("a refused call: %+v", c)
	}
	if c.Receipt.State != tool.StateFailed || c.Receipt.Fault != tool.FaultArguments || c.Receipt.Message == "" {
		t.Errorf("its receipt is %+v", c.Receipt)
	}
}

func TestACallThatHooksDeclined(t *testing.T) {
	t.Parallel()
	s, o, db := changing(t)
	change(t, db, `UPDATE script_calls SET fault = json_object('kind', 'declined', 'message', 'not at night', 'retryable', json('false')) WHERE call_id = 'refused'`)
	if c := explained(t, o, "", s.Refused.ID).Chain[0].Call; c.Hooks != HooksDeclined || c.HooksSaid != "not at night" || c.Began {
		t.Errorf("a declined call: %+v", c)
	}
}

// The receipt of a call that recovery ended has no audit; the audit outlives the
// receipt.
func TestHalfOfACall(t *testing.T) {
	t.Parallel()
	s, o, db := changing(t)
	change(t, db, `DELETE FROM audit WHERE call_id = 'done'`)
	c := explained(t, o, "", s.Done.ID).Chain[0].Call
	if c.Recorded || c.Verdict != "" || c.Rule != "" || c.Receipt.State != tool.StateCompleted || c.Requester != past.Person || !*c.Grant.Captured {
		t.Errorf("without audit: %+v", c)
	}
	change(t, db, `DELETE FROM script_calls WHERE call_id = 'refused'`)
	c = explained(t, o, "", s.Refused.ID).Chain[0].Call
	if !c.Recorded || c.Receipt.State != tool.StateFailed || c.Receipt.Fault != tool.FaultArguments || c.Name.Toolkit != rig.Toolkit {
		t.Errorf("without a receipt: %+v", c)
	}
}

// A call that runs in a turn is known by the turn alone.
func TestACallThatRunsInATurn(t *testing.T) {
	t.Parallel()
	s, o, db := changing(t)
	change(t, db, `INSERT INTO turn_calls (turn_id, ref, outcome) VALUES ($1, '2.1.now', '')`, s.Turn)
	r := explained(t, o, s.Turn, "2.1.now")
	c := r.Chain[0].Call
	if !c.Began || c.Receipt.State != tool.StatePending || c.Grant.By != BySurface || c.Requester != past.Person || c.Recorded || len(r.Chain) != 3 {
		t.Errorf("a running call: %+v", c)
	}
	if calls := explained(t, o, "", s.Turn).Calls; len(calls) != 2 || calls[0].ID != "2.1.now" || calls[0].State != tool.StatePending {
		t.Errorf("the turn's calls are %+v", calls)
	}
}

func TestARun(t *testing.T) {
	t.Parallel()
	s, o := told(t)
	r := explained(t, o, "", string(s.Run))
	run := r.Chain[0].Run
	if run.Name != "watcher" || run.State != script.Interrupted && run.State != script.Cancelled || run.Reason == "" || run.Finished == nil || *run.LaunchedBy != s.Start {
		t.Errorf("the run is %+v", run)
	}
	if len(run.Granted) == 0 || run.Granted[0].Toolkit != rig.Toolkit || !run.Granted[0].Preapproved || run.Granted[0].Offered != nil {
		t.Errorf("granted %+v", run.Granted)
	}
	if run.Counts != (script.CallCounts{Completed: 1, Failed: 1}) || len(r.Calls) != 2 || r.Calls[0].ID != s.Refused.ID {
		t.Errorf("its calls are %+v, %+v", run.Counts, r.Calls)
	}
	if calls := explained(t, o, "", s.Turn).Calls; len(calls) != 1 || calls[0].ID != s.Start.ID || calls[0].Rule == "" {
		t.Errorf("the turn's calls are %+v", calls)
	}
}

func TestUnknownAndAmbiguous(t *testing.T) {
	t.Parallel()
	s, o, db := changing(t)
	other := "script-" + strings.Repeat("a", 32)
	const columns = `call_id, at, door, toolkit, function, agent, requester, room, thread, digest, arguments, verdict, rule, began, state, fault, message, microseconds`
	change(t, db, `INSERT INTO audit (owner, `+columns+`) SELECT $1, `+columns+` FROM audit WHERE call_id = 'done'`, other)
	for _, id := range [][2]string{{"", "nothing"}, {"", "script-" + strings.Repeat("0", 32)}, {"", "turn-" + strings.Repeat("0", 32)},
		{string(s.Run), "nothing"}, {"nobody", "done"}, {"", "script:" + string(s.Run) + ":nothing"}} {
		if _, err := ID(t.Context(), o, id[0], id[1]); !errors.Is(err, ErrUnknown) {
			t.Errorf("%v is explained with %v", id, err)
		}
	}
	var several *AmbiguousError
	if _, err := ID(t.Context(), o, "", "done"); !errors.As(err, &several) || len(several.Refs) != 2 || !strings.Contains(err.Error(), other) {
		t.Errorf("two calls of one id are explained with %v", err)
	}
	// The other call's run is gone: retention keeps the audit alone.
	r := explained(t, o, other, "done")
	if got := ids(r); len(got) != 2 || !r.Chain[1].Run.Gone || r.End != endGone || r.Chain[0].Call.Grant.By != "" {
		t.Errorf("a call whose run is gone: %v, %s", got, r.End)
	}
	if calls := explained(t, o, "", other).Calls; len(calls) != 1 || calls[0].Rule == "" {
		t.Errorf("what is left of a run: %+v", calls)
	}
}

func change(t *testing.T, db *store.DB, statement string, args ...any) {
	t.Helper()
	err := db.Write(t.Context(), func(tx *store.Tx) error {
		n, err := tx.Exec(statement, args...)
		if err == nil && n == 0 {
			err = errors.New("nothing was changed")
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// A chain that breaks says where, and one that turns in a circle ends
// (sentence 4); what was taken back is not repeated (sentence 3).
func TestBrokenChains(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change, end string
		links       int
	}{
		"no launch":        {`UPDATE script_runs SET launched_by = ''`, endNoLaunch, 1},
		"the turn is gone": {`DELETE FROM turns WHERE trigger_event = '$asked'`, endTurnGone, 3},
		"no message":       {`DELETE FROM chat_events WHERE event_id = '$asked'`, endForgot, 3},
		"a circle":         {`UPDATE script_runs SET launched_by = json_object('door', 'script', 'owner', run_id, 'id', 'done')`, endLong, maxLinks},
		"withdrawn":        {`UPDATE chat_events SET redacted = TRUE WHERE event_id = '$asked'`, endMessage, 4},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, o, db := changing(t)
			change(t, db, c.change)
			r := explained(t, o, "", string(s.Run))
			if len(r.Chain) != c.links || r.End != c.end {
				t.Errorf("%d links, ended because %s: %v", len(r.Chain), r.End, ids(r))
			}
			if m := r.Chain[len(r.Chain)-1].Message; m != nil && (!m.Withdrawn || m.Words != "") {
				t.Errorf("a message that was taken back reads %+v", m)
			}
		})
	}
}

// Nothing that others wrote gets out with a secret in it, or whole (sentence 3).
func TestSecretsStay(t *testing.T) {
	t.Parallel()
	s, o := told(t)
	o.Redactor.Add("Watch the page")
	raw, err := json.Marshal(explained(t, o, "", s.Woken))
	if err != nil {
		t.Fatal(err)
	}
	for _, hidden := range []string{"Watch the page", "correct-horse"} {
		if strings.Contains(string(raw), hidden) {
			t.Errorf("%q is in %s", hidden, raw)
		}
	}
	v := view{Options: o}
	if got := v.words(strings.Repeat("ü", maxWords+1)); got != strings.Repeat("ü", maxWords)+"…" {
		t.Errorf("a long text reads %q", got)
	}
}

// A reaction that chose an option began a turn too, and has no words.
func TestAReactionIsNamed(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"body":"hello"}`: "hello",
		`{"m.relates_to":{"rel_type":"m.annotation","event_id":"$1","key":"🐹"}}`: "(reacted with 🐹)",
		`{}`: "",
	} {
		if got := said(chat.Event{Content: json.RawMessage(content)}); got != want {
			t.Errorf("%s reads %q, want %q", content, got, want)
		}
	}
}

// A database of an older version is told by its kind, so that the command can
// say what to do.
func TestADatabaseOfAnOlderVersion(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	old := script.Schema
	old.Steps = old.Steps[:8]
	db, err := store.Open(t.Context(), past.Path(dir), old)
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	var failed *store.Error
	if _, err := ID(t.Context(), reading(t, dir), "", "script-"+strings.Repeat("a", 32)); !errors.As(err, &failed) || failed.Kind != store.Other {
		t.Errorf("it is explained with %v", err)
	}
}
