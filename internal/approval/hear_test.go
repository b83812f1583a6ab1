package approval

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"mindroom/internal/store"
	"mindroom/internal/tool"
)

// words are what people can do to a card, and what they want by it; empty for
// nothing.
var words = []struct {
	name string
	Word
	wants State
	says  string
}{
	{"✅", Word{Key: "✅"}, Approved, ""},
	{"✅ as some clients send it", Word{Key: "✅\ufe0f"}, Approved, ""},
	{"❌", Word{Key: "❌"}, Denied, ""},
	{"another reaction", Word{Key: "👍"}, "", ""},
	{"a reply", Word{Text: " not today \n"}, Denied, "not today"},
	{"an empty reply", Word{}, Denied, ""},
	{"a response that approves", Word{Response: &Response{Decision: Approved}}, Approved, ""},
	{"a response that denies", Word{Response: &Response{Decision: Denied, Reason: "no"}}, Denied, "no"},
}

// Every person, word, state and authority: sentences 2, 3 and 6.
func TestHear(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	states := []string{"pending", "cannot be approved", "over time", "approved", "denied", "expired", "withdrawn"}
	n := 0
	for _, state := range states {
		for _, person := range []string{ann, ben, watcherUser} {
			for _, may := range []tool.Answer{tool.Yes, tool.No, tool.CannotTell} {
				for _, word := range words {
					for _, part := range []string{eventDelivery, textDelivery}[n%2:][:1] {
						n++
						name := fmt.Sprintf("%s, %s, may %v, %s, %s", state, person, may, word.name, part)
						owner := fmt.Sprintf("turn-%d", n)
						card := d.asks(turnRef(owner), map[string]any{"a": 1})
						before := Pending
						switch state {
						case "cannot be approved":
							d.write(func(tx *store.Tx) error { return unseen(tx, card.ID) })
						case "over time":
							d.cards.mu.Lock()
							d.cards.due[card.ID] = time.Now().Add(-time.Second)
							d.cards.mu.Unlock()
						case "approved", "denied", "expired":
							before = State(state)
							d.decides(card.ID, before, "first")
						case "withdrawn":
							before = Withdrawn
							d.write(func(tx *store.Tx) error {
								_, err := d.cards.Withdraw(tx, tool.DoorTurn, owner, "it is over")
								return err
							})
						}
						d.set(func() { d.may = may })
						word.Delivery, word.Person = part+card.ID, person
						got := d.hears(word.Word)
						d.set(func() { d.may = tool.Yes })

						// What has to become of it, by the rules as people are told them.
						after, note, claimed, later := before, "", word.wants != "", false
						switch {
						case word.wants == "":
						case person != ann:
							note = "stranger:" + person
						case before.Terminal():
							note = string(before) + ":" + person
						case may == tool.CannotTell:
							later = true
						case may == tool.No:
							note = "no-access:" + person
						case state == "over time":
							after, note = Expired, "expired:"+person
						case state == "cannot be approved" && word.wants == Approved:
							after, note = Denied, "denied:"+person
						default:
							after = word.wants
						}
						now := d.card(card.ID)
						if got.Claimed != claimed || got.Later != later || now.State != after || strings.Join(d.notes(card.ID), " ") != note {
							t.Errorf("%s: claimed %v later %v, the card is %s, told %q", name, got.Claimed, got.Later, now.State, d.notes(card.ID))
						}
						if now.State == word.wants && !before.Terminal() && state == "pending" && (now.By != ann || now.Reason != word.says) {
							t.Errorf("%s: by %q, %q", name, now.By, now.Reason)
						}
						d.shown(card.ID)
					}
				}
			}
		}
	}
	if want := len(states) * 3 * 3 * len(words); n != want {
		t.Errorf("%d cells, not %d", n, want)
	}
}

// What is about no card is somebody else's business, and what is about one that
// is kept no longer is nobody's.
func TestHearOfNoCard(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	if v := d.hears(Word{Delivery: "turn:1:0", Person: ann, Key: "✅"}); v.Claimed {
		t.Error("the stop button's message was taken for a card")
	}
	if v := d.hears(Word{Delivery: textDelivery + "gone", Person: ann, Text: "no"}); !v.Claimed || v.Do != nil {
		t.Errorf("%+v", v)
	}
}

// Nobody is told the same thing twice.
func TestToldOnce(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card := d.asks(turnRef("turn-1"), map[string]any{})
	for range 3 {
		d.hears(Word{Delivery: eventDelivery + card.ID, Person: ben, Key: "✅"})
	}
	d.hears(Word{Delivery: textDelivery + card.ID, Person: "@cid:x", Text: "no"})
	if got := strings.Join(d.notes(card.ID), " "); got != "stranger:@ben:x stranger:@cid:x" {
		t.Errorf("told %s", got)
	}
	_, note, _ := d.delivery("card-note:" + card.ID + ":stranger:@ben:x")
	if body, _ := note["body"].(string); !strings.Contains(body, "Only "+ann+" can decide about `kit.act`") {
		t.Errorf("told %q", body)
	}
}

func TestParseResponse(t *testing.T) {
	t.Parallel()
	for content, want := range map[string]string{
		`{"status":"approved"}`:                                "approved ",
		`{"status":"approved","reason":"go on"}`:               "approved go on",
		`{"status":"denied","denial_reason":"no"}`:             "denied no",
		`{"status":"denied","reason":"a","denial_reason":"b"}`: "denied a",
		`{"status":"denied","reason":7}`:                       "denied ",
		`{"Status":"approved"}`:                                "",
		`{"status":"expired"}`:                                 "",
		`{"status":["approved"]}`:                              "",
		`{}`:                                                   "", `[]`: "", `null`: "", ``: "",
	} {
		r, ok := ParseResponse(json.RawMessage(content))
		if got := string(r.Decision) + " " + r.Reason; ok != (want != "") || ok && got != want {
			t.Errorf("%s: %q %v", content, got, ok)
		}
	}
}

// FuzzParseResponse holds that nothing but a plain decision is one.
func FuzzParseResponse(f *testing.F) {
	for _, s := range []string{`{"status":"approved"}`, `{"status":"denied","denial_reason":"x"}`, `{"status":1}`, `[{}]`, "\xff"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r, ok := ParseResponse(raw)
		var said struct{ Status any }
		if ok && (r.Decision != Approved && r.Decision != Denied || json.Unmarshal(raw, &said) != nil) {
			t.Errorf("%q: %+v", raw, r)
		}
	})
}

// What is over stays over after a restore: nothing is said in the room, and who
// decides is told.
func TestRestored(t *testing.T) {
	t.Parallel()
	d := newDesk(t)
	card, done := d.asks(turnRef("turn-1"), map[string]any{}), d.asks(turnRef("turn-2"), map[string]any{})
	d.decides(done.ID, Denied, "no")
	d.write(func(tx *store.Tx) error { return Restore(tx, d.now()) })
	if _, _, said := d.delivery(eventDelivery + card.ID + endSuffix); said || d.card(card.ID).State != Withdrawn || d.card(done.ID).Reason != "no" {
		t.Errorf("said %v, %+v and %+v", said, d.card(card.ID), d.card(done.ID))
	}
	d.hears(Word{Delivery: eventDelivery + card.ID, Person: ann, Key: "✅"})
	if got := strings.Join(d.notes(card.ID), " "); got != "withdrawn:"+ann {
		t.Errorf("told %q", got)
	}
	d.write(func(tx *store.Tx) error { return Forget(tx, tool.DoorTurn, "turn-1") })
	if d.exists(card.ID) || !d.exists(done.ID) {
		t.Error("the wrong one was forgotten")
	}
}
