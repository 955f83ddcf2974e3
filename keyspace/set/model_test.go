package set

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp/command"
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

// The bytes are those that the package comment describes.
func TestLayout(t *testing.T) {
	t.Parallel()
	f := func(got []byte, want string) {
		t.Helper()
		if string(got) != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	var b ints
	insert := func(n int64) []byte {
		i, _ := b.find(n)
		b = b.insert(i, n)
		return b
	}
	f(insert(2), "\x02\x02\x00")
	f(insert(-1), "\x02\xff\xff\x02\x00")
	f(insert(40000), "\x04\xff\xff\xff\xff\x02\x00\x00\x00\x40\x9c\x00\x00")
	f(b.remove(2).remove(0), "\x04\x02\x00\x00\x00")
	f(ints(nil).insert(0, -1<<63), "\x08\x00\x00\x00\x00\x00\x00\x00\x80")
	p := packed(nil).add([]byte("ab")).add(nil)
	f(p, "\x02\x02ab\x00")
	begin, end, _ := p.find([]byte("ab"))
	f(p.remove(begin, end), "\x01\x00")
}

// ints agrees with a sorted slice after every change, whether it has room to
// change in place or not.
func TestIntsAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 100 {
			var b ints
			var model []int64
			bits := []int{7, 15, 16, 31, 32, 62}[rng.IntN(6)]
			for range 200 {
				n := rng.Int64()>>(62-bits) - 1<<bits
				want, had := slices.BinarySearch(model, n)
				i, found := b.find(n)
				if i != want || found != had {
					t.Fatalf("%d is at %d, %v, want %d, %v", n, i, found, want, had)
				}
				if found {
					model, b = slices.Delete(model, i, i+1), b.remove(i)
				} else {
					model, b = slices.Insert(model, i, n), b.insert(i, n)
				}
				if rng.IntN(8) == 0 {
					b = append(make(ints, 0, len(b)), b...)
				}
			}
			var got []int64
			for i := range b.len() {
				got = append(got, b.at(i))
			}
			if !slices.Equal(got, model) {
				t.Fatalf("%v, want %v", got, model)
			}
		}
	})
}

// packed agrees with a slice of texts after every change.
func TestPackedAgainstModel(t *testing.T) {
	t.Parallel()
	EachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		for range 30 {
			var b packed
			var model []string
			for range 600 {
				text := strings.Repeat("x", rng.IntN(200))
				begin, end, found := b.find([]byte(text))
				if found != slices.Contains(model, text) {
					t.Fatalf("a text of %d bytes is found: %v", len(text), found)
				}
				if found {
					i := slices.Index(model, text)
					model, b = slices.Delete(model, i, i+1), b.remove(begin, end)
				} else {
					model, b = append(model, text), b.add([]byte(text))
				}
				if b.len() != len(model) {
					t.Fatalf("%d members, want %d", b.len(), len(model))
				}
			}
			var got []string
			b.each(func(text []byte) bool { got = append(got, string(text)); return true })
			if !slices.Equal(got, model) {
				t.Fatalf("%q, want %q", got, model)
			}
		}
	})
}

// longest is what the longest text of some integers measures.
func TestLongest(t *testing.T) {
	t.Parallel()
	f := func(want int, list ...int64) {
		t.Helper()
		var b ints
		for _, n := range list {
			i, _ := b.find(n)
			b = b.insert(i, n)
		}
		if got := b.longest(); got != want {
			t.Errorf("%v: %d, want %d", list, got, want)
		}
		for _, n := range list {
			if text := fmt.Sprint(n); len(text) > want {
				t.Errorf("%v: %s is longer than %d", list, text, want)
			} else if _, ok := command.ParseInt([]byte(text)); !ok {
				t.Errorf("%s is no integer", text)
			}
		}
	}
	f(0)
	f(1, 1)
	f(4, -100, 99)
	f(3, -9, 5, 999)
	f(20, -1<<63, 1<<63-1)
}
