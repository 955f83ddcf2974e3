package hll

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
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

// TestHash holds values of the reference implementation for the seed 0.
func TestHash(t *testing.T) {
	t.Parallel()
	f := func(text string, want uint64) {
		t.Helper()
		if got := murmur64A([]byte(text), 0); got != want {
			t.Errorf("hash of %q is %#x, want %#x", text, got, want)
		}
	}
	f("", 0)
	f("a", 0x071717d2d36b6b11)
	f("ab", 0x62be85b2fe53d1f8)
}

// ranks is a sketch as one would write it down: its registers.
type ranks [registers]byte

func (m *ranks) raise(index int, rank byte) (raised bool) {
	raised = m[index] < rank
	m[index] = max(m[index], rank)
	return raised
}

// registersOf are those of a sketch, read one by one.
func registersOf(t *testing.T, s sketch) (m ranks) {
	t.Helper()
	regs := s.registers()
	if s.form() == dense {
		for i := range m {
			m[i] = denseAt(regs, i)
		}
		return m
	}
	i := 0
	for at := 0; at < len(regs); {
		r := runAt(regs, at)
		for range r.length {
			m[i] = r.value
			i++
		}
		at += r.size
	}
	if i != registers {
		t.Fatalf("the sketch has %d registers", i)
	}
	return m
}

// TestRegisters raises random registers of a sketch and of the model. The ranks
// are such that many neighbours are equal.
func TestRegisters(t *testing.T) {
	t.Parallel()
	EachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 20 {
			most := []int{0, 40, 300, 3000, 15000}[rng.IntN(5)]
			within := []int{20, 300, registers}[rng.IntN(3)]
			s, m := newSketch(nil), new(ranks)
			for n := range 3000 {
				index, rank := rng.IntN(within), byte(1+rng.IntN(1+rng.IntN(6)))
				if rng.IntN(3000) == 0 {
					rank = byte(33 + rng.IntN(18))
				}
				want := m.raise(index, rank)
				if s.form() == dense {
					if got := raiseDense(s.registers(), index, rank); got != want {
						t.Fatalf("register %d, rank %d: %t, want %t", index, rank, got, want)
					}
				} else {
					var got, ok bool
					if s, got, ok = s.raiseSparse(index, rank, most); got != want || !ok {
						t.Fatalf("register %d, rank %d: %t %t, want %t", index, rank, got, ok, want)
					}
				}
				if n%500 == 499 && registersOf(t, s) != *m {
					t.Fatalf("after %d elements the registers are not those wanted", n+1)
				}
			}
			compareCounts(t, s, m)
		}
	})
}

// compareCounts holds that all ways to count, and both forms, agree.
func compareCounts(t *testing.T, s sketch, m *ranks) {
	t.Helper()
	var h histogram
	for _, rank := range m {
		h[rank]++
	}
	want := h.estimate()
	got, ok := s.count()
	var u union
	if !ok || got != want || !u.add(s) || u.count() != want || ranks(u) != *m {
		t.Fatalf("counted %d %t, as a union %d, want %d", got, ok, u.count(), want)
	}
	d := s
	if s.form() == sparse {
		d, _ = s.toDense()
	}
	if n, _ := d.count(); n != want || registersOf(t, d) != *m {
		t.Fatalf("dense, %d are counted, want %d", n, want)
	}
}

// TestUnion compares the union of sketches with the largest of their registers.
func TestUnion(t *testing.T) {
	t.Parallel()
	EachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		for range 20 {
			var u union
			var m ranks
			for range 1 + rng.IntN(4) {
				s := newSketch(nil)
				for range rng.IntN(3000) {
					index, rank := rng.IntN(registers), byte(1+rng.IntN(20))
					m.raise(index, rank)
					if s.form() == sparse {
						s, _, _ = s.raiseSparse(index, rank, 2000)
					} else {
						raiseDense(s.registers(), index, rank)
					}
				}
				if !u.add(s) {
					t.Fatal("a sound sketch is refused")
				}
			}
			packed := make([]byte, denseSize-headerSize)
			u.pack(packed)
			again := append(make(sketch, headerSize), packed...)
			if ranks(u) != m || registersOf(t, again) != m {
				t.Fatal("the union is not that of the registers")
			}
		}
	})
}

