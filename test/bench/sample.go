package main

import "slices"

// sample is what was measured again and again, in one unit.
type sample []float64

// quantile is the smallest value that at least q of the sample does not exceed;
// 0 for an empty sample.
func (s sample) quantile(q float64) float64 {
	if len(s) == 0 {
		return 0
	}
	sorted := slices.Clone(s)
	slices.Sort(sorted)
	rank := int(q * float64(len(sorted)))
	return sorted[min(rank, len(sorted)-1)]
}
