package main

import "slices"

// point is one figure of one settled sample.
type point struct{ at, value float64 }

// growth is what a series gains over the later half of its time: the median of
// the slopes between all pairs, which a few odd samples do not move, times the
// time. 0 for fewer than two points.
func growth(series []point) float64 {
	late := series[len(series)/2:]
	var slopes []float64
	for i, a := range late {
		for _, b := range late[i+1:] {
			if b.at > a.at {
				slopes = append(slopes, (b.value-a.value)/(b.at-a.at))
			}
		}
	}
	if len(slopes) == 0 {
		return 0
	}
	return median(slopes) * (late[len(late)-1].at - late[0].at)
}

// gain is the last three values against the first three, medians of each.
func gain(series []point) float64 {
	n := min(3, len(series))
	var first, last []float64
	for i := range n {
		first = append(first, series[i].value)
		last = append(last, series[len(series)-1-i].value)
	}
	return median(last) - median(first)
}

// median is the middle value, the lower one of two; 0 for none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return sorted[(len(sorted)-1)/2]
}
