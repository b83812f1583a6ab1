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

// corpus is what is known of many entries: who has each word, and their lengths. It
// never changes, so that several searches may read it at once.
type corpus struct {
	words   map[string]known
	lengths []float64
	average float64
}

// known is a word that some entry has.
type known struct {
	rarity float64
	in     []posting
}

type posting struct {
	entry  int
	weight float64
}

func corpusOf(entries []*entry) corpus {
	c := corpus{words: map[string]known{}}
	for i, e := range entries {
		for word, weight := range e.words {
			k := c.words[word]
			k.in = append(k.in, posting{i, weight})
			c.words[word] = k
		}
		c.lengths = append(c.lengths, e.length)
		c.average += e.length
	}
	n := float64(len(entries))
	c.average /= max(n, 1)
	for word, k := range c.words {
		having := float64(len(k.in))
		k.rarity = math.Log(1 + (n-having+0.5)/(having+0.5))
		c.words[word] = k
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
		for other := range c.words {
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

// scores are how much each entry has of a query; 0 is nothing of it.
func (c corpus) scores(query []term) []float64 {
	scores, matched := make([]float64, len(c.lengths)), make([]float64, len(c.lengths))
	for _, t := range query {
		best, counts := make([]float64, len(c.lengths)), make([]float64, len(c.lengths))
		for _, w := range t {
			k := c.words[w.word]
			for _, p := range k.in {
				worth := w.share * k.rarity * p.weight * (saturation + 1) / (p.weight + saturation*(1-normalisation+normalisation*c.lengths[p.entry]/c.average))
				if worth > best[p.entry] || worth == best[p.entry] && w.share > counts[p.entry] {
					best[p.entry], counts[p.entry] = worth, w.share
				}
			}
		}
		for i := range scores {
			scores[i] += best[i]
			matched[i] += counts[i]
		}
	}
	for i := range scores {
		// Who has more of the words means more of what was asked.
		scores[i] *= alone + matched[i]/float64(len(query))
	}
	return scores
}
