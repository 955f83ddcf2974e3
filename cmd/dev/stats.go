package main

import "slices"

// spread is what a handful of measurements of one thing come to.
type spread struct {
	Median float64 `json:"median"`
	Min    float64 `json:"min"`
	Max    float64 `json:"max"`
}

// spreadOf sums up values, which it leaves as they are. No values give the zero spread.
func spreadOf(values []float64) spread {
	if len(values) == 0 {
		return spread{}
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return spread{Median: middle(sorted), Min: sorted[0], Max: sorted[len(sorted)-1]}
}

// middle is the median of sorted values: the mean of the middle two when their number is even.
func middle(sorted []float64) float64 {
	half := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[half]
	}
	return (sorted[half-1] + sorted[half]) / 2
}

// ratios divides ours by theirs, round by round. A round where theirs is zero (a latency under the
// generator's resolution) says nothing and is left out.
func ratios(ours, theirs []float64) []float64 {
	var out []float64
	for i := range min(len(ours), len(theirs)) {
		if theirs[i] != 0 {
			out = append(out, ours[i]/theirs[i])
		}
	}
	return out
}

// quantile is the value below which the share q of the sorted values lies (nearest rank).
func quantile[T any](sorted []T, q float64) T {
	var zero T
	if len(sorted) == 0 {
		return zero
	}
	rank := int(q * float64(len(sorted)))
	return sorted[min(rank, len(sorted)-1)]
}
