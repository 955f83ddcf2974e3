package dict

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

func newDict(t *testing.T, payload Payload) *Dict {
	mem := slab.New()
	t.Cleanup(mem.Close)
	return New(mem, 1, payload)
}

// A walk by Scan visits every element that is there all the time, whatever
// else comes and goes.
func TestScan(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand, payload Payload) {
		d := newDict(t, payload)
		for i := range 1000 {
			d.Insert(fmt.Append(nil, "stays", i), make([]byte, eight))
		}
		seen, size := map[string]bool{}, 0
		for cursor, steps := uint64(0), 0; steps == 0 || cursor != 0; steps++ {
			cursor = d.Scan(cursor, func(e Element) { seen[string(e.Text)] = true })
			grow := rng.IntN(2) == 0
			for range rng.IntN(300) {
				if grow {
					d.Insert(fmt.Append(nil, "goes", size), make([]byte, eight))
					size++
				} else if size > 0 {
					size--
					e, _ := d.Find(fmt.Append(nil, "goes", size))
					d.Remove(e)
				}
			}
		}
		for i := range 1000 {
			if text := fmt.Sprint("stays", i); !seen[text] {
				t.Fatalf("%s was not visited", text)
			}
		}
	})
}

// An element stays where it is if its slab has room for the new payload.
func TestReplaceInPlace(t *testing.T) {
	t.Parallel()
	d := newDict(t, Text)
	where := d.Insert([]byte("f"), []byte("12345"))
	f := func(payload string, inPlace bool) {
		t.Helper()
		e, _ := d.Find([]byte("f"))
		r := d.Replace(e, []byte(payload))
		if got := d.At(r).Payload; string(got) != payload {
			t.Errorf("%q, want %q", got, payload)
		}
		if (r == where) != inPlace {
			t.Errorf("%q: in place %v, want %v", payload, !inPlace, inPlace)
		}
		compareHeld(t, d, d.mem)
	}
	f("54321", true)
	f("", true)
	f("123456", false)
	f(strings.Repeat("x", 1<<20), false)
}

// The bytes are those that the package comment describes.
func TestLayout(t *testing.T) {
	t.Parallel()
	f := func(payload Payload, text, load, want string) {
		t.Helper()
		d := newDict(t, payload)
		r := d.Insert([]byte(text), []byte(load))
		if got := d.mem.Bytes(r, len(want)); string(got) != want || d.mem.Stats().Used != int64(len(want)) {
			t.Errorf("%q %q is %q of %d bytes, want %q", text, load, got, d.mem.Stats().Used, want)
		}
	}
	f(None, "ab", "", "\x02ab")
	f(None, "", "", "\x00")
	f(Eight, "ab", "12345678", "\x02ab12345678")
	f(Text, "ab", "xyz", "\x02ab\x03xyz")
	f(Text, "", "", "\x00\x00")
	f(Text, "k", strings.Repeat("v", 200), "\x01k\xc8\x01"+strings.Repeat("v", 200))
}

// Elements are chosen evenly: each by itself, and each as part of a sample.
// The bounds are six standard deviations wide.
func TestRandomIsFair(t *testing.T) {
	t.Parallel()
	f := func(elements, count, rounds int) {
		t.Helper()
		d, rng, times := newDict(t, None), rand.New(rand.NewPCG(*seedFlag, 9)), map[string]int{}
		for i := range elements {
			d.Insert(fmt.Append(nil, i), nil)
		}
		for range rounds {
			if count == 0 {
				times[string(d.Random(rng.Uint64()).Text)]++
				continue
			}
			sample := map[string]bool{}
			d.Sample(count, rng.Uint64, func(e Element) {
				times[string(e.Text)]++
				sample[string(e.Text)] = true
			})
			if len(sample) != count {
				t.Fatalf("%d different elements, want %d", len(sample), count)
			}
		}
		want := float64(max(count, 1)) * float64(rounds) / float64(elements)
		for i := range elements {
			if n := float64(times[fmt.Sprint(i)]); (n-want)*(n-want) > 36*want {
				t.Errorf("seed=%d: %d of %d: %d was chosen %v times of %d, want about %v", *seedFlag, count, elements, i, n, rounds, want)
			}
		}
	}
	f(20, 0, 4000)
	f(20, 1, 4000)
	f(20, 19, 4000)
	f(300, 0, 20000)
	f(300, 5, 20000)
	f(300, 100, 1000)
	f(300, 299, 1000)
}

// An empty Dict has nothing and frees at once.
func TestEmpty(t *testing.T) {
	t.Parallel()
	d := newDict(t, Text)
	if _, found := d.Find(nil); found || d.Len() != 0 {
		t.Error("something is there")
	}
	if next := d.Scan(0, func(Element) { t.Error("visited") }); next != 0 {
		t.Error(next)
	}
	d.Each(func(Element) bool { t.Error("visited"); return true })
	if !d.Free(1) || !New(d.mem, 1, None).Free(1) {
		t.Error("not freed")
	}
}
