package person

import (
	"slices"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func said(id, sender, body string) Event {
	return Event{ID: id, Sender: sender, Type: "m.room.message", Content: text(body, nil)}
}

func edited(id, sender, target, body string) Event {
	e := said(id, sender, "* "+body)
	e.Content["m.new_content"] = text(body, nil)
	e.Content["m.relates_to"] = map[string]any{"rel_type": "m.replace", "event_id": target}
	return e
}

func TestFold(t *testing.T) {
	t.Parallel()
	inThread := said("$c", "@ann:x", "c")
	inThread.Content["m.relates_to"] = map[string]any{"rel_type": "m.thread", "event_id": "$a"}
	broken := edited("$e", "@ann:x", "$a", "broken")
	broken.Content["m.new_content"] = "no object"
	for _, c := range []struct {
		name string
		in   []Event
		want []string
	}{
		{"nothing", nil, nil},
		{"newest edit wins", []Event{said("$a", "@ann:x", "1"), edited("$b", "@ann:x", "$a", "2"), edited("$c", "@ann:x", "$a", "3")}, []string{"3"}},
		{"an edit by another is none", []Event{said("$a", "@ann:x", "1"), edited("$b", "@eve:x", "$a", "2")}, []string{"1"}},
		{"an edit of what is not here", []Event{edited("$b", "@ann:x", "$a", "2")}, nil},
		{"a broken edit", []Event{said("$a", "@ann:x", "1"), broken}, []string{"1"}},
		{"other types", []Event{{ID: "$r", Type: "m.reaction"}, said("$a", "@ann:x", "1")}, []string{"1"}},
		{"the order is the originals'", []Event{said("$a", "@ann:x", "1"), said("$b", "@bob:x", "2"), edited("$c", "@ann:x", "$a", "3")}, []string{"3", "2"}},
	} {
		var got []string
		for _, e := range Fold(c.in) {
			got = append(got, e.Body())
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	kept := Fold([]Event{inThread, edited("$d", "@ann:x", "$c", "new")})
	if len(kept) != 1 || kept[0].ThreadRoot() != "$a" || inThread.Body() != "c" {
		t.Errorf("the edit moved the message, or changed its argument: %+v", kept)
	}
}

func TestRelationsOfOddContent(t *testing.T) {
	t.Parallel()
	for _, content := range []map[string]any{nil, {}, {"m.relates_to": 7}, {"m.relates_to": map[string]any{"rel_type": 7, "event_id": "$x"}}} {
		e := Event{Content: content}
		key, on := e.Reaction()
		if e.Body()+e.Replaces()+e.ThreadRoot()+key+on != "" {
			t.Errorf("%v means something", content)
		}
	}
}
