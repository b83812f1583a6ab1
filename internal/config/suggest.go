package config

import (
	"slices"
	"strings"
)

// Nearest returns the candidate a person most likely meant, "" when none is close: at most a third of the word may differ.
func Nearest(word string, candidates []string) string {
	word = strings.ToLower(clip(word))
	best, bestDistance := "", max(1, len([]rune(word))/3)+1
	for _, c := range slices.Sorted(slices.Values(candidates)) {
		if d := editDistance(word, strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	return best
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours, the four slips of typing.
func editDistance(a, b string) int {
	s, t := []rune(a), []rune(b)
	rows := make([][]int, len(s)+1)
	for i := range rows {
		rows[i] = make([]int, len(t)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(s); i++ {
		for j := 1; j <= len(t); j++ {
			cost := 1
			if s[i-1] == t[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && s[i-1] == t[j-2] && s[i-2] == t[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(s)][len(t)]
}

// oneOf writes a list of choices as a person says it: a, b or c. A long list is cut, because nobody reads it.
func oneOf(choices []string) string {
	const most = 24
	switch {
	case len(choices) == 0:
		return "none"
	case len(choices) == 1:
		return choices[0]
	case len(choices) > most:
		return strings.Join(choices[:most], ", ") + ", …"
	}
	last := len(choices) - 1
	return strings.Join(choices[:last], ", ") + " or " + choices[last]
}

// meant is the tail of a message about an unknown name: the nearest one if there is one, and the choices.
func meant(word string, choices []string) string {
	tail := "; allowed: " + oneOf(choices)
	if n := Nearest(word, choices); n != "" {
		tail = "; did you mean " + n + "?" + " Allowed: " + oneOf(choices)
	}
	return tail
}
