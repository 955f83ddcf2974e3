package rank

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// move lets an element of the model be at another place.
func (m *model) move(at int) {
	e := &m.want[at]
	to := m.element(e.score, e.text).ref
	m.tree.Move(e.score, e.ref, to)
	delete(m.made, e.ref)
	e.ref = to
}

// Elements and nodes move, at any time, and the order is as it was. What is
// left of a large one takes little more than its nodes then.
func TestCompact(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		m := newModel(t)
		others := New(m.mem, m.tree.text)
		for i := range 20_000 {
			m.insert(float64(rng.IntN(1000)), fmt.Sprint(i))
			others.Append(float64(i), m.want[0].ref)
		}
		for !others.Free(1000) {
		}
		rank := 0
		for len(m.want) > 1000 {
			if m.remove(rng.IntN(len(m.want))); rng.IntN(4) == 0 {
				m.move(rng.IntN(len(m.want)))
			}
			if len(m.want)%1000 == 0 {
				m.check()
			}
			if m.mem.Marked() == 0 {
				m.mem.Plan(1)
				continue
			}
			mover := m.mem.Mover(rng.IntN(20))
			if rank = m.tree.Compact(&mover, rank); rank >= m.tree.Len() {
				rank = 0
			}
		}
		for !m.mem.Plan(1) {
		}
		mover := m.mem.Mover(1 << 30)
		if end := m.tree.Compact(&mover, 0); end != m.tree.Len() {
			t.Errorf("it ends at %d of %d", end, m.tree.Len())
		}
		m.check()
		m.mem.Trim()
		if s := m.mem.Stats(); s.Resident > s.Held+64<<10 {
			t.Errorf("compacted: %+v", s)
		}
		var none slab.Ref
		if m.tree.root == none {
			t.Error("nothing is left")
		}
	})
}
