package memory

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// maxWords bounds a query.
const maxWords = 64

// Search is at most limit memories that hold words of the query, best first: a
// rare word counts more than a common one, a whole word twice as much as a part
// of one. Equals keep the order of All.
func (k *Keeper) Search(dir, query string, limit int) (Recalled, error) {
	all, err := k.All(dir)
	if err != nil {
		return Recalled{}, err
	}
	all.Entries = rank(all.Entries, query, limit)
	return all, nil
}

func rank(entries []Entry, query string, limit int) []Entry {
	asked := words(query)
	slices.Sort(asked)
	asked = slices.Compact(asked)
	asked = asked[:min(len(asked), maxWords)]
	scores := make([]float64, len(entries))
	hits := make([]float64, len(entries))
	lower := make([]string, len(entries))
	split := make([][]string, len(entries))
	for i, e := range entries {
		lower[i], split[i] = strings.ToLower(e.Text), words(e.Text)
	}
	for _, word := range asked {
		found := 0
		for i := range entries {
			hits[i] = 0
			if strings.Contains(lower[i], word) {
				hits[i] = 0.5
				found++
				if slices.Contains(split[i], word) {
					hits[i] = 1
				}
			}
		}
		for i := range entries {
			scores[i] += hits[i] * math.Log(1+float64(len(entries))/float64(max(found, 1)))
		}
	}
	var order []int
	for i, s := range scores {
		if s > 0 {
			order = append(order, i)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case scores[a] > scores[b]:
			return -1
		case scores[a] < scores[b]:
			return 1
		}
		return 0
	})
	var best []Entry
	for _, i := range order[:min(len(order), max(limit, 0))] {
		best = append(best, entries[i])
	}
	return best
}

// words are the runs of letters and digits of a text, in lower case.
func words(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
}
