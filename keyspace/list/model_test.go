package list

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
	"github.com/troupedb/troupe/keyspace/slab"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// EachSeed runs a random test with each of the seeds asked for.
func EachSeed(t *testing.T, stream uint64, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			test(t, rand.New(rand.NewPCG(seed, stream)))
		})
	}
}

// words are elements of all the lengths at which something changes: the empty
// one, either side of what a varint of one byte holds, and of blocks.
type words struct{ rng *rand.Rand }

func (w words) text() string {
	lengths := []int{0, 1, 16, 126, 127, 128, 129, 1000, 4000, 5000, 9000, 20000}
	switch w.rng.IntN(12) {
	case 0:
		return strings.Repeat(string(rune('a'+w.rng.IntN(26))), lengths[w.rng.IntN(len(lengths))])
	case 1:
		return strings.Repeat("x", w.rng.IntN(400))
	case 2, 3, 4, 5, 6:
		return string(rune('a' + w.rng.IntN(4)))
	}
	return fmt.Sprint(w.rng.Int64() >> w.rng.IntN(64))
}

// rig is a large list and what is to be in it.
type rig struct {
	t    *testing.T
	rng  *rand.Rand
	mem  *slab.Heap
	l    *large
	lim  limits
	want []string
	kept int64 // by what is frozen of it
}

func newRig(t *testing.T, rng *rand.Rand, size int) *rig {
	mem := slab.New()
	t.Cleanup(mem.Close)
	return &rig{t: t, rng: rng, mem: mem, l: newLarge(mem), lim: limitsOf(&keyspace.Settings{ListPackedSize: size})}
}

// step changes the list in some way, and the model too.
func (r *rig) step(grow bool) {
	text, n := words{r.rng}.text(), len(r.want)
	switch op := r.rng.IntN(20); {
	case op < 4 || n == 0:
		r.l.push([]byte(text), left, r.lim)
		r.want = slices.Insert(r.want, 0, text)
	case op < 8:
		r.l.push([]byte(text), right, r.lim)
		r.want = append(r.want, text)
	case op < 12 && grow:
		r.insert(r.rng.IntN(n+1), text)
	case op < 10:
		r.l.pop(left)
		r.want = r.want[1:]
	case op < 12:
		r.l.pop(right)
		r.want = r.want[:n-1]
	case op < 16:
		i := r.rng.IntN(n)
		r.l.set(i, []byte(text), r.lim)
		r.want[i] = text
	case op < 18:
		r.insert(r.rng.IntN(n+1), text)
	case op < 19:
		r.remove()
	default:
		r.trim(grow)
	}
}

func (r *rig) insert(i int, text string) {
	r.l.insertBefore(i, []byte(text), r.lim)
	r.want = slices.Insert(r.want, i, text)
}

func (r *rig) remove() {
	m := removal{text: []byte(r.want[r.rng.IntN(len(r.want))]), from: r.rng.IntN(2) == 0, most: 1 + r.rng.IntN(3)}
	if r.rng.IntN(4) == 0 {
		m.most = math.MaxInt
	}
	want := removeFromModel(r, m)
	if got := r.l.removeAll(m, r.lim); got != want {
		r.t.Fatalf("%d removed, want %d", got, want)
	}
}

func removeFromModel(r *rig, m removal) (removed int) {
	if m.from == right {
		slices.Reverse(r.want)
		defer func() { slices.Reverse(r.want) }()
	}
	r.want = slices.DeleteFunc(r.want, func(s string) bool {
		if s != string(m.text) || removed == m.most {
			return false
		}
		removed++
		return true
	})
	return removed
}

// trim takes at most a little from either end, or now and then much.
func (r *rig) trim(grow bool) {
	n := len(r.want)
	most := min(n, 5)
	if !grow && r.rng.IntN(8) == 0 {
		most = n
	}
	i := r.rng.IntN(most)
	end := n - r.rng.IntN(min(most, n-i))
	r.want = slices.Clone(r.want[i:end])
	if kept := r.l.trim(i, end-i); kept != r.l {
		for !r.l.Free(r.mem, 1) {
		}
		r.l = kept
	}
}

// compare holds that the list is what it should be, in every way it can be
// read, and that its counts are right.
func (r *rig) compare() {
	r.t.Helper()
	compareView(r.t, &view{large: r.l}, r.want)
	r.compareCounts()
}

