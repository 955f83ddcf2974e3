package table

import (
	"flag"
	"fmt"
	"math"
	"math/bits"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

// newRand returns the random numbers of a test, which the seed it logs gives
// again.
func newRand(t testing.TB) *rand.Rand {
	t.Logf("-seed %d", *seedFlag)
	return rand.New(rand.NewPCG(*seedFlag, 2))
}

// fair is a hash for tests: the reference is the key.
func fair(r slab.Ref) uint64 { return mix(uint64(r)^secret0, golden) }

// model is a table beside the map that it should agree with.
type model struct {
	t    testing.TB
	tab  *Table
	hash func(slab.Ref) uint64
	want map[slab.Ref]uint32
	refs []slab.Ref // what is in want, and more
}

func newModel(t testing.TB, hash func(slab.Ref) uint64) *model {
	m := &model{t: t, hash: hash, want: map[slab.Ref]uint32{}}
	m.tab = New(func(r slab.Ref) uint64 {
		if _, ok := m.want[r]; !ok {
			t.Fatalf("hashOf(%#x): not in the table", r)
		}
		return hash(r)
	})
	return m
}

func (m *model) find(r slab.Ref) *Slot {
	p := m.tab.Probe(m.hash(r))
	for s := p.Next(); s != nil; s = p.Next() {
		if s.Ref() == r {
			return s
		}
	}
	return nil
}

func (m *model) insert(r slab.Ref, stamp uint32) {
	s := m.tab.Insert(m.hash(r), r, stamp)
	if s.Ref() != r || s.Stamp() != stamp {
		m.t.Fatalf("Insert(%#x, %d) returned %#x, %d", r, stamp, s.Ref(), s.Stamp())
	}
	m.want[r] = stamp
	m.refs = append(m.refs, r)
}

func (m *model) remove(r slab.Ref) {
	_, there := m.want[r]
	delete(m.want, r)
	if got := m.tab.Remove(m.hash(r), r); got != there {
		m.t.Fatalf("Remove(%#x) = %v, want %v", r, got, there)
	}
}

// churn inserts, removes and finds for a number of steps, growing if grow is
// over a half.
func (m *model) churn(rnd *rand.Rand, steps int, grow float64) {
	for range steps {
		r := slab.Ref(rnd.Uint64N(refMask) + 1)
		if rnd.IntN(4) > 0 && len(m.refs) > 0 {
			r = m.refs[rnd.IntN(len(m.refs))]
		}
		s := m.find(r)
		stamp, there := m.want[r]
		if (s != nil) != there || there && s.Stamp() != stamp {
			m.t.Fatalf("found %#x: %v, want %v with stamp %d", r, s != nil, there, stamp)
		}
		switch up := rnd.Float64() < grow; {
		case !there && up:
			m.insert(r, rnd.Uint32N(1<<24))
		case there && !up:
			m.remove(r)
		case there:
			m.want[r] = stamp ^ 1
			s.SetStamp(stamp ^ 1)
		}
	}
}

// drain removes entries until n are left.
func (m *model) drain(n int) {
	for _, r := range m.refs {
		if len(m.want) <= n {
			break
		}
		if _, ok := m.want[r]; ok {
			m.remove(r)
		}
	}
	m.refs = m.refs[:0]
	for r := range m.want {
		m.refs = append(m.refs, r)
	}
}

// check compares everything and verifies the shape of every chain.
func (m *model) check() {
	m.t.Helper()
	t := m.tab
	if t.Len() != len(m.want) {
		m.t.Fatalf("Len() = %d, want %d", t.Len(), len(m.want))
	}
	seen := 0
	t.Each(func(s *Slot) bool {
		seen++
		if stamp, ok := m.want[s.Ref()]; !ok || stamp != s.Stamp() {
			m.t.Fatalf("Each visits %#x with stamp %d, want %v, %d", s.Ref(), s.Stamp(), ok, stamp)
		}
		return true
	})
	if seen != len(m.want) {
		m.t.Fatalf("Each visits %d entries of %d", seen, len(m.want))
	}
	for r := range m.want {
		if m.find(r) == nil {
			m.t.Fatalf("%#x is lost", r)
		}
	}
	m.checkChains()
	n := t.buckets.Len()
	if n > 1 && t.count<<4 < n*loadMin || t.count<<4 > n*loadMax {
		m.t.Fatalf("%d entries in %d buckets", t.count, n)
	}
}

func (m *model) checkChains() {
	m.t.Helper()
	t, chained := m.tab, 0
	for i := range t.buckets.Len() {
		b := t.buckets.At(i)
		for first := true; ; first = false {
			m.checkBucket(b, i)
			if !b.isLinked() {
				break
			}
			if room := b.room(); room >= 0 && (first || b != t.overflow.At(t.buckets.At(i).link())) {
				m.t.Fatalf("a linked bucket of chain %d has room", i)
			}
			chained++
			b = t.overflow.At(b.link())
			if b.full() == 0 {
				m.t.Fatalf("an empty overflow bucket in chain %d", i)
			}
		}
	}
	if chained != t.overflow.Len() {
		m.t.Fatalf("%d overflow buckets in chains, of %d", chained, t.overflow.Len())
	}
}

func (m *model) checkBucket(b *bucket, home int) {
	m.t.Helper()
	b.each(func(s *Slot) {
		h := m.hash(s.Ref())
		if m.tab.index(h) != home {
			m.t.Fatalf("%#x of bucket %d is in chain %d", s.Ref(), m.tab.index(h), home)
		}
		for i := range b.slots {
			if s == &b.slots[i] && b.tag(i) != tagOf(h) {
				m.t.Fatalf("%#x has tag %#x, want %#x", s.Ref(), b.tag(i), tagOf(h))
			}
		}
	})
}

func TestRandomAgainstMap(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	m := newModel(t, fair)
	defer m.tab.Close()
	for range 6 {
		m.churn(rnd, 30000, 0.7)
		m.check()
		m.churn(rnd, 10000, 0.3)
		m.check()
		m.drain(rnd.IntN(40))
		m.check()
	}
	m.drain(0)
	m.check()
	if n := m.tab.Bytes(); n > 400 {
		t.Errorf("an emptied table weighs %d bytes", n)
	}
}

// At every size from 0 to 500 and back all is found.
func TestEverySmallSize(t *testing.T) {
	t.Parallel()
	m := newModel(t, fair)
	for i := range 500 {
		m.check()
		m.insert(slab.Ref(i+1), uint32(i))
	}
	for i := range 500 {
		m.check()
		m.remove(slab.Ref((i*7)%500 + 1))
	}
	m.check()
}

// Hashes that an adversary would like: the table is slow then, never wrong.
func TestBadHashes(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	f := func(name string, steps int, hash func(slab.Ref) uint64) {
		t.Helper()
		m := newModel(t, hash)
		m.churn(rnd, steps, 0.8)
		m.check()
		m.churn(rnd, steps, 0.4)
		m.check()
		for range 20 {
			if s := m.tab.Random(rnd.Uint64()); s == nil || m.find(s.Ref()) == nil {
				t.Fatalf("%s: Random finds nothing", name)
			}
		}
		m.drain(rnd.IntN(10))
		m.check()
	}
	f("all equal", 2500, func(slab.Ref) uint64 { return 42 })
	f("all zero", 2500, func(slab.Ref) uint64 { return 0 })
	f("two values", 2500, func(r slab.Ref) uint64 { return -uint64(r & 1) })
	f("same low bits", 2500, func(r slab.Ref) uint64 { return fair(r) << 32 })
	f("same tags", 10000, func(r slab.Ref) uint64 { return fair(r) >> 8 })
	f("eight buckets", 5000, func(r slab.Ref) uint64 { return fair(r) &^ (1<<56 - 8) })
}

func TestSlot(t *testing.T) {
	t.Parallel()
	var s Slot
	s.SetRef(1<<40 - 1)
	s.SetStamp(1<<24 - 2)
	if s.Ref() != 1<<40-1 || s.Stamp() != 1<<24-2 {
		t.Errorf("%#x, %#x", s.Ref(), s.Stamp())
	}
	s.SetRef(5)
	if s.Ref() != 5 || s.Stamp() != 1<<24-2 {
		t.Errorf("%#x, %#x", s.Ref(), s.Stamp())
	}
}

func TestEqualBytes(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	for range 10000 {
		a, b := rnd.Uint64()&0x0301030103010301, rnd.Uint64()&0x0301030103010301
		var want uint64
		for i := range slotCount {
			if a>>(8*i)&0xff == b>>(8*i)&0xff {
				want |= 0x80 << (8 * i)
			}
		}
		if got := equalBytes(a, b); got != want {
			t.Fatalf("equalBytes(%#x, %#x) = %#x, want %#x", a, b, got, want)
		}
	}
}

func TestEmptyTableIsSmall(t *testing.T) {
	t.Parallel()
	tab := New(fair)
	if n := tab.Bytes(); n > 200 {
		t.Errorf("an empty table weighs %d bytes", n)
	}
	p := tab.Probe(1)
	if p.Next() != nil || tab.Remove(1, 1) || tab.Random(1) != nil || tab.Scan(0, nil) != 0 {
		t.Error("an empty table has an entry")
	}
	tab.Close()
}

// A table closes in steps and is then as new; so is one that never held much.
func TestCloseSome(t *testing.T) {
	t.Parallel()
	s := newStore()
	defer s.close()
	for _, n := range []int{0, 1, 200000, 200000} {
		for i := range n {
			s.insert(i)
		}
		steps := 1
		for ; !s.tab.CloseSome(4); steps++ {
		}
		if chunks := n / 5 / 1024; steps < chunks/5 || steps > chunks/3+1 {
			t.Errorf("%d entries: %d steps", n, steps)
		}
		if s.tab.Len() != 0 || s.tab.Bytes() > 200 {
			t.Errorf("closed: %d entries, %d bytes", s.tab.Len(), s.tab.Bytes())
		}
	}
}

// An entry of 32 bytes costs at most 50 in all, however full the table is
// between one doubling and the next, and half the table's part more after a
// removal of most entries.
func TestWeight(t *testing.T) {
	t.Parallel()
	s := newStore()
	defer s.close()
	const n = 200000
	for i := range n {
		s.insert(i)
		if i > n/4 && i%1000 == 0 && s.bytes() > 50*int64(i) {
			t.Fatalf("%d entries weigh %d bytes", i, s.bytes())
		}
	}
	for i := range n - 1000 {
		key := keyOf(i)
		s.tab.Remove(Hash(1, key[:]), s.find(key[:]).Ref())
		if left := int64(n - i - 1); i%1000 == 0 && s.tab.Bytes() > 35*left+100<<10 {
			t.Fatalf("the table of %d entries weighs %d bytes", left, s.tab.Bytes())
		}
	}
}

// Every entry is drawn about as often as any other, in a table at the lower
// end of its load as well.
func TestRandomIsUniform(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	f := func(grow, left int) {
		t.Helper()
		m := newModel(t, fair)
		for i := range grow {
			m.insert(slab.Ref(i+1), 0)
		}
		m.drain(left)
		const draws = 400
		count := map[slab.Ref]int{}
		for range draws * left {
			count[m.tab.Random(rnd.Uint64()).Ref()]++
		}
		// Chi-squared has a mean of left-1 and a variance of twice that.
		chi := 0.0
		for r := range m.want {
			d := float64(count[r] - draws)
			chi += d * d / draws
		}
		if limit := float64(left) + 8*math.Sqrt(2*float64(left)) + 20; chi > limit {
			t.Errorf("%d left of %d: chi-squared %.0f, over %.0f", left, grow, chi, limit)
		}
	}
	f(1, 1)
	f(7, 2)
	f(100, 100)
	f(3000, 800)
}

func ExampleTable() {
	entries := []string{1: "apple", 2: "pear"} // A Ref is an index here.
	hash := func(key string) uint64 { return Hash(1, []byte(key)) }
	t := New(func(r slab.Ref) uint64 { return hash(entries[r]) })
	for r := slab.Ref(1); r <= 2; r++ {
		t.Insert(hash(entries[r]), r, 0)
	}
	p := t.Probe(hash("pear"))
	for s := p.Next(); s != nil; s = p.Next() {
		if entries[s.Ref()] == "pear" {
			fmt.Println("found", s.Ref())
		}
	}
	// Output: found 2
}

func TestDepthsTileTheSpace(t *testing.T) {
	t.Parallel()
	tab := New(fair)
	for n := 1; n < 300; n++ {
		*tab.buckets.Grow() = bucket{}
		tab.mask = 1<<bits.Len(uint(n-1)) - 1
		var sum float64
		for i := range n {
			sum += 1 / float64(uint64(1)<<tab.depth(i))
		}
		if sum != 1 {
			t.Fatalf("%d buckets cover %v of the hashes", n, sum)
		}
	}
}
