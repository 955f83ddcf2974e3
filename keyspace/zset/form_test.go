package zset

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/rank"
	"github.com/troupedb/troupe/keyspace/slab"
)

// A packed sorted set agrees with the model after every change, whether it has
// room to change in place or not.
func TestPackedAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 20 {
			members := 1 + rng.IntN(200)
			w := words{rng}
			var b packed
			var m model
			for range 300 {
				b, m = changePacked(t, b, m, w.member(members), w.score())
				if rng.IntN(8) == 0 {
					b = append(make(packed, 0, len(b)), b...)
				}
				if rng.IntN(20) == 0 && len(m) > 0 {
					first := rng.IntN(len(m))
					end := first + rng.IntN(len(m)-first+1)
					compareRange(t, &Members{packed: b}, m, first, end)
					b = b.cut(b.at(first), b.at(end), end-first)
					m = append(m[:first:first], m[end:]...)
				}
				comparePlace(t, b, m, w.score(), w.member(members))
			}
			compareMembers(t, &Members{packed: b}, m)
		}
	})
}

// changePacked puts in, moves or takes out a member.
func changePacked(t *testing.T, b packed, m model, member string, score float64) (packed, model) {
	t.Helper()
	it, _, found := b.find([]byte(member))
	if found != (m.find(member) >= 0) {
		t.Fatalf("%q: found %v", member, found)
	}
	switch {
	case !found:
		return b.add([]byte(member), score), m.set(member, score)
	case score < 0:
		return b.cut(it.begin, it.end, 1), m.remove(member)
	}
	return b.move(it, []byte(member), score), m.set(member, score)
}

func comparePlace(t *testing.T, b packed, m model, score float64, member string) {
	t.Helper()
	for _, bound := range []rank.Bound{rank.Before(score, []byte(member)), rank.BeforeScore(score), rank.AfterScore(score)} {
		want := 0
		for want < len(m) && bound.Precedes(m[want].Score, m[want].Text) {
			want++
		}
		if got, begin := b.place(bound); got != want || begin != b.at(want) {
			t.Fatalf("%d members before %+v, the next at %d, want %d, at %d", got, bound, begin, want, b.at(want))
		}
	}
}

// The bytes are those that the package comment describes.
func TestPackedLayout(t *testing.T) {
	t.Parallel()
	f := func(b packed, want string) {
		t.Helper()
		if string(b) != want {
			t.Errorf("%q, want %q", b, want)
		}
	}
	b := packed(nil).add([]byte("a"), 1)
	f(b, "\x01\x01a\x03")
	b = b.add([]byte("xyz"), -63)
	f(b, "\x02\x03xyz\x7e\x01a\x03")
	b = b.append(nil, 63)
	f(b, "\x03\x03xyz\x7e\x01a\x03\x00\x7f")
	f(packed(nil).add(nil, 64), "\x01\x00\x81\x01")
	f(packed(nil).add(nil, 0), "\x01\x00\x01")
	f(packed(nil).add(nil, math.Copysign(0, -1)), "\x01\x00\x01")
	f(packed(nil).add(nil, 1.5), "\x01\x00\x00\x00\x00\x00\x00\x00\x00\xf8\x3f")
	f(packed(nil).add(nil, math.Inf(1)), "\x01\x00\x00\x00\x00\x00\x00\x00\x00\xf0\x7f")
	f(b.cut(1, 6, 1), "\x02\x01a\x03\x00\x7f")
}

// A score is read as it was written, and takes as many bytes as it says.
func TestScores(t *testing.T) {
	t.Parallel()
	EachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		w := words{rng}
		for range 2000 {
			score := w.score()
			b := make([]byte, 16)
			putScore(b, 0, score)
			if got, next := scoreAt(b, 0); got != score || next != scoreSize(score) {
				t.Fatalf("%v was read as %v, of %d bytes, not %d", score, got, next, scoreSize(score))
			}
		}
	})
}

// A large sorted set agrees with the model, counts its memory rightly, and
// gives all of it back in slices, as its copy does.
func TestLargeAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 3, func(t *testing.T, rng *rand.Rand) {
		for range 4 {
			mem, other := slab.New(), slab.New()
			w, members := words{rng}, 1+rng.IntN(800)
			l := newLarge(mem, rng.Uint64())
			var m model
			for range 2000 {
				m = changeLarge(t, l, m, w.member(members), w.score())
			}
			compareMembers(t, &Members{large: l}, m)
			c := l.Copy(mem, other).(*large)
			compareMembers(t, &Members{large: c}, m)
			compareHeld(t, l, mem)
			compareHeld(t, c, other)
			freeInSlices(t, l, mem, rng)
			if first := len(m) / 3; first > 0 {
				c.cut(first, 2*first)
				m = append(m[:first:first], m[2*first:]...)
			}
			compareMembers(t, &Members{large: c}, m)
			freeInSlices(t, c, other, rng)
			mem.Close()
			other.Close()
		}
	})
}

// changeLarge puts in, moves or takes out a member.
func changeLarge(t *testing.T, l *large, m model, member string, score float64) model {
	t.Helper()
	had := m.find(member) >= 0
	if score < 0 {
		if removed := l.remove([]byte(member)); removed != had {
			t.Fatalf("%q: removed %v, want %v", member, removed, had)
		}
		return m.remove(member)
	}
	e, added := l.put([]byte(member), score)
	if added == had {
		t.Fatalf("%q: added %v, want %v", member, added, !had)
	}
	if !added {
		l.change(&e, score)
	}
	return m.set(member, score)
}

func compareHeld(t *testing.T, l *large, mem *slab.Heap) {
	t.Helper()
	empty := newLarge(mem, 0)
	held := mem.Stats().Held
	if counted := l.Bytes() - empty.order.Bytes(); counted < held || counted > held+1<<20 {
		t.Fatalf("%d bytes counted, the heap holds %d", counted, held)
	}
}

func freeInSlices(t *testing.T, l *large, mem *slab.Heap, rng *rand.Rand) {
	t.Helper()
	most := 1 + rng.IntN(100)
	left, calls := l.Len(), 0
	for done := false; !done; calls++ {
		before := mem.Effort()
		done = l.Free(mem, most)
		if spent := int(mem.Effort() - before); spent > most+50 {
			t.Fatalf("a slice of %d took %d", most, spent)
		}
	}
	if calls < left/(most+50) {
		t.Errorf("%d members went in %d calls of %d", left, calls, most)
	}
	if s := mem.Stats(); s.Held != 0 || s.Used != 0 {
		t.Errorf("after Free the heap holds %d bytes, %d used", s.Held, s.Used)
	}
}
