package main

import (
	"fmt"
	"strings"
)

// bar is what a ratio to redis-server is expected to keep.
type bar struct {
	figure  string // thr, cpu or p50
	atLeast bool   // else at most
	limit   float64
}

// barsOf are the expectations of a shape of traffic; there may be none.
func barsOf(s shape) []bar {
	return workloadOf(s.Command).bars[fmt.Sprintf("P=%d c=%d", s.Pipeline, s.Links)]
}

func (b bar) keeps(ratio float64) bool {
	if b.atLeast {
		return ratio >= b.limit
	}
	return ratio <= b.limit
}

func (b bar) String() string {
	sign := "≤"
	if b.atLeast {
		sign = "≥"
	}
	return fmt.Sprintf("%s%s%.2f", b.figure, sign, b.limit)
}

// judge words the bars of a result: "ok" or "miss" of all, then each, the missed ones marked.
func judge(bars []bar, figure func(name string) float64) string {
	if len(bars) == 0 {
		return "–"
	}
	all := true
	var words []string
	for _, b := range bars {
		word := b.String()
		if !b.keeps(figure(b.figure)) {
			all, word = false, word+"!"
		}
		words = append(words, word)
	}
	return verdict(all) + " " + strings.Join(words, " ")
}
