package turncli

import (
	"strings"
	"unicode"
)

// stop are words that say nothing about a function.
var stop = func() map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields("a an and are as at be by can do does for from how i if in into is it its me my of on or our so some " +
		"that the their them then there these this to tool tools up use used using want was we what when where which who will with you your please need") {
		m[w] = true
	}
	return m
}()

// words are the words of a text as they are compared: lower case, names in snake
// and camel case taken apart, without endings, and without those that say nothing.
func words(text string) []string {
	var all []string
	var word []rune
	end := func() {
		if w := strings.ToLower(string(word)); w != "" && !stop[w] {
			all = append(all, stem(w))
		}
		word = word[:0]
	}
	var last rune
	for _, r := range text {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			end()
		case unicode.IsUpper(r) && unicode.IsLower(last):
			end()
			word = append(word, r)
		default:
			word = append(word, r)
		}
		last = r
	}
	end()
	return all
}

// endings of English words that are taken off, longest first, with what stays.
var endings = []struct{ from, to string }{
	{"ations", "ate"}, {"ation", "ate"}, {"ements", ""}, {"ement", ""}, {"iness", ""}, {"ies", "y"}, {"ings", ""}, {"ers", ""}, {"ors", ""},
	{"ing", ""}, {"ied", "y"}, {"ed", ""}, {"er", ""}, {"or", ""}, {"ly", ""}, {"es", ""}, {"s", ""},
}

// stem makes the forms of a word alike, roughly: it is only ever compared with
// other stems.
func stem(w string) string {
	for _, e := range endings {
		if head, ok := strings.CutSuffix(w, e.from); ok && len(head) >= 3 && !strings.HasSuffix(w, "ss") {
			w = head + e.to
			break
		}
	}
	// running → runn → run; note → not, as noted and notes are.
	if n := len(w); n > 3 && w[n-1] == w[n-2] {
		w = w[:n-1]
	}
	if len(w) > 3 {
		w = strings.TrimSuffix(w, "e")
	}
	return w
}
