package console

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"mindroom/internal/approval"
	"mindroom/internal/person"
)

// asks is the readable message of a card, which mentions who is asked while a
// decision is wanted.
func asks(id string, whom ...any) person.Event {
	e := said(id, keeper, "**🔒 Approval required: `kit.act`**\n\nmore", "$root", "")
	e.Content[approval.KeyCard], e.Content["m.mentions"] = "card of "+id, map[string]any{"user_ids": whom}
	return e
}

// ends is the edit with which a question ends.
func ends(id, target string) person.Event {
	e := changed(id, keeper, target, "**Approved: `kit.act`**", "")
	e.Content["m.new_content"].(map[string]any)[approval.KeyCard] = "card of " + target
	return e
}

// The newest question that waits for this person is decided as any client does
// it; those of others and those that are over are left alone.
func TestDecide(t *testing.T) {
	t.Parallel()
	card := said("$card", keeper, "🔒 Approval required: act", "$root", "")
	card.Type = approval.EventType
	for name, c := range map[string]struct {
		past  []person.Event
		typed string
		sent  string
		note  string
	}{
		"yes":             {[]person.Event{asks("$q", ann)}, "/yes", "✅ $q", "approved: 🔒 Approval required: `kit.act`"},
		"no":              {[]person.Event{asks("$q", ann)}, "/no", "❌ $q", "denied: "},
		"no with words":   {[]person.Event{asks("$q", ann)}, "/no  not today ", "m.room.message not today map[m.in_reply_to:map[event_id:$q]]", "denied: "},
		"the newest":      {[]person.Event{asks("$q", ann), asks("$r", ann)}, "/yes", "✅ $r", "approved: "},
		"the newest open": {[]person.Event{asks("$q", ann), asks("$r", ann), ends("$e", "$r")}, "/yes", "✅ $q", "approved: "},
		"of somebody":     {[]person.Event{asks("$q", "@ben:x")}, "/yes", "", "nothing here waits for your decision"},
		"over":            {[]person.Event{asks("$q", ann), ends("$e", "$q")}, "/no", "", "nothing here waits for your decision"},
		"a message":       {[]person.Event{said("$m", keeper, "hello", "", "")}, "/yes", "", "nothing here waits for your decision"},
		"the card alone":  {[]person.Event{card}, "/yes", "", "nothing here waits for your decision"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(c.past...)
				out, notes, err := chat(t, r, newTypist(c.typed), nil)
				if err != nil || !strings.HasPrefix(notes, c.note) {
					t.Errorf("%v, notes %q", err, notes)
				}
				if got := strings.Join(r.sent, "; "); got != c.sent {
					t.Errorf("sent %q", got)
				}
				if strings.Contains(out, "🔒 Approval required: act") {
					t.Errorf("the card is shown beside its message: %s", out)
				}
			})
		})
	}
}

// A question about a call is no answer: whoever pipes a line in waits on.
func TestAQuestionIsNoAnswer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		r := newRoom()
		r.onSend = func(r *room, id, _, _ string) {
			q := asks("$q", ann)
			q.Content["m.relates_to"] = map[string]any{"rel_type": "m.thread", "event_id": id}
			r.say(q)
		}
		if _, _, err := chat(t, r, newTypist("do it"), nil); err == nil {
			t.Error("the question was taken for the answer")
		}
		if !slices.Equal(r.sent, []string{" do it"}) {
			t.Errorf("sent %q", r.sent)
		}
	})
}
