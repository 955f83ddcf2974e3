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

// speedBars are the expectations of each shape of traffic. A shape that is not here has none.
var speedBars = map[string][]bar{
	"get P=1 c=1":    {{"p50", false, 1.0}},
	"set P=1 c=1":    {{"p50", false, 1.0}},
	"get P=1 c=50":   {{"thr", true, 1.0}, {"cpu", false, 0.95}},
	"set P=1 c=50":   {{"thr", true, 1.0}, {"cpu", false, 0.95}},
	"get P=16 c=50":  {{"thr", true, 1.4}, {"cpu", false, 0.7}},
	"set P=16 c=50":  {{"thr", true, 1.4}, {"cpu", false, 0.7}},
	"get P=512 c=8":  {{"thr", true, 2.5}, {"cpu", false, 0.5}},
	"set P=512 c=8":  {{"thr", true, 2.5}, {"cpu", false, 0.5}},
	"mset P=16 c=50": {{"thr", true, 1.2}, {"cpu", false, 0.8}},
}

func barsOf(s shape) []bar {
	return speedBars[fmt.Sprintf("%s P=%d c=%d", s.Command, s.Pipeline, s.Links)]
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
