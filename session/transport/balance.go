package transport

import "time"

// Balance: which loop serves a link. On few cores a busy loop batches better
// than two idle ones: one loop serves fifty unpipelined links as fast as two
// and with less CPU, while deep pipelines want a second. So the number of
// loops at work follows the load: new links join the loops that have links, a
// loop that stays saturated hands half of its active links to one that is
// mostly idle, and two loops that would fit one are merged.
//
// All of it is pure: loads in, a move out.

const (
	balanceWindow = 25 * time.Millisecond
	saturatedFrom = 0.90 // share of a window on the CPU
	spareBelow    = 0.50
	mergeBelow    = 0.50 // two loops together
	saturatedMin  = 4    // windows in a row
	quietMin      = time.Second
)

// loopLoad is what a loop did in its last window.
type loopLoad struct {
	busy   float64 // share of the window that its thread was on a CPU
	links  int     // links that it serves
	active int     // links read from or written to; told of the own loop only
}

// loopMove says how many of a loop's links go to which other loop, the active
// ones first.
type loopMove struct {
	to    int
	links int
}

// placeLink chooses the loop of a new link: of the loops that have links and
// are not saturated, the one with the fewest; loop 0 if there is none. If
// spread, all loops count as having links.
func placeLink(loads []loopLoad, spread bool) int {
	best := -1
	for i, load := range loads {
		if load.links == 0 && !spread {
			continue
		}
		if best < 0 || lighter(load, loads[best]) {
			best = i
		}
	}
	return max(best, 0)
}

func lighter(a, b loopLoad) bool {
	if full := a.busy >= saturatedFrom; full != (b.busy >= saturatedFrom) {
		return !full
	}
	return a.links < b.links
}

// loopBalance is one loop's memory between its windows.
type loopBalance struct {
	saturated int           // windows in a row
	quiet     time.Duration // for how long a merge has been possible
}

// decide ends a window of the given length and says which links to hand over,
// if any. loads has an entry for every loop.
func (b *loopBalance) decide(self int, window time.Duration, loads []loopLoad) (loopMove, bool) {
	own := loads[self]
	if own.busy < saturatedFrom {
		b.saturated = 0
	} else {
		b.saturated++
	}
	if b.saturated >= saturatedMin && own.active > 1 {
		if to := idlest(self, loads); to >= 0 {
			*b = loopBalance{}
			return loopMove{to: to, links: own.active / 2}, true
		}
	}
	to := partner(self, loads)
	if to < 0 {
		b.quiet = 0
		return loopMove{}, false
	}
	if b.quiet += window; b.quiet < quietMin {
		return loopMove{}, false
	}
	*b = loopBalance{}
	return loopMove{to: to, links: own.links}, true
}

// idlest is the least busy other loop that has time to spare, or -1.
func idlest(self int, loads []loopLoad) int {
	best := -1
	for i, load := range loads {
		if i != self && load.busy < spareBelow && (best < 0 || load.busy < loads[best].busy) {
			best = i
		}
	}
	return best
}

// partner is the lowest loop below self, with links, that could take all of
// self's work along, or -1. Only downwards, so that no two loops swap.
func partner(self int, loads []loopLoad) int {
	if loads[self].links == 0 {
		return -1
	}
	for i, load := range loads[:self] {
		if load.links > 0 && load.busy+loads[self].busy < mergeBelow {
			return i
		}
	}
	return -1
}
