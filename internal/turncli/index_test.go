package turncli

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"mindroom/internal/tool"
)

// library is a small surface: "toolkit.function: description | argument, argument".
func library(lines ...string) []*tool.Function {
	var all []*tool.Function
	for _, line := range lines {
		name, rest, _ := strings.Cut(line, ": ")
		toolkit, function, _ := strings.Cut(name, ".")
		description, arguments, _ := strings.Cut(rest, " | ")
		properties := map[string]any{}
		for _, a := range strings.Split(arguments, ", ") {
			properties[a] = map[string]any{"type": "string"}
		}
		schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
		all = append(all, &tool.Function{Name: tool.Name{Toolkit: toolkit, Function: function}, Description: description, Schema: schema})
	}
	return all
}

func TestRank(t *testing.T) {
	t.Parallel()
	functions := library(
		"mail.send_message: Send a mail at once. Use create_event for invitations. | to, subject",
		"mail.search_messages: Find messages by sender or subject. | query",
		"chat.post_message: Write into a channel. | channel, text",
		"calendar.create_event: Put an appointment into a calendar. | title, start",
		"calendar.delete_event: Remove an appointment. | event_id",
		"payroll.get_payslip: The pay of an employee for a month. | employee, month",
		"paint.set_colour: Give a wall another tone. | wall",
		"wall.get: About a wall. | id",
	)
	purposes := map[string]string{"chat": "The company's messenger."}
	x := newIndex(functions, func(toolkit string) string { return purposes[toolkit] })
	for query, want := range map[string]string{
		"send_message":          "mail.send_message",
		"Mail.Send_Message":     "mail.send_message",
		"send mail":             "mail.send_message",
		"sending mails":         "mail.send_message", // other forms
		"write email":           "mail.send_message", // other words
		"cancel the meeting":    "calendar.delete_event",
		"messenger":             "chat.post_message", // the toolkit's purpose
		"salary slip":           "payroll.get_payslip",
		"color":                 "paint.set_colour",
		"how do I create event": "calendar.create_event",
		"channel":               "chat.post_message", // an argument too
	} {
		got := x.rank(query, functions, "")
		if len(got) == 0 || got[0].Name.String() != want {
			t.Errorf("%q finds %v, want %s first", query, names(got), want)
		}
	}
	for _, nothing := range []string{"", "the of a", "zeppelin", "?!"} {
		if got := x.rank(nothing, functions, ""); len(got) > 0 {
			t.Errorf("%q finds %v", nothing, names(got))
		}
	}
	for _, f := range x.rank("send mail message", functions, "chat") {
		if f.Name.Toolkit != "chat" {
			t.Errorf("restricted to chat, it finds %s", f.Name)
		}
	}
	// What a description says of another function is found by that one.
	if got := names(x.rank("create event", functions, "")); slices.Contains(got[:2], "mail.send_message") {
		t.Errorf("create event finds %v", got)
	}
	// Functions that went away since are not found again.
	if got := x.rank("appointment", functions[:3], ""); len(got) > 0 {
		t.Errorf("found %v, which are not offered", names(got))
	}
}

func names(functions []*tool.Function) []string {
	all := make([]string, len(functions))
	for i, f := range functions {
		all[i] = f.Name.String()
	}
	return all
}

// The order never depends on that of a map.
func TestRankIsStable(t *testing.T) {
	t.Parallel()
	functions := library("a.get_item: Show a thing. | id", "b.get_item: Show a thing. | id", "c.get_item: Show a thing. | id", "d.list: All things. | page")
	first := names(newIndex(functions, func(string) string { return "" }).rank("show item thing", functions, ""))
	for range 20 {
		again := names(newIndex(functions, func(string) string { return "" }).rank("show item thing", functions, ""))
		if !slices.Equal(first, again) {
			t.Fatalf("%v, then %v", first, again)
		}
	}
	if want := []string{"a.get_item", "b.get_item", "c.get_item"}; !slices.Equal(first[:3], want) {
		t.Errorf("equals are %v, want the agent's order", first)
	}
}

func TestKinship(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		word, other string
		related     bool
	}{
		{"cat", "cat", true}, {"calend", "calendar", true}, {"colour", "color", true}, {"categor", "categoris", true}, {"slip", "payslip", true},
		{"cat", "dog", false}, {"mail", "main", false}, {"in", "invoice", false}, {"ip", "slip", false}, {"contract", "contact", false},
	} {
		got := kinship(c.word, c.other)
		if got > 0 != c.related || got > 1 || got == 1 && c.word != c.other {
			t.Errorf("%s and %s: %v", c.word, c.other, got)
		}
		if back := kinship(c.other, c.word); back != got {
			t.Errorf("%s and %s: %v one way and %v the other", c.word, c.other, got, back)
		}
	}
}

// Every word of the table is one that queries have: lower case, with a partner, and
// not one that is left out of every query.
func TestSynonyms(t *testing.T) {
	t.Parallel()
	for line := range strings.Lines(alike) {
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Fields(line)
		if len(fields) < 2 || len(words(line)) != len(fields) {
			t.Errorf("%q: a word of it says nothing, or stands alone", strings.TrimSpace(line))
		}
	}
}

func TestSentence(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"One. Two.": "One", "One\nTwo": "One", "v1.4 of it. More": "v1.4 of it", "Alone.": "Alone.", "": "", " Ä. Ö.": "Ä",
	} {
		if got, _ := sentence(text); got != want {
			t.Errorf("sentence(%q) = %q, want %q", text, got, want)
		}
	}
}
