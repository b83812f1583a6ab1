package turncli

import (
	"math"
	"slices"
	"strings"

	"mindroom/internal/tool"
)

// index ranks functions by the words of a query: BM25 over fields that count
// differently. A word of the query also counts, for less, where a function has
// another word for the same, another form of it, or a compound with it; and a
// function counts for more in a toolkit that is about the query as a whole.
type index struct {
	// at is the place of a function, kit that of its toolkit by the function's.
	at        map[tool.Name]int
	kit       []int
	functions corpus
	kits      corpus
}

// entry is one function or one toolkit while it is read: how much of each word it
// has, by weight.
type entry struct {
	words  map[string]float64
	length float64
}

// The weights of the fields. What a function does stands in its first sentence; the
// others say how to use it and speak of much else.
const (
	weightName      = 5.0
	weightToolkit   = 2.0
	weightPurpose   = 0.5
	weightFirst     = 2.5
	weightRest      = 0.8
	weightArguments = 1.0
	weightExplained = 0.5
	// weightKit is what the toolkit's score counts beside the function's own.
	weightKit = 0.8
)

// newIndex reads functions; purpose is a toolkit's line for listings.
func newIndex(functions []*tool.Function, purpose func(toolkit string) string) *index {
	x := &index{at: map[tool.Name]int{}}
	var entries, kits []*entry
	places := map[string]int{}
	for i, f := range functions {
		e := entryOf(f, purpose)
		entries = append(entries, e)
		place, known := places[f.Name.Toolkit]
		if !known {
			place = len(kits)
			places[f.Name.Toolkit] = place
			kits = append(kits, &entry{words: map[string]float64{}})
		}
		for word, weight := range e.words {
			kits[place].words[word] += weight
		}
		kits[place].length += e.length
		x.at[f.Name], x.kit = i, append(x.kit, place)
	}
	x.functions, x.kits = corpusOf(entries), corpusOf(kits)
	return x
}

func entryOf(f *tool.Function, purpose func(toolkit string) string) *entry {
	e := &entry{words: map[string]float64{}}
	e.add(f.Name.Function, weightName)
	e.add(f.Name.Toolkit, weightToolkit)
	e.add(purpose(f.Name.Toolkit), weightPurpose)
	first, rest := sentence(withoutNames(f.Description))
	e.add(first, weightFirst)
	e.add(rest, weightRest)
	properties, _ := arguments(f.Schema)
	for _, p := range properties {
		e.add(p.name, weightArguments)
		e.add(withoutNames(p.Description), weightExplained)
		for _, value := range p.Enum {
			if text, ok := value.(string); ok {
				e.add(text, weightArguments)
			}
		}
	}
	return e
}

func (e *entry) add(text string, weight float64) {
	for _, word := range words(text) {
		e.words[word] += weight
		e.length += weight
	}
}

// sentence takes the first sentence or line off a text.
func sentence(text string) (first, rest string) {
	text = strings.TrimSpace(text)
	for i, r := range text {
		if r == '\n' || r == '.' && strings.HasPrefix(text[i+1:], " ") {
			return text[:i], text[i+1:]
		}
	}
	return text, ""
}

// withoutNames leaves out words in snake case: in a description they name other
// functions, which are found by their own.
func withoutNames(text string) string {
	return strings.Join(slices.DeleteFunc(strings.Fields(text), func(word string) bool { return strings.Contains(word, "_") }), " ")
}

// rank gives those of the functions that have anything of the query, best first;
// equals stay in their order. toolkit restricts them; empty does not.
func (x *index) rank(query string, functions []*tool.Function, toolkit string) []*tool.Function {
	terms := x.functions.terms(query)
	own, kits := x.functions.scores(terms), x.kits.scores(terms)
	type scored struct {
		f     *tool.Function
		score float64
	}
	var all []scored
	for _, f := range functions {
		i, known := x.at[f.Name]
		switch {
		case !known || toolkit != "" && f.Name.Toolkit != toolkit:
		case strings.EqualFold(query, f.Name.Function) || strings.EqualFold(query, f.Name.String()):
			all = append(all, scored{f, math.MaxFloat64})
		case own[i] > 0:
			all = append(all, scored{f, own[i] + weightKit*kits[x.kit[i]]})
		}
	}
	slices.SortStableFunc(all, func(a, b scored) int {
		switch {
		case a.score > b.score:
			return -1
		case a.score < b.score:
			return 1
		}
		return 0
	})
	ranked := make([]*tool.Function, len(all))
	for i, s := range all {
		ranked[i] = s.f
	}
	return ranked
}
