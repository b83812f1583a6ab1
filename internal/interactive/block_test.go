package interactive

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"mindroom/internal/message"
)

const langs = `{"question": "Which language?", "options": [
  {"emoji": "🐍", "label": "Python", "value": "python"},
  {"emoji": "🐹", "label": "Go", "value": "go"}]}`

func fenced(body string) string { return "```interactive\n" + body + "\n```" }

var language = Question{"Which language?", []Option{{"🐍", "Python", "python"}, {"🐹", "Go", "go"}}}

func TestFind(t *testing.T) {
	t.Parallel()
	cases := map[string]struct {
		text, rest string
		want       *Question // nil: it is text like any other
	}{
		"at the end":             {"Let me see.\n\n" + fenced(langs), "Let me see.", &language},
		"alone":                  {fenced(langs), "", &language},
		"white space after it":   {"A.\n" + fenced(langs) + "\n \n", "A.", &language},
		"words after it":         {"A.\n" + fenced(langs) + "\nB.", "A.\n\nB.", &language},
		"with tildes":            {"~~~ Interactive \n" + langs + "\n~~~", "", &language},
		"indented":               {"   ```interactive\r\n" + langs + "\r\n  ```", "", &language},
		"longer fences":          {"````interactive\n" + langs + "\n`````", "", &language},
		"not closed":             {"A.\n```interactive\n" + langs, "A.", &language},
		"the last one counts":    {fenced(`{"question":"Old?","options":[{"label":"a"}]}`) + "\n" + fenced(langs), fenced(`{"question":"Old?","options":[{"label":"a"}]}`), &language},
		"the last is malformed":  {fenced(langs) + "\n```interactive\n{]\n```", "```interactive\n{]\n```", &language},
		"a fence before it":      {"```go\nx\n```\n" + fenced(langs), "```go\nx\n```", &language},
		"more keys than we know": {fenced(`{"type":"poll","question":"Q?","options":[{"label":"A","hint":1}]}`), "", &Question{"Q?", []Option{{"1️⃣", "A", "A"}}}},
		"numbers and truths":     {fenced(`{"question":" Q? ","options":[{"emoji":"a","label":"A","value":3},{"emoji":"b","label":"B\n b","value":true},{"emoji":"c","label":"C","value":null}]}`), "", &Question{"Q?", []Option{{"a", "A", "3"}, {"b", "B b", "true"}, {"c", "C", "C"}}}},
		"what cannot be stored":  {fenced(`{"question":"Q\u0000?","options":[{"emoji":"a","label":"A\u0000","value":"v\u0000"}]}`), "", &Question{"Q\uFFFD?", []Option{{"a", "A\uFFFD", "v\uFFFD"}}}},
		"inside another fence":   {"````markdown\n" + fenced(langs) + "\n````", "", nil},
		"another tag":            {"```json\n" + langs + "\n```", "", nil},
		"a longer tag":           {"```interactive json\n" + langs + "\n```", "", nil},
		"four spaces":            {"    ```interactive\n" + langs + "\n    ```", "", nil},
		"no JSON":                {fenced("Which one?"), "", nil},
		"half of it":             {"```interactive\n" + langs[:40], "", nil},
		"a list":                 {fenced("[" + langs + "]"), "", nil},
		"two values":             {fenced(langs + langs), "", nil},
		"no question":            {fenced(`{"question":" ","options":[{"label":"A"}]}`), "", nil},
		"no options":             {fenced(`{"question":"Q?","options":[]}`), "", nil},
		"six options":            {fenced(`{"question":"Q?","options":[` + strings.Repeat(`{"label":"A"},`, 5) + `{"label":"A"}]}`), "", nil},
		"no label":               {fenced(`{"question":"Q?","options":[{"emoji":"a","value":"v"}]}`), "", nil},
		"one emoji twice":        {fenced(`{"question":"Q?","options":[{"emoji":"❤","label":"A"},{"emoji":"❤️","label":"B"}]}`), "", nil},
		"an emoji with a space":  {fenced(`{"question":"Q?","options":[{"emoji":"a b","label":"A"}]}`), "", nil},
		"an emoji without end":   {fenced(`{"question":"Q?","options":[{"emoji":"` + strings.Repeat("a", 65) + `","label":"A"}]}`), "", nil},
		"a value that is a list": {fenced(`{"question":"Q?","options":[{"emoji":"a","label":"A","value":[]}]}`), "", nil},
		"a question without end": {fenced(`{"question":"` + strings.Repeat("a", 8000) + `","options":[{"label":"A"}]}`), "", nil},
		"a question of markup":   {fenced(`{"question":"` + strings.Repeat("*a* ", 1600) + `?","options":[{"label":"A"}]}`), "", nil},
		"nothing":                {"", "", nil},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			rest, q, found := Find(c.text)
			if c.want == nil {
				if found || rest != c.text {
					t.Errorf("found %+v, the rest is %q", q, rest)
				}
				return
			}
			if !found || rest != c.rest || !reflect.DeepEqual(q, *c.want) {
				t.Errorf("found %v %+v, the rest is %q; want %+v and %q", found, q, rest, *c.want, c.rest)
			}
		})
	}
}

