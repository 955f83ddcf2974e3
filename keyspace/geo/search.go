package geo

import (
	"cmp"
	"math"
	"slices"

	"github.com/troupedb/troupe/keyspace/rank"
	"github.com/troupedb/troupe/keyspace/zset"
)

// found is a place that a search has found.
type found struct {
	member   []byte // in the slab
	score    float64
	distance float64 // from the center, in meters; 0 if nobody asks
}

// order is how results are to be listed.
type order uint8

const (
	unordered order = iota
	nearest
	farthest
)

// compare puts what comes first before.
func (o order) compare(a, b *found) int {
	if o == farthest {
		a, b = b, a
	}
	return cmp.Compare(a.distance, b.distance)
}

// search is one that goes on.
type search struct {
	shape    shape
	order    order
	most     int  // results, 0 for all
	enough   bool // any that are most will do
	measured bool // distances are asked for

	from    origin
	radius  limit   // that results are within; it shrinks as nearer ones are found
	aside   limit   // half of a box's width
	height  float64 // that results are within, to the north or south
	results []found
	fewest  bool // only the first in order are kept: see keep
}

// run finds the places of a set that lie in the shape.
func (s *search) run(set *zset.Members) []found {
	s.prepare()
	for _, c := range s.shape.cells() {
		if s.full() {
			break
		}
		first := set.Rank(rank.BeforeScore(c.score()))
		end := set.Rank(rank.BeforeScore(cell{c.bits + 1, c.step}.score()))
		set.Each(first, end, s.visit)
	}
	return s.finish()
}

func (s *search) prepare() {
	east, north, _ := s.shape.reach()
	s.from = newOrigin(s.shape.center)
	if s.shape.box {
		s.radius, s.aside, s.height = newLimit(math.Inf(1)), newLimit(east), north
	} else {
		s.radius = newLimit(east)
		s.height = s.radius.farSouth()
	}
	s.measured = s.measured || s.order != unordered
	s.fewest = s.most > 0 && s.order != unordered && !s.enough
}

// full reports whether no more results are wanted.
func (s *search) full() bool { return s.enough && len(s.results) >= s.most }

// visit takes a place in, if it lies in the shape.
func (s *search) visit(member []byte, score float64) (more bool) {
	p := placeOf(score)
	if s.from.height(p) > s.height || s.shape.box && !s.besides(p) || !s.within(p) {
		return true
	}
	f := found{member: member, score: score}
	if s.measured {
		f.distance = s.from.distance(p)
	}
	if s.fewest {
		s.keep(f)
	} else {
		s.results = append(s.results, f)
	}
	return !s.full()
}

// within reports whether a place is no further than the radius.
func (s *search) within(p place) bool {
	within, sure := s.radius.reaches(s.from.haversine(p))
	return within || !sure && s.from.distance(p) <= s.radius.meters
}

// besides reports whether a place is no further east or west than the box,
// along its own latitude.
func (s *search) besides(p place) bool {
	cosPhi := math.Cos(p.latitude * degree)
	within, sure := s.aside.reaches(s.from.aside(p, cosPhi*cosPhi))
	if sure {
		return within
	}
	beside := newOrigin(place{s.shape.center.longitude, p.latitude})
	return beside.distance(p) <= s.aside.meters
}

// finish puts the results in order. Those at the same distance stay in the
// order in which they were found.
func (s *search) finish() []found {
	if s.order != unordered {
		slices.SortStableFunc(s.results, func(a, b found) int { return s.order.compare(&a, &b) })
	}
	if s.most > 0 && len(s.results) > s.most {
		s.results = s.results[:s.most]
	}
	return s.results
}

// keep adds a result where only the first ones in order are wanted. Twice as
// many are kept, and then half of them dropped: so each costs the same.
func (s *search) keep(f found) {
	if s.results = append(s.results, f); len(s.results) >= 2*s.most && len(s.results) >= keepLeast {
		s.trim()
	}
}

// keepLeast is how many results are kept before any is dropped.
const keepLeast = 64

// trim puts the results in order and drops those that are not wanted. What is
// further than the last one need not be looked at again.
func (s *search) trim() {
	slices.SortStableFunc(s.results, func(a, b found) int { return s.order.compare(&a, &b) })
	if len(s.results) < s.most {
		return
	}
	clear(s.results[s.most:])
	s.results = s.results[:s.most]
	if s.order == nearest {
		s.radius = newLimit(s.results[s.most-1].distance)
		s.height = min(s.height, s.radius.farSouth())
	}
}
