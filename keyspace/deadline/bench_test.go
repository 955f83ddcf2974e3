package deadline

import (
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// owner keeps the position of each of a million entries, as entries would.
type owner struct {
	q   *Queue
	pos []uint32
	rnd *rand.Rand
}

const million = 1 << 20

func newOwner() *owner {
	o := &owner{pos: make([]uint32, million+1), rnd: rand.New(rand.NewPCG(1, 2))}
	o.q = New(func(r slab.Ref, pos uint32) { o.pos[r] = pos })
	return o
}

func (o *owner) fill() {
	for i := range million {
		o.q.Add(o.rnd.Int64N(1<<32), slab.Ref(i+1))
	}
}

// BenchmarkAdd adds deadlines in random order, a million and then anew.
func BenchmarkAdd(b *testing.B) {
	o := newOwner()
	for b.Loop() {
		if o.q.Len() == million {
			o.q.Close()
		}
		o.q.Add(o.rnd.Int64N(1<<32), slab.Ref(o.q.Len()+1))
	}
	b.ReportMetric(float64(o.q.Bytes())/float64(o.q.Len()), "B/entry")
	o.q.Close()
}

// BenchmarkExpire takes the earliest of a million out and adds a later one.
func BenchmarkExpire(b *testing.B) {
	o := newOwner()
	o.fill()
	for b.Loop() {
		d, r, _ := o.q.Min()
		o.q.Remove(0)
		o.q.Add(d+o.rnd.Int64N(1<<32), r)
	}
	o.q.Close()
}

// BenchmarkChange gives one of a million another deadline, as EXPIRE does.
func BenchmarkChange(b *testing.B) {
	o := newOwner()
	o.fill()
	for b.Loop() {
		o.q.Change(o.pos[1+o.rnd.IntN(million)], o.rnd.Int64N(1<<32))
	}
	o.q.Close()
}

// BenchmarkRemove takes one of up to a million out, wherever it is.
func BenchmarkRemove(b *testing.B) {
	o := newOwner()
	for b.Loop() {
		if o.q.Len() == 0 {
			b.StopTimer()
			o.fill()
			b.StartTimer()
		}
		o.q.Remove(uint32(o.rnd.IntN(o.q.Len())))
	}
	o.q.Close()
}
