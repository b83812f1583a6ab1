package turncli

import (
	"maps"
	"math"
	"slices"
	"strings"
)

// BM25's constants, and what of its score something keeps that has none of the other
// words of the query. Search hardly depends on them: half or double of each moves one
// of fifty queries (test/bench/fixture).
const (
	saturation    = 1.5
	normalisation = 0.4
	alone         = 0.5
)

// What a word counts that is not quite the one asked for.
const (
	shareSynonym  = 0.65
	shareForm     = 0.6
	shareCompound = 0.4
)

// corpus is what is known of many entries: how rare each of their words is, and their
// average length.
type corpus struct {
	rarity map[string]float64
	length float64
}

func corpusOf(entries []*entry) corpus {
	c := corpus{rarity: map[string]float64{}}
	for _, e := range entries {
		for word := range e.words {
			c.rarity[word]++
		}
		c.length += e.length
	}
	n := float64(len(entries))
	c.length /= max(n, 1)
	for word, having := range c.rarity {
		c.rarity[word] = math.Log(1 + (n-having+0.5)/(having+0.5))
	}
	return c
}

// term is one word of a query with those that stand for it. They are in the order of
// the alphabet, so that a score is always the same to its last bit.
type term []standIn

type standIn struct {
	word string
	// share is what it counts; 1 is the word itself.
	share float64
}

// terms reads a query. Only words that an entry has matter.
func (c corpus) terms(query string) []term {
	var all []term
	for _, word := range words(query) {
		shares := map[string]float64{}
		for other := range c.rarity {
			if share := kinship(word, other); share > 0 {
				shares[other] = share
			}
		}
		for _, other := range synonyms[word] {
			shares[other] = max(shares[other], shareSynonym)
		}
		t := make(term, 0, len(shares))
		for _, other := range slices.Sorted(maps.Keys(shares)) {
			t = append(t, standIn{other, shares[other]})
		}
		all = append(all, t)
	}
	return all
}

// kinship is what a word counts for the one asked, by its letters alone: "categor" and
// "categoris", "colour" and "color", "slip" and "payslip".
func kinship(word, other string) float64 {
	short, long := min(len(word), len(other)), max(len(word), len(other))
	same := 0
	for same < short && word[same] == other[same] {
		same++
	}
	switch {
	case word == other:
		return 1
	case same == short && short >= 3, same >= 4 && 3*same >= 2*long:
		return shareForm * float64(same) / float64(long)
	case short >= 4 && (strings.HasSuffix(other, word) || strings.HasSuffix(word, other)):
		return shareCompound
	}
	return 0
}

// score is how much an entry has of a query; 0 is nothing of it.
func (c corpus) score(query []term, e *entry) (score float64) {
	matched := 0.0
	for _, t := range query {
		best, counts := 0.0, 0.0
		for _, w := range t {
			weight := e.words[w.word]
			if weight == 0 {
				continue
			}
			worth := w.share * c.rarity[w.word] * weight * (saturation + 1) / (weight + saturation*(1-normalisation+normalisation*e.length/c.length))
			if worth > best || worth == best && w.share > counts {
				best, counts = worth, w.share
			}
		}
		score += best
		matched += counts
	}
	// Who has more of the words means more of what was asked.
	return score * (alone + matched/float64(max(len(query), 1)))
}
