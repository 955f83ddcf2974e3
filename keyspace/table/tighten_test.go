package table

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// A table that has lost most of its entries is made as small as one that never
// had them, a few buckets at a time, while a scan still returns all that stays.
func TestTighten(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	f := func(most, left int) {
		t.Helper()
		m := newModel(t, fair)
		defer m.tab.Close()
		for len(m.want) < most {
			r := slab.Ref(rnd.Uint64N(refMask) + 1)
			if _, there := m.want[r]; !there {
				m.insert(r, rnd.Uint32N(1<<24))
				m.refs = append(m.refs, r)
			}
		}
		m.drain(left)
		changes, buckets := m.tab.Changes(), m.tab.buckets.Len()
		more := buckets > 1
		seen := m.scan(func() {
			if more {
				more = m.tab.Tighten(1 + rnd.IntN(10))
			}
		})
		for m.tab.Tighten(100) {
		}
		m.check()
		if len(seen) != left {
			t.Errorf("%d entries of %d were seen", len(seen), left)
		}
		n := m.tab.buckets.Len()
		if n > 2 && m.tab.count<<4 < (n-2)*loadTight {
			t.Errorf("%d entries of %d are left in %d buckets", left, most, n)
		}
		if n < buckets && m.tab.Changes() == changes {
			t.Error("slots have moved and nobody can tell")
		}
		m.churn(rnd, 3000, 0.6)
		m.check()
	}
	f(0, 0)
	f(1, 1)
	f(100, 10)
	f(20_000, 2500)
	f(20_000, 11_000)
}
