package watch

import (
	"math"
	"sync/atomic"
)

// counts are what all live queries of a server have done. They are kept beside those
// of each query, so that to tell of very many needs no walk over them; and in parts,
// so that loops and workers that count at once do not wait for each other's memory.
type counts struct {
	parts  [countParts]countPart
	before Totals // what ResetStats has forgotten; belongs to the registry's lock
}

// countParts is a power of two.
const countParts = 16

type countPart struct {
	evaluations, pushes, covered, nanos, held atomic.Int64

	_ [128 - 5*8]byte // a part has its cache lines alone, and the one that is fetched with them
}

func (c *counts) part(number int) *countPart { return &c.parts[number&(countParts-1)] }

func (c *counts) sum() (t Totals) {
	for i := range c.parts {
		p := &c.parts[i]
		t.add(Totals{p.evaluations.Load(), p.pushes.Load(), p.covered.Load(), p.nanos.Load()})
	}
	return t
}

// Totals count what live queries have done.
type Totals struct {
	// Evaluations is how often queries were evaluated, Pushes how many frames
	// links took after the first ones, Covered the changes that these stood for.
	Evaluations, Pushes, Covered int64
	// Nanos is how long the evaluations took, in nanoseconds.
	Nanos int64
}

// MicrosEach is how many microseconds an evaluation took, to two places.
func (t Totals) MicrosEach() float64 {
	return math.Round(float64(t.Nanos)/float64(max(t.Evaluations, 1))/10) / 100
}

func (t *Totals) add(more Totals) {
	t.Evaluations += more.Evaluations
	t.Pushes += more.Pushes
	t.Covered += more.Covered
	t.Nanos += more.Nanos
}

func (t Totals) minus() Totals { return Totals{-t.Evaluations, -t.Pushes, -t.Covered, -t.Nanos} }

// counts is the part of all counts that the query's turns add to.
func (s *Subscription) counts() *countPart { return s.registry.counts.part(int(s.number)) }

func (s *Subscription) countEvaluation() {
	s.evaluations.Add(1)
	s.counts().evaluations.Add(1)
}

func (s *Subscription) countNanos(nanos int64) {
	s.nanos.Add(nanos)
	s.counts().nanos.Add(nanos)
}

// countPush is called on the watcher's loop.
func (w *Watcher) countPush(covered int64) {
	w.sub.pushes.Add(1)
	w.sub.covered.Add(covered)
	p := w.sub.registry.counts.part(w.outlet.Loop())
	p.pushes.Add(1)
	p.covered.Add(covered)
}

// countHeld counts the watchers whose links have not taken their news.
func (s *Subscription) countHeld(more int32) {
	s.crowd.held.Add(more)
	s.counts().held.Add(int64(more))
}

func (s *Subscription) totals() Totals {
	return Totals{s.evaluations.Load(), s.pushes.Load(), s.covered.Load(), s.nanos.Load()}
}

// Stats are the counters since the start or ResetStats, with the number of
// distinct queries and that of all watches now. What it costs does not depend on
// these.
func (r *Registry) Stats() (t Totals, queries int, watches int64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	t = r.counts.sum()
	t.add(r.counts.before.minus())
	return t, r.queries - r.idle.len(), r.watchers
}

// Behind is the number of watches whose links have not taken the newest state yet.
func (r *Registry) Behind() (watches int64) {
	for i := range r.counts.parts {
		watches += r.counts.parts[i].held.Load()
	}
	return max(0, watches) // parts are read one after the other
}

// ResetStats sets the counters to zero.
func (r *Registry) ResetStats() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.counts.before = r.counts.sum()
}