func compareView(t *testing.T, v *view, want []string) {
	t.Helper()
	if v.len() != len(want) {
		t.Fatalf("%d elements, want %d", v.len(), len(want))
	}
	i := 0
	v.each(func(text []byte) bool {
		if string(text) != want[i] {
			t.Fatalf("element %d is %.30q, want %.30q", i, text, want[i])
		}
		i++
		return true
	})
	if i != len(want) {
		t.Fatalf("%d elements seen, want %d", i, len(want))
	}
	if i == 0 {
		return
	}
	for w := v.walkFrom(right); i > 0; {
		i--
		if text := w.prev(); string(text) != want[i] {
			t.Fatalf("backwards, element %d is %.30q, want %.30q", i, text, want[i])
		}
	}
	for i := 0; i < len(want); i += 1 + len(want)/50 {
		w := v.walk(i)
		if text := w.next(); string(text) != want[i] {
			t.Fatalf("by its number, element %d is %.30q, want %.30q", i, text, want[i])
		}
	}
}

func (r *rig) compareCounts() {
	r.t.Helper()
	l := r.l
	used, longest := 0, 0
	for n := range l.chunks {
		c := &l.chunks[n]
		if c.blocks == 0 || c.room > chunkMax {
			r.t.Fatalf("chunk %d has %d blocks and room for %d", n, c.blocks, c.room)
		}
		items := 0
		for _, b := range l.blocksOf(c) {
			items += int(b.items)
			used += b.used()
			longest = max(longest, b.used())
			if b.items == 0 || b.items > 1 && !r.lim.allow(int(b.items), b.used()) {
				r.t.Fatalf("a block has %d elements in %d bytes, with limits of %+v", b.items, b.used(), r.lim)
			}
			if n := countIn(l.elementsOf(&b)); n != int(b.items) {
				r.t.Fatalf("a block has %d elements, it is said %d", n, b.items)
			}
		}
		if items != c.items {
			r.t.Fatalf("chunk %d has %d elements, it is said %d", n, items, c.items)
		}
	}
	if used != l.used {
		r.t.Fatalf("the elements take %d bytes, it is said %d", used, l.used)
	}
	if held := r.mem.Stats().Held; held != l.held+r.kept {
		r.t.Fatalf("the heap holds %d bytes, the list says %d, and %d are kept", held, l.held, r.kept)
	}
}

// sizes are the values of list-max-listpack-size that the tests try: tiny
// blocks, and those of the default and around it.
var sizes = []int{1, 2, 3, 5, 128, -1, -2, -5, 0}

// A large list agrees with the model, counts its memory rightly, and gives all
// of it back in slices, as its copy does.
func TestLargeAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for _, size := range sizes {
			r := newRig(t, rng, size)
			steps := 300 + rng.IntN(3000)
			for i := range steps {
				r.step(i < steps/2)
				if i%50 == 0 {
					r.compare()
				}
			}
			r.compare()
			r.copyAndFree()
		}
	})
}

func (r *rig) copyAndFree() {
	r.t.Helper()
	other := slab.New()
	defer other.Close()
	c := r.l.Copy(r.mem, other).(*large)
	effort := 1 + r.rng.IntN(20)
	for calls := 0; !r.l.Free(r.mem, effort); calls++ {
		if calls > len(r.want) {
			r.t.Fatal("a list is not free after a call for each of its elements")
		}
	}
	if s := r.mem.Stats(); s.Held != 0 || s.Used != 0 {
		r.t.Errorf("after Free the heap holds %d bytes, %d used", s.Held, s.Used)
	}
	compareView(r.t, &view{large: c}, r.want)
	if held := other.Stats().Held; held != c.held {
		r.t.Errorf("the copy's heap holds %d bytes, the copy says %d", held, c.held)
	}
	for !c.Free(other, effort) {
	}
	if s := other.Stats(); s.Held != 0 {
		r.t.Errorf("after Free the copy's heap holds %d bytes", s.Held)
	}
}

// Lists of many chunks agree with the model: elements of their own blocks, put
// in everywhere and taken away from everywhere.
func TestManyChunks(t *testing.T) {
	t.Parallel()
	EachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		for _, at := range []side{left, right} {
			r := newRig(t, rng, 1)
			for i := range 3000 {
				text := fmt.Sprint(i % 100)
				r.l.push([]byte(text), at, r.lim)
				r.want = append(r.want, text)
			}
			if at == left {
				slices.Reverse(r.want)
			}
			for range 1000 {
				r.insert(rng.IntN(len(r.want)+1), fmt.Sprint("new", rng.IntN(100)))
			}
			r.compare()
			for range 30 {
				r.remove()
			}
			r.compare()
			for _, n := range []int{len(r.want) - 500, 1500, 700, 300, 10} {
				i := rng.IntN(len(r.want) - n)
				r.want = slices.Clone(r.want[i : i+n])
				if kept := r.l.trim(i, n); kept != r.l {
					for !r.l.Free(r.mem, 100) {
					}
					r.l = kept
				}
				r.compare()
			}
			r.copyAndFree()
		}
	})
}
