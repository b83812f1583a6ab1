package turncli

import (
	"math"
	"slices"
	"strings"

	"mindroom/internal/tool"
)

// index ranks functions by the words of a query: BM25 over fields that count
// differently, where a word also counts, for less, when it begins another.
type index struct {
	byName map[tool.Name]entry
	rarity map[string]float64
	length float64 // of a function, on average
}

// entry is one function: how much of each word it has, by weight.
type entry struct {
	words  map[string]float64
	length float64
}

// The weights of the fields and BM25's constants. They were chosen by the search
// fixture of the tests.
const (
	weightName      = 5.0
	weightToolkit   = 3.0
	weightFirst     = 2.0 // the first paragraph of the description
	weightRest      = 0.7
	weightArguments = 1.5
	weightPrefix    = 0.6
	saturation      = 1.2
	normalisation   = 0.5
)

func newIndex(functions []*tool.Function) *index {
	x := &index{byName: map[tool.Name]entry{}, rarity: map[string]float64{}}
	for _, f := range functions {
		e := entry{words: map[string]float64{}}
		e.add(f.Name.Function, weightName)
		e.add(f.Name.Toolkit, weightToolkit)
		first, rest, _ := strings.Cut(strings.TrimSpace(f.Description), "\n\n")
		e.add(first, weightFirst)
		e.add(rest, weightRest)
		properties, _ := arguments(f.Schema)
		for _, p := range properties {
			e.add(p.name, weightArguments)
		}
		for word, weight := range e.words {
			x.rarity[word]++
			e.length += weight
		}
		x.byName[f.Name] = e
		x.length += e.length / float64(len(functions))
	}
	for word, n := range x.rarity {
		x.rarity[word] = math.Log(1 + (float64(len(functions))-n+0.5)/(n+0.5))
	}
	return x
}

func (e entry) add(text string, weight float64) {
	for _, word := range words(text) {
		e.words[word] += weight
	}
}

// rank gives those of the functions that have anything of the query, best first;
// equals stay in their order. toolkit restricts them; empty does not.
func (x *index) rank(query string, functions []*tool.Function, toolkit string) []*tool.Function {
	asked := words(query)
	type scored struct {
		f     *tool.Function
		score float64
	}
	var all []scored
	for _, f := range functions {
		if toolkit != "" && f.Name.Toolkit != toolkit {
			continue
		}
		if score := x.score(asked, f, query); score > 0 {
			all = append(all, scored{f, score})
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

func (x *index) score(asked []string, f *tool.Function, query string) (score float64) {
	if strings.EqualFold(query, f.Name.Function) || strings.EqualFold(query, f.Name.String()) {
		return math.MaxFloat64
	}
	e := x.byName[f.Name]
	matched := 0
	for _, word := range asked {
		weight, rarity := e.words[word], x.rarity[word]
		if weight == 0 {
			weight, rarity = x.nearly(e, word)
		}
		if weight == 0 {
			continue
		}
		matched++
		score += rarity * weight * (saturation + 1) / (weight + saturation*(1-normalisation+normalisation*e.length/x.length))
	}
	if len(asked) > 1 {
		// Who has more of the words means more of what was asked.
		score *= 0.5 + float64(matched)/float64(len(asked))
	}
	return score
}

// nearly is what a function has of words that the asked one begins, or that begin
// it.
func (x *index) nearly(e entry, asked string) (weight, rarity float64) {
	if len(asked) < 3 {
		return 0, 0
	}
	for word, w := range e.words {
		if len(word) >= 3 && (strings.HasPrefix(word, asked) || strings.HasPrefix(asked, word)) && w*weightPrefix*x.rarity[word] > weight*rarity {
			weight, rarity = w*weightPrefix, x.rarity[word]
		}
	}
	return weight, rarity
}
