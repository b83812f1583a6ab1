package interactive

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// Sentences 2 and 3: who chooses, by what, and what everything else is.
func TestHear(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		word   Word
		claims bool
		takes  int // the option from 0; -1 for none
	}{
		"a reaction":                {react("$e", ann, "t1", "🐹"), true, 1},
		"another emoji":             {react("$e", ann, "t1", "👍"), false, -1},
		"another person's":          {react("$e", ben, "t1", "🐹"), false, -1},
		"on another message":        {react("$e", ann, "t9", "🐹"), false, -1},
		"a reply":                   {reply("$e", ann, "t1", " 1 "), true, 0},
		"another person's reply":    {reply("$e", ben, "t1", "1"), false, -1},
		"a reply in words":          {reply("$e", ann, "t1", "Python"), false, -1},
		"a reply with no option":    {reply("$e", ann, "t1", "3"), false, -1},
		"a number":                  {say("$e", ann, "$root", "2"), true, 1},
		"a number of no option":     {say("$e", ann, "$root", "5"), false, -1},
		"another person's number":   {say("$e", ben, "$root", "2"), false, -1},
		"a number elsewhere":        {say("$e", ann, "", "2"), false, -1},
		"a number in another room":  {Word{Event: "$e", Person: ann, Room: "!lab:x", Thread: "$root", Text: "2"}, false, -1},
		"a number within a message": {say("$e", ann, "$root", "2 of them"), false, -1},
		"an emoji as a message":     {say("$e", ann, "$root", "🐹"), false, -1},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.asks(asked("t1", ann, "$root"))
			v := h.hears(c.word)
			if v.Claimed != c.claims || v.Later || v.Claimed && v.Account != bot {
				t.Errorf("the verdict is %+v", v)
			}
			a := h.stands("t1")
			if a.Chosen != c.takes || (a.State == Answered) != (c.takes >= 0) || len(h.started) != min(c.takes+1, 1) {
				t.Errorf("it is %s with %d, %d turns started", a.State, a.Chosen, len(h.started))
			}
			if c.takes < 0 {
				return
			}
			s := h.started[0]
			if s.Turn != "t1" || s.Who.Requester != ann || s.Event != "$e" || s.Choice.Option != language.Options[c.takes] || s.Reaction != (c.word.Key != "") {
				t.Errorf("started %+v", s)
			}
			if want := language.Answered(c.takes); h.restated["t1"] != want {
				t.Errorf("shown as %q, want %q", h.restated["t1"], want)
			}
		})
	}
}

// Sentence 2: the first choice counts, and what chose is claimed whoever asks.
func TestTheFirstChoiceCounts(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.asks(asked("t1", ann, ""))
	first, err := h.desk.Hear(t.Context(), say("$1", ann, "", "1"))
	h.must(err)
	second, err := h.desk.Hear(t.Context(), react("$2", ann, "t1", "🐹"))
	h.must(err)
	third, err := h.desk.Hear(t.Context(), reply("$3", ann, "t1", "2"))
	h.must(err)
	h.must(h.db.Write(t.Context(), first.Do))
	h.must(h.db.Write(t.Context(), second.Do))
	if err := h.db.Write(t.Context(), third.Do); !errors.Is(err, errOvertaken) {
		t.Errorf("a message that came too late is used up: %v", err)
	}
	if a := h.stands("t1"); a.Chosen != 0 || a.ByEvent != "$1" || len(h.started) != 1 {
		t.Errorf("it is %+v, %d turns started", a, len(h.started))
	}
	for _, c := range []struct {
		word Word
		want bool
	}{{say("$1", ann, "", "1"), true}, {reply("$3", ann, "t1", "2"), false}, {say("$4", ann, "", "1"), false}, {react("$5", ann, "t1", "🐍"), false}} {
		if v := h.hears(c.word); v.Claimed != c.want || v.Do != nil {
			t.Errorf("%s: %+v", c.word.Event, v)
		}
	}
}

// Sentence 1: a choice that does not commit was not made.
func TestAChoiceAndItsTurnAreOne(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.asks(asked("t1", ann, ""))
	h.refuses = errors.New("no")
	v, err := h.desk.Hear(t.Context(), react("$1", ann, "t1", "🐹"))
	h.must(err)
	if err := h.db.Write(t.Context(), v.Do); err == nil || h.stands("t1").State != Open || h.buttons("t1") != "queued - queued -" {
		t.Errorf("%v; it is %s, its options %s", err, h.stands("t1").State, h.buttons("t1"))
	}
	h.refuses = nil
	if h.hears(react("$1", ann, "t1", "🐹")); h.stands("t1").State != Answered {
		t.Error("it cannot be chosen any more")
	}
}

// Sentence 2: whoever may not use the agent any more chooses nothing, and doubt
// is neither a yes nor a no.
func TestWhoMayChoose(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.asks(asked("t1", ann, ""))
	h.may = tool.CannotTell
	if v := h.hears(react("$1", ann, "t1", "🐹")); !v.Claimed || !v.Later || v.Do != nil {
		t.Errorf("in doubt: %+v", v)
	}
	h.may = tool.No
	if v := h.hears(react("$1", ann, "t1", "🐹")); v.Claimed {
		t.Errorf("without access: %+v", v)
	}
	h.may = tool.Yes
	if v := h.hears(react("$1", ann, "t1", "🐹")); !v.Claimed || h.stands("t1").State != Answered {
		t.Errorf("again with access: %+v", v)
	}
}

