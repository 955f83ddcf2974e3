package dict

import (
	"encoding/binary"
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// eachSeed runs a random test with each of the seeds asked for, on each kind
// of payload.
func eachSeed(t *testing.T, test func(t *testing.T, rng *rand.Rand, payload Payload)) {
	t.Helper()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		for _, payload := range []Payload{None, Eight, Text} {
			t.Run(fmt.Sprintf("seed=%d/payload=%d", seed, payload), func(t *testing.T) {
				t.Parallel()
				test(t, rand.New(rand.NewPCG(seed, uint64(payload))), payload)
			})
		}
	}
}

// model is a Dict as one would write it down.
type model struct {
	payload map[string]string
	mark    map[string]uint32
}

func newModel() *model { return &model{map[string]string{}, map[string]uint32{}} }

// words are texts and payloads of the lengths at which something changes.
type words struct {
	rng     *rand.Rand
	payload Payload
}

func (w words) text(many int) string {
	n := w.rng.IntN(many)
	switch n % 16 {
	case 0:
		return strings.Repeat("t", n)
	case 1:
		return fmt.Sprintf("\x00\xff\r\n%d", n)
	}
	return fmt.Sprint("text:", n)
}

func (w words) load() string {
	switch w.payload {
	case None:
		return ""
	case Eight:
		return string(binary.LittleEndian.AppendUint64(nil, w.rng.Uint64()))
	}
	lengths := []int{0, 1, 5, 63, 127, 128, 300, 20000}
	switch n := lengths[w.rng.IntN(len(lengths))]; w.rng.IntN(4) {
	case 0:
		return strings.Repeat(string(rune('a'+w.rng.IntN(26))), n)
	case 1:
		return strings.Repeat("x", w.rng.IntN(20))
	}
	return fmt.Sprint(w.rng.Int64() >> w.rng.IntN(64))
}

// A Dict agrees with the model whatever is done to it, counts its memory
// rightly, and gives all of it back in slices, as its copy does.
func TestAgainstModel(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand, payload Payload) {
		for range 4 {
			mem, other := slab.New(), slab.New()
			m, w, many := newModel(), words{rng, payload}, 1+rng.IntN(3000)
			d := New(mem, rng.Uint64(), payload)
			for range 5000 {
				step(t, d, m, w, w.text(many))
			}
			compare(t, d, m)
			c := d.CopyTo(other, d.NewSeed())
			compare(t, c, m)
			compareHeld(t, d, mem)
			compareHeld(t, c, other)
			freeInSlices(t, d, rng)
			compare(t, c, m)
			freeInSlices(t, c, rng)
			mem.Close()
			other.Close()
		}
	})
}

// step does one thing to the element of a text, in the Dict and in the model.
func step(t *testing.T, d *Dict, m *model, w words, text string) {
	t.Helper()
	want, had := m.payload[text]
	e, found := d.Find([]byte(text))
	if found != had || found && (string(e.Payload) != want || string(e.Text) != text || e.Mark() != m.mark[text]) {
		t.Fatalf("%q: %.20q, %v, want %.20q, %v", text, e.Payload, found, want, had)
	}
	load, mark := w.load(), w.rng.Uint32N(1<<23)
	if w.rng.IntN(2) == 0 && found {
		e = d.At(e.Ref) // the slot is not known then
	}
	switch n := w.rng.IntN(6); {
	case !found && n < 2:
		d.Insert([]byte(text), []byte(load))
		m.payload[text] = load
	case n < 3:
		switch e, added := d.Add([]byte(text), []byte(load)); {
		case added == had:
			t.Fatalf("%q was added %v, had been there %v", text, added, had)
		case added:
			m.payload[text] = load
		case string(e.Payload) != want:
			t.Fatalf("%q: %.20q, want %.20q", text, e.Payload, want)
		}
	case !found:
	case n == 3:
		if w.payload == Eight {
			d.Keep(e)
			copy(e.Payload, load)
		} else if r := d.Replace(e, []byte(load)); string(d.At(r).Payload) != load {
			t.Fatalf("%q: %.20q, want %.20q", text, d.At(r).Payload, load)
		}
		m.payload[text] = load
	case n == 4 && e.slot != nil:
		d.Keep(e)
		e.SetMark(mark)
		m.mark[text] = mark
	default:
		d.Remove(e)
		delete(m.payload, text)
		delete(m.mark, text)
	}
}

func compare(t *testing.T, d *Dict, m *model) {
	t.Helper()
	if d.Len() != len(m.payload) {
		t.Fatalf("%d elements, want %d", d.Len(), len(m.payload))
	}
	seen := map[string]bool{}
	d.Each(func(e Element) bool {
		text := string(e.Text)
		if want, had := m.payload[text]; seen[text] || !had || string(e.Payload) != want || e.Mark() != m.mark[text] {
			t.Fatalf("%q %.30q was seen, want %.30q", text, e.Payload, want)
		}
		seen[text] = true
		return true
	})
	if len(seen) != len(m.payload) {
		t.Fatalf("%d elements seen, want %d", len(seen), len(m.payload))
	}
}

func compareHeld(t *testing.T, d *Dict, mem *slab.Heap) {
	t.Helper()
	if held := mem.Stats().Held; d.held != held {
		t.Fatalf("%d bytes counted, the heap holds %d", d.held, held)
	}
	if d.Bytes() <= d.held {
		t.Fatalf("%d bytes in all, %d of them in the heap", d.Bytes(), d.held)
	}
}

func freeInSlices(t *testing.T, d *Dict, rng *rand.Rand) {
	t.Helper()
	most := 1 + rng.IntN(100)
	left, calls := d.Len(), 0
	for done := false; !done; calls++ {
		before := d.mem.Stats().Used
		done = d.Free(most)
		if after := d.mem.Stats().Used; !done && after >= before {
			t.Fatalf("a slice freed nothing: %d bytes, then %d", before, after)
		}
	}
	if calls < left/(most+50) {
		t.Errorf("%d elements went in %d calls of %d", left, calls, most)
	}
	if s := d.mem.Stats(); s.Held != 0 || s.Used != 0 {
		t.Errorf("after Free the heap holds %d bytes, %d used", s.Held, s.Used)
	}
}