// TestFind compares with going run by run.
func TestFind(t *testing.T) {
	t.Parallel()
	EachSeed(t, 3, func(t *testing.T, rng *rand.Rand) {
		for range 200 {
			var ops []byte
			total := 0
			for range rng.IntN(60) {
				value, length := byte(rng.IntN(33)), 1+rng.IntN(valuesMax)
				if rng.IntN(3) == 0 {
					value, length = 0, 1+rng.IntN(zerosMax)
				}
				if rng.IntN(9) == 0 {
					value, length = 0, 1+rng.IntN(1000)
				}
				ops = appendRun(ops, value, length)
				total += length
			}
			for index := range total + 3 {
				here, r, ok := find(ops, index)
				want, wantRun, wantOK := spot{before: -1}, run{}, false
				for want.at < len(ops) && !wantOK {
					wantRun = runAt(ops, want.at)
					if wantOK = index < want.first+wantRun.length; !wantOK {
						want = spot{want.at + wantRun.size, want.at, want.first + wantRun.length}
					}
				}
				if ok != wantOK || ok && (here != want || r != wantRun) {
					t.Fatalf("register %d of %x: %v %v %t, want %v %v %t", index, ops, here, r, ok, want, wantRun, wantOK)
				}
			}
		}
	})
}

// TestAccuracy holds the standard error that is promised, 1.04/sqrt(registers).
func TestAccuracy(t *testing.T) {
	t.Parallel()
	EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		const sketches = 40
		for _, size := range []int{1, 1000, 20_000, 200_000} {
			var squares float64
			for range sketches {
				s, _ := newSketch(nil).toDense()
				for range size {
					index, rank := place(binary.LittleEndian.AppendUint64(nil, rng.Uint64()))
					raiseDense(s.registers(), index, rank)
				}
				n, _ := s.count()
				off := (float64(n) - float64(size)) / float64(size)
				squares += off * off
			}
			// Of so few sketches it may be half as large again.
			if err := math.Sqrt(squares / sketches); err > 1.6*1.04/math.Sqrt(registers) {
				t.Errorf("%d elements are counted with a standard error of %.4f", size, err)
			}
		}
	})
}

// FuzzSketch does everything to bytes that claim to be a sketch. They may be
// refused, and no more.
func FuzzSketch(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x7f, 0xff}, []byte("element"), uint16(3000))
	f.Add([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x60, 0xf3, 0x80, 0x50, 0xb1, 0x84, 0x4b, 0xfb, 0x80, 0x42, 0x5a}, []byte("d"), uint16(30))
	f.Add(append([]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}, slices.Repeat([]byte{0xff}, denseSize-headerSize)...), []byte{}, uint16(0))
	f.Add(append([]byte{1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80}, slices.Repeat([]byte{0x7f, 0xff}, 3000)...), []byte{1}, uint16(3000))
	f.Fuzz(func(t *testing.T, body, element []byte, bytesMost uint16) {
		s, most := append(sketch(magic), body...), int(bytesMost%4096)
		if len(s) < headerSize || s.form() > sparse || s.form() == dense && len(s) != denseSize {
			return
		}
		before := slices.Clone(s)
		var u union
		sound := u.add(s)
		if _, ok := s.count(); ok != sound {
			t.Fatalf("counting: %t, uniting: %t", ok, sound)
		}
		u.count()
		showRuns(s)
		index, rank := place(element)
		if s.form() == dense {
			raiseDense(s.registers(), index, rank)
			return
		}
		if d, ok := s.toDense(); ok != sound || ok && len(d) != denseSize {
			t.Fatalf("made dense: %t, sound: %t", ok, sound)
		}
		if !slices.Equal(s, before) {
			t.Fatal("reading has changed the sketch")
		}
		after, raised, ok := s.raiseSparse(index, rank, most)
		if sound && !ok {
			t.Fatal("a sound sketch takes no element")
		}
		if sound && raised && after.form() == sparse {
			if here, r, found := find(after.registers(), index); !found || r.value < rank {
				t.Fatalf("register %d at %v is %d, want %d", index, here, r.value, rank)
			}
			if _, ok := after.count(); !ok {
				t.Fatal("a sound sketch has become corrupt")
			}
		}
		s.merged(&u, false, most)
	})
}
