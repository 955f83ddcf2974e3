package stream

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/slab"
)

// The flags of the random tests.
var (
	SeedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	SeedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// frozenRig is a stream that changes at random.
type frozenRig struct {
	t    *testing.T
	rng  *rand.Rand
	s    *stream
	lim  limits
	kept int64
}

// A walk of a frozen stream shows the parts that there were when it was frozen,
// whatever becomes of it meanwhile; and in the end nothing is kept.
func TestFrozenAgainstParts(t *testing.T) {
	t.Parallel()
	for i := range *SeedsFlag {
		seed := *SeedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			t.Parallel()
			for n, lim := range []limits{{4096, 100}, {100, 0}, {0, 3}, {0, 1}, {1000, 1000}} {
				mem := slab.New()
				r := &frozenRig{t: t, rng: rand.New(rand.NewPCG(seed, uint64(n))), s: newStream(mem), lim: lim}
				for range 6 {
					for range 500 + r.rng.IntN(1500) {
						r.append()
					}
					r.change(r.rng.IntN(1000))
					r.freeze()
				}
				r.s.Free(mem, math.MaxInt)
				if st := mem.Stats(); st.Held != 0 || st.Used != 0 {
					t.Errorf("%d bytes are held, %d used after the stream is freed", st.Held, st.Used)
				}
				mem.Close()
			}
		})
	}
}

// freeze freezes the stream and walks it to the end, sometimes for nobody.
func (r *frozenRig) freeze() {
	r.t.Helper()
	want, runs, entries := shardtest.StreamLines(r.s.parts()), 0, 0
	f := r.s.freeze(&r.kept)
	var got []string
	visit := func(p keyspace.StreamPart) {
		got = shardtest.AppendPart(got, p)
		if run, is := p.(keyspace.StreamRun); is {
			runs++
			for range run.Entries {
				entries++
			}
		}
	}
	shown, busy, effort := r.rng.IntN(4) > 0, 1+r.rng.IntN(100), 1+r.rng.IntN(200)
	for done := false; !done; {
		r.change(r.rng.IntN(busy))
		if done = f.WalkParts(effort, visit); !shown && !done {
			done = f.Walk(effort, nil)
		}
	}
	if shown && (!slices.Equal(got, want) || runs != f.Runs() || entries != f.Len()) {
		r.t.Errorf("%d runs of %d, %d entries of %d", runs, f.Runs(), entries, f.Len())
		for i := range min(len(got), len(want)) {
			if got[i] != want[i] {
				r.t.Fatalf("line %d of %d is %.200s, want %.200s of %d", i, len(got), got[i], want[i], len(want))
			}
		}
		r.t.Fatalf("%d lines, want %d", len(got), len(want))
	}
	r.change(r.rng.IntN(100))
	f.Thaw()
	r.change(r.rng.IntN(100))
	if held := r.s.mem.Stats().Held; r.kept != 0 || held != r.s.held {
		r.t.Fatalf("%d bytes are kept, %d held, of which the stream says %d", r.kept, held, r.s.held)
	}
}

func (r *frozenRig) change(steps int) {
	for range steps {
		r.step()
	}
}

// id is one near those that are there.
func (r *frozenRig) id() ID { return ID{r.s.last.Time - r.rng.Uint64N(1000), r.rng.Uint64N(2)} }

func (r *frozenRig) append() {
	name := fmt.Sprint("name", r.rng.IntN(10)/8)
	value := strings.Repeat("v", r.rng.IntN(10))
	if r.rng.IntN(50) == 0 {
		value = strings.Repeat("v", r.rng.IntN(3000))
	}
	id := ID{r.s.last.Time + r.rng.Uint64N(3), r.rng.Uint64N(2)}
	if id = max1(id, ID{1, 0}); !r.s.last.less(id) {
		id = ID{r.s.last.Time + 1, 0}
	}
	r.s.append(&fresh{id: id, fields: [][]byte{[]byte(name), []byte(value)}}, r.lim)
}

func max1(a, b ID) ID {
	if a.less(b) {
		return b
	}
	return a
}

// step does one thing to the stream or to its groups.
func (r *frozenRig) step() {
	s := r.s
	switch n := r.rng.IntN(200); {
	case n < 60:
		r.append()
	case n < 100:
		r.remove()
	case n < 101:
		s.trim(&trim{by: byLength, length: int64(r.rng.IntN(s.length + 1)), approx: r.rng.IntN(2) == 0})
	case n < 115:
		s.trim(&trim{by: byLength, length: int64(max(0, s.length-r.rng.IntN(20)))})
	case n < 120:
		s.trim(&trim{by: byID, from: ID{s.first.Time + r.rng.Uint64N(20), 0}, approx: r.rng.IntN(2) == 0})
	case n < 123:
		s.addGroup(fmt.Append(nil, "g", r.rng.IntN(3)), r.id(), unknown)
	case n < 124:
		s.removeGroup(fmt.Append(nil, "g", r.rng.IntN(3)))
	case len(s.groups) > 0:
		r.stepGroup(s.groups[r.rng.IntN(len(s.groups))])
	}
}

func (r *frozenRig) remove() {
	if id := r.id(); r.s.remove(id) {
		if r.s.tomb.less(id) {
			r.s.tomb = id
		}
		r.s.bound()
	}
}

func (r *frozenRig) stepGroup(g *group) {
	name := fmt.Append(nil, "c", r.rng.IntN(3))
	c, _ := g.addConsumer(name, r.rng.Int64N(1000))
	switch n := r.rng.IntN(50); {
	case n < 1:
		g.removeConsumer(name)
	case n < 20:
		c.seen = r.rng.Int64()
		g.deliver(max1(g.last, ID{1, 0}), c, r.rng.Int64N(1000))
		r.s.advance(g, ID{g.last.Time + 1, r.rng.Uint64N(2)})
	case n < 25:
		g.deliver(r.id(), c, r.rng.Int64N(1000))
	case n < 40:
		if d := g.pending.edit(r.id()); d != nil {
			g.give(d, c)
			d.count++
		}
	case n < 48:
		g.acknowledge(r.id())
	case g.pending.length > 0:
		g.acknowledge(g.pending.first().id)
	}
}