func TestGrowing(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"A.\n\n" + fenced(langs):                         "A.",
		"A.\n\n```interactive\n{\"quest":                 "A.",
		"A.\n```interactive":                             "A.",
		"A.\n```inter":                                   "A.\n```inter",
		"A.\n" + fenced("{]") + "\nB.\n" + fenced(langs): "A.\n\nB.",
		"````\n" + fenced(langs) + "\n````":              "````\n" + fenced(langs) + "\n````",
		"```interactive\n```\n```interactive":            "",
		"```interactive\n":                               "",
		"Only words, as they are. \n":                    "Only words, as they are. \n",
	} {
		if tagged := Tagged(text); tagged != (want != text) {
			t.Errorf("%q is tagged: %v", text, tagged)
		}
		if got := Growing(text); got != want {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
}

func TestWords(t *testing.T) {
	t.Parallel()
	for got, want := range map[string]string{
		language.Open():      "Which language?\n\n1. 🐍 Python\n2. 🐹 Go\n\nReact with one of the emojis, or type its number.",
		language.Closed():    "Which language?\n\n1. 🐍 Python\n2. 🐹 Go\n\nThis question is closed.",
		language.Answered(1): "Which language?\n\n✓ 🐹 Go",
		Choice{"Which\nlanguage?", language.Options[0]}.Said(): `My choice for your question "Which language?": 🐍 Python (value: python)`,
	} {
		if got != want {
			t.Errorf("it reads %q, want %q", got, want)
		}
	}
	raw, err := json.Marshal(language.Metadata("coder", "$1"))
	want := `{"creator_agent":"coder","option_labels":{"🐍":"Python","🐹":"Go"},"options":{"🐍":"python","🐹":"go"},"question_text":"Which language?","source_event_id":"$1"}`
	if err != nil || string(raw) != want {
		t.Errorf("programs read %s, %v", raw, err)
	}
}

func TestWhatChooses(t *testing.T) {
	t.Parallel()
	q := Question{"Q?", []Option{{"1️⃣", "A", "a"}, {"❤️", "B", "b"}, {"👍🏽", "C", "c"}}}
	for key, want := range map[string]int{"1️⃣": 0, "1⃣": 0, "❤": 1, "❤️": 1, "👍🏽": 2, "👍": -1, "": -1, "2": -1, "🛑": -1} {
		if n, ok := q.reacted(key); ok != (want >= 0) || ok && n != want {
			t.Errorf("the reaction %q chooses %d %v, want %d", key, n, ok, want)
		}
	}
	for text, want := range map[string]int{"1": 0, " 3\n": 2, "4": -1, "0": -1, "5": -1, "6": -1, "+1": -1, "01": -1, "2.": -1, "two": -1, "1 2": -1, "": -1, "-1": -1} {
		if n, ok := q.typed(text); ok != (want >= 0) || ok && n != want {
			t.Errorf("the text %q chooses %d %v, want %d", text, n, ok, want)
		}
	}
}

// FuzzFind holds what every block that counts as well formed is: within its
// bounds, gone from the text, and readable.
func FuzzFind(f *testing.F) {
	for _, seed := range []string{fenced(langs), "A\n" + fenced("{]") + "\n" + fenced(langs) + "\nB", "~~~interactive\n{", "```\n```interactive\n"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		rest, q, found := Find(text)
		if grown := Growing(text); len(grown) > len(text)+2 {
			t.Errorf("%q grows into %q", text, grown)
		}
		if !found {
			if rest != text {
				t.Errorf("%q became %q without a question", text, rest)
			}
			return
		}
		if len(rest) >= len(text) {
			t.Errorf("the block is still in %q", rest)
		}
		if err := q.check(); err != nil {
			t.Error(err)
		}
		if n := message.Content(q.Metadata("agent", "$event")).Size(); n > MaxMetadata {
			t.Errorf("the metadata has %d bytes", n)
		}
		for i, o := range q.Options {
			if n, ok := q.reacted(o.Emoji); !ok || n != i {
				t.Errorf("the reaction %q chooses %d %v, not %d", o.Emoji, n, ok, i)
			}
			if n, ok := q.typed(fmt.Sprint(i + 1)); !ok || n != i {
				t.Errorf("%d chooses %d %v", i+1, n, ok)
			}
			if o.Label == "" || o.Value == "" || strings.ContainsAny(o.Label+o.Value, "\n\r") {
				t.Errorf("option %d is %+v", i+1, o)
			}
		}
		content := message.Text(strings.Repeat("word ", 20_000), message.Tail(q.Open()), message.With(message.KeyInteractive, q.Metadata("agent", "$event")))
		if content.Size() > message.MaxContent || !strings.HasSuffix(content["body"].(string), q.Open()) {
			t.Errorf("below a long answer the message has %d bytes", content.Size())
		}
		if words := q.Open(); !utf8.ValidString(words) || strings.Count(words, "\n") < len(q.Options) {
			t.Errorf("it reads %q", words)
		}
	})
}
