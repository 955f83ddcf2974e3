package admin

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The size of LATENCY GRAPH's picture, in characters.
const (
	graphWidth = 80
	graphRows  = 4
)

// drawSpikes draws one column a spike, the newest on the right, and writes
// below each, downwards, how long ago it was.
func drawSpikes(event string, h spikeHistory, now int64) string {
	shown := h.moments[max(0, len(h.moments)-graphWidth):]
	low, high := shown[0].took, shown[0].took
	for _, m := range shown {
		low, high = min(low, m.took), max(high, m.took)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s - high %d ms, low %d ms (all time high %d ms)\n", event, high, low, h.worst)
	b.WriteString(strings.Repeat("-", graphWidth) + "\n")
	for row := graphRows; row > 0; row-- {
		for _, m := range shown {
			b.WriteByte(graphMark(graphLevel(m.took, low, high), row))
		}
		b.WriteByte('\n')
	}
	b.WriteByte('\n')
	writeDownwards(&b, shown, now)
	return b.String()
}

// graphLevel is how high a spike reaches, in thirds of a row, at least one.
func graphLevel(took, low, high int64) int {
	if high == low {
		return 1
	}
	return 1 + int((took-low)*(3*graphRows-1)/(high-low))
}

func graphMark(level, row int) byte {
	switch level -= 3 * (row - 1); {
	case level >= 3:
		return '#'
	case level == 2:
		return 'o'
	case level == 1:
		return '_'
	}
	return ' '
}

func writeDownwards(b *strings.Builder, shown []moment, now int64) {
	ages := make([]string, len(shown))
	longest := 0
	for i, m := range shown {
		ages[i] = ageText(max(now-m.when, 0))
		longest = max(longest, len(ages[i]))
	}
	for line := range longest {
		for _, age := range ages {
			if line < len(age) {
				b.WriteByte(age[line])
			} else {
				b.WriteByte(' ')
			}
		}
		b.WriteByte('\n')
	}
}

// ageText is a number of seconds in the largest unit that it fills.
func ageText(seconds int64) string {
	for _, unit := range []struct {
		seconds int64
		letter  string
	}{{86400, "d"}, {3600, "h"}, {60, "m"}} {
		if seconds >= unit.seconds {
			return fmt.Sprint(seconds/unit.seconds, unit.letter)
		}
	}
	return fmt.Sprint(seconds, "s")
}

// advice is what to do about the spikes of an event.
var advice = map[string]string{
	eventCommand: "Some commands take long. SLOWLOG GET names them; LATENCY HISTOGRAM tells whether they do so often. " +
		"While one of them runs, the keys of its shards wait; others do not.",
	eventFastCommand: "Commands that are always short have taken long, so the time went elsewhere: to a machine that was busy or " +
		"swapping (compare used_cpu_user of INFO with the clock), or to garbage collections (DEBUG GC measures one).",
}

// explainSpikes is LATENCY DOCTOR's report.
func explainSpikes(histories map[string]spikeHistory, threshold int64) string {
	if threshold == 0 {
		return "Latency monitoring is off, so nothing is known. \"CONFIG SET latency-monitor-threshold <milliseconds>\" turns it on.\n"
	}
	if len(histories) == 0 {
		return fmt.Sprintf("Nothing has taken %d ms or longer since monitoring began.\n", threshold)
	}
	var b strings.Builder
	events := slices.Sorted(maps.Keys(histories))
	for i, event := range events {
		h := histories[event]
		mean, deviation := spread(h.moments)
		fmt.Fprintf(&b, "%d. %s: %d latency spikes (average %dms, mean deviation %dms, period %.2f sec). Worst all time event %dms.\n",
			i+1, event, len(h.moments), mean, deviation, period(h.moments), h.worst)
	}
	b.WriteString("\nWhat to look at:\n\n")
	for _, event := range events {
		fmt.Fprintf(&b, "- %s\n", advice[event])
	}
	return b.String()
}

// spread is the mean of how long the moments were, and the mean distance from
// that.
func spread(moments []moment) (mean, deviation int64) {
	n := int64(len(moments))
	if n == 0 {
		return 0, 0
	}
	for _, m := range moments {
		mean += m.took
	}
	mean /= n
	for _, m := range moments {
		deviation += max(m.took-mean, mean-m.took)
	}
	return mean, deviation / n
}

// period is the mean distance in time of the moments, in seconds.
func period(moments []moment) float64 {
	n := len(moments)
	if n < 2 {
		return 0
	}
	return float64(moments[n-1].when-moments[0].when) / float64(n-1)
}
