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
	member []byte // in the slab
	score  float64
}

// ranked is a found place in the order of results. It holds no pointer, so that
// sorting is quick.
type ranked struct {
	haversine float64 // from the center
	nth       int     // that was found
}

// order is how results are to be listed.
type order uint8

const (
	unordered order = iota
	nearest
	farthest
)

// search is one that goes on.
type search struct {
	shape  shape
	order  order
	most   int  // results, 0 for all
	enough bool // any that are most will do

	from    origin
	window  window
	radius  limit   // that results are within; it shrinks as nearer ones are found
	aside   limit   // half of a box's width
	height  float64 // that results are within, to the north or south
	end     float64 // the score that the cell ends before
	there   float64 // the haversine of the place that is being looked at
	found   []found
	results []ranked
	fewest  bool // only the first in order are kept: see trim
}

// run finds the places of a set that lie in the shape.
func (s *search) run(set *zset.Members) {
	s.prepare()
	s.found = make([]found, 0, resultsRoom)
	s.results = make([]ranked, 0, resultsRoom)
	for _, c := range s.shape.cells() {
		if s.full() {
			break
		}
		s.end = cell{c.bits + 1, c.step}.score()
		set.Look(set.Rank(rank.BeforeScore(c.score())), s.look, s.take)
	}
	if s.sort(); s.most > 0 && len(s.results) > s.most {
		s.results = s.results[:s.most]
	}
}

func (s *search) prepare() {
	east, north, _ := s.shape.reach()
	s.from = newOrigin(s.shape.center)
	s.window = s.shape.window()
	if s.shape.box {
		s.radius, s.aside, s.height = newLimit(math.Inf(1)), newLimit(east), north
	} else {
		s.radius = newLimit(east)
		s.height = s.radius.farSouth()
	}
	s.fewest = s.most > 0 && s.order != unordered && !s.enough
}

// resultsRoom is how many results there is room for at first.
const resultsRoom = 16

// full reports whether no more results are wanted.
func (s *search) full() bool { return s.enough && len(s.results) >= s.most }

// look says of a score whether its place lies in the shape.
func (s *search) look(score float64) zset.Verdict {
	if score >= s.end {
		return zset.Stop
	}
	bits := uint64Of(score)
	if !s.window.has(bits) {
		return zset.Pass
	}
	p := cell{bits, stepMax}.center()
	if s.from.height(p) > s.height || s.shape.box && !s.besides(p) || !s.within(p) {
		return zset.Pass
	}
	return zset.Take
}

// take takes in the place that was looked at.
func (s *search) take(member []byte, score float64) (more bool) {
	s.results = append(s.results, ranked{s.there, len(s.found)})
	s.found = append(s.found, found{member, score})
	if s.fewest && len(s.results) >= 2*s.most && len(s.results) >= keepLeast {
		s.trim()
	}
	return !s.full()
}

// within reports whether a place is no further than the radius.
func (s *search) within(p place) bool {
	s.there = s.from.haversine(p)
	within, sure := s.radius.reaches(s.there)
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

// sort puts the results in order. Those at the same distance stay in the order
// in which they were found.
func (s *search) sort() {
	switch s.order {
	case nearest:
		slices.SortFunc(s.results, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(a.haversine, b.haversine), a.nth-b.nth)
		})
	case farthest:
		slices.SortFunc(s.results, func(a, b ranked) int {
			return cmp.Or(cmp.Compare(b.haversine, a.haversine), a.nth-b.nth)
		})
	}
}

// keepLeast is how many results are kept before any is dropped.
const keepLeast = 64

// trim drops those that are not wanted, where that is only the first ones in
// order. It is called when there are twice as many, so each result costs the
// same. What is further than the last one need not be looked at again.
func (s *search) trim() {
	s.sort()
	kept := make([]found, s.most, len(s.found))
	s.results = s.results[:s.most]
	for i := range s.results {
		r := &s.results[i]
		kept[i], r.nth = s.found[r.nth], i
	}
	s.found = kept
	if s.order == nearest {
		last := s.results[s.most-1].haversine
		s.radius = limit{length(last), last, last}
		s.height = min(s.height, s.radius.farSouth())
	}
}
