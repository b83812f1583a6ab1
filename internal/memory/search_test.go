package memory

import (
	"strings"
	"testing"
)

func TestRank(t *testing.T) {
	t.Parallel()
	var entries []Entry
	for _, text := range []string{"Ann likes tea", "Ann likes coffee", "Ann has a teapot", "Ben: ÜBER alles", "お茶が好き"} {
		entries = append(entries, Entry{Text: text})
	}
	for name, c := range map[string]struct {
		query string
		limit int
		want  string
	}{
		"a whole word before a part":    {"tea", 5, "Ann likes tea|Ann has a teapot"},
		"a rare word before a common":   {"ann coffee", 2, "Ann likes coffee|Ann likes tea"},
		"capitals and signs":            {"  über!! ", 5, "Ben: ÜBER alles"},
		"text without spaces":           {"茶", 5, "お茶が好き"},
		"a word twice counts once":      {"ann ann ann coffee", 1, "Ann likes coffee"},
		"nothing":                       {"milk", 5, ""},
		"no word":                       {" ?! ", 5, ""},
		"no room":                       {"ann", 0, ""},
		"more words than are looked at": {strings.Repeat("zz ", 500) + "tea", 1, "Ann likes tea"},
	} {
		var got []string
		for _, e := range rank(entries, c.query, c.limit) {
			got = append(got, e.Text)
		}
		if strings.Join(got, "|") != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}
