package dict

import (
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// A Dict is compacted, a few buckets at a time, while it changes: it holds what
// it should, who keeps references is told of each that changes, and what is
// left takes little more than it would anew.
func TestCompact(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand, payload Payload) {
		mem := slab.New()
		defer mem.Close()
		d, m, w := New(mem, rng.Uint64(), payload), newModel(), words{rng, payload}
		for range 30_000 {
			step(t, d, m, w, w.text(20_000))
		}
		cursor, passes := uint64(0), 0
		compact := func(effort int) {
			if cursor == 0 {
				for !mem.Plan(1) {
				}
			}
			mover := mem.Mover(effort)
			cursor = d.Compact(&mover, cursor, func(e Element, from slab.Ref) {
				if string(d.At(from).Text) != string(e.Text) || string(d.At(from).Payload) != string(e.Payload) {
					t.Errorf("%q was moved and is %q", d.At(from).Text, e.Text)
				}
				if now, _ := d.Find(e.Text); now.Ref != e.Ref || now.Mark() != m.mark[string(e.Text)] {
					t.Errorf("%q is not where it was moved to", e.Text)
				}
			})
			if cursor == 0 {
				passes++
			}
		}
		for text := range m.payload {
			if rng.IntN(10) != 0 {
				e, _ := d.Find([]byte(text))
				d.Remove(e)
				delete(m.payload, text)
				delete(m.mark, text)
			}
			if rng.IntN(10) == 0 {
				compact(1 + rng.IntN(30))
			}
		}
		for range 3 {
			for compact(1 << 20); cursor != 0; compact(1 << 20) {
			}
		}
		compare(t, d, m)
		compareHeld(t, d, mem)
		mem.Trim()
		if s := mem.Stats(); s.Resident > s.Held*6/5+2<<20 {
			t.Errorf("after %d passes: %+v", passes, s)
		}
		anew := d.CopyTo(mem, d.NewSeed())
		if d.Bytes() > anew.Bytes()*5/4 {
			t.Errorf("compacted %d bytes, anew %d", d.Bytes(), anew.Bytes())
		}
	})
}