// Sentence 5: options that were sent are taken back, others never are sent, and
// those that nobody keeps any more hold nothing up.
func TestOptionsAreTakenAway(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		before func(h *house)
		want   string
	}{
		"not sent yet": {func(*house) {}, "superseded - superseded -"},
		"sent":         {(*house).sends, "sent queued sent queued"},
		"forgotten": {func(h *house) {
			h.sends()
			h.must(h.db.Write(context.Background(), func(tx *store.Tx) error {
				_, err := tx.Exec(`DELETE FROM chat_copies`)
				if err == nil {
					_, err = tx.Exec(`DELETE FROM chat_deliveries`)
				}
				return err
			}))
		}, "- - - -"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.asks(asked("t1", ann, "$root"))
			c.before(h)
			h.hears(say("$1", ann, "$root", "1"))
			if got := h.buttons("t1"); got != c.want {
				t.Errorf("the options are %q, want %q", got, c.want)
			}
		})
	}
}

// Sentence 4 and the table: what ends a question without a choice.
func TestEndsWithoutAChoice(t *testing.T) {
	t.Parallel()
	closed := func(other Asked) func(h *house) {
		return func(h *house) {
			h.must(h.db.Write(context.Background(), func(tx *store.Tx) error { return h.desk.Close(tx, other) }))
		}
	}
	agent := asked("t2", ann, "$root")
	agent.Who.Agent = "helper"
	for name, c := range map[string]struct {
		then func(h *house)
		want State
	}{
		"an answer there":          {closed(asked("t2", ann, "$root")), Closed},
		"another question there":   {func(h *house) { h.asks(asked("t2", ann, "$root")) }, Closed},
		"an answer elsewhere":      {closed(asked("t2", ann, "$other")), Open},
		"an answer to another":     {closed(asked("t2", ben, "$root")), Open},
		"another agent's":          {closed(agent), Open},
		"a reaction in time":       {func(h *house) { h.now = h.now.Add(lasting - time.Second); h.hears(react("$1", ann, "t1", "🐍")) }, Answered},
		"a reaction too late":      {func(h *house) { h.now = h.now.Add(lasting); h.hears(react("$1", ann, "t1", "🐍")) }, Expired},
		"a number too late":        {func(h *house) { h.now = h.now.Add(lasting); h.hears(say("$1", ann, "$root", "1")) }, Open},
		"a clock that is set back": {func(h *house) { h.now = h.now.Add(-2 * lasting); h.hears(react("$1", ann, "t1", "🐍")) }, Answered},
		"a restore": {func(h *house) {
			h.must(h.db.Write(context.Background(), func(tx *store.Tx) error { return Restore(tx, h.now) }))
		}, Closed},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newHouse(t)
			h.asks(asked("t1", ann, "$root"))
			c.then(h)
			if got := h.stands("t1").State; got != c.want {
				t.Errorf("it is %s, want %s", got, c.want)
			}
			words, told := h.restated["t1"]
			if want := c.want != Open && name != "a restore"; told != want || told && c.want != Answered && words != language.Closed() {
				t.Errorf("it is shown as %q", words)
			}
			if c.want == Closed || c.want == Expired {
				if v := h.hears(react("$9", ann, "t1", "🐹")); v.Claimed || len(h.started) != 0 {
					t.Errorf("afterwards %+v, %d turns", v, len(h.started))
				}
			}
		})
	}
}

// A question that is asked again, as by a process that did not know whether it
// had, is known; one whose turn is forgotten is forgotten.
func TestAskedOnceAndForgotten(t *testing.T) {
	t.Parallel()
	h := newHouse(t)
	h.asks(asked("t1", ann, ""))
	h.hears(react("$1", ann, "t1", "🐍"))
	h.asks(asked("t1", ann, ""))
	if a := h.stands("t1"); a.State != Answered || a.Chosen != 0 {
		t.Errorf("asked again it is %+v", a)
	}
	h.must(h.db.Write(t.Context(), func(tx *store.Tx) error { return Forget(tx, "t1") }))
	if a := h.stands("t1"); a.Turn != "" {
		t.Errorf("forgotten it is %+v", a)
	}
}

// The states that may follow one another are those of the table in doc.go.
func TestTable(t *testing.T) {
	t.Parallel()
	all := []State{Open, Answered, Closed, Expired}
	var got []string
	for _, from := range all {
		for _, to := range all {
			if allowed[from][to] {
				got = append(got, fmt.Sprintf("%s-%s", from, to))
			}
		}
		if from.Over() == (from == Open) {
			t.Errorf("%s is over: %v", from, from.Over())
		}
	}
	if want := []string{"open-answered", "open-closed", "open-expired"}; !slices.Equal(got, want) {
		t.Errorf("the table allows %v", got)
	}
	h := newHouse(t)
	h.asks(asked("t1", ann, ""))
	err := h.db.Write(t.Context(), func(tx *store.Tx) error {
		_, err := end(tx, h.stands("t1"), Open, -1, "", h.now)
		return err
	})
	if err == nil {
		t.Error("a question became open")
	}
}
