package main

import (
	"slices"
	"testing"
)

func TestSpread(t *testing.T) {
	t.Parallel()
	f := func(values []float64, want spread) {
		t.Helper()
		before := slices.Clone(values)
		if got := spreadOf(values); got != want {
			t.Errorf("spreadOf(%v) = %v, want %v", values, got, want)
		}
		if !slices.Equal(values, before) {
			t.Errorf("spreadOf changed its argument %v into %v", before, values)
		}
	}
	f(nil, spread{})
	f([]float64{7}, spread{7, 7, 7})
	f([]float64{3, 1, 2}, spread{2, 1, 3})
	f([]float64{4, 1, 3, 2}, spread{2.5, 1, 4})
	f([]float64{5, 5, 1, 1, 100}, spread{5, 1, 100})
}

func TestRatios(t *testing.T) {
	t.Parallel()
	f := func(ours, theirs, want []float64) {
		t.Helper()
		if got := ratios(ours, theirs); !slices.Equal(got, want) {
			t.Errorf("ratios(%v, %v) = %v, want %v", ours, theirs, got, want)
		}
	}
	f(nil, nil, nil)
	f([]float64{2, 9}, []float64{1, 3}, []float64{2, 3})
	f([]float64{2, 9}, []float64{0, 3}, []float64{3})
	f([]float64{2, 9, 4}, []float64{4}, []float64{0.5})
}

func TestQuantile(t *testing.T) {
	t.Parallel()
	f := func(sorted []int, q float64, want int) {
		t.Helper()
		if got := quantile(sorted, q); got != want {
			t.Errorf("quantile(%v, %v) = %d, want %d", sorted, q, got, want)
		}
	}
	f(nil, 0.5, 0)
	f([]int{4}, 0.99, 4)
	f([]int{1, 2, 3}, 0.5, 2)
	hundred := make([]int, 100)
	for i := range hundred {
		hundred[i] = i
	}
	f(hundred, 0.5, 50)
	f(hundred, 0.99, 99)
	f(hundred, 1, 99)
}
