package keyspace

import (
	"fmt"
	"slices"
	"testing"
)

// Keys that are looked up together are found, missed, counted and traced as
// one after the other, though some of them go meanwhile.
func TestLookupAll(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		r := newRig(t, shards, 1)
		const keys = 3000
		r.load(keys, func(tx *Tx, i int, key []byte) {
			deadline := int64(NoDeadline)
			if i%5 == 0 {
				deadline = r.now + int64(1+i%2)
			}
			if i%3 != 0 {
				tx.PutText(key, fmt.Appendf(nil, "text %d", i), deadline, "set")
			}
		})
		r.now++
		wantHits, wantMisses := int64(0), int64(0)
		r.all(0, func(tx *Tx) {
			for from := 0; from < keys; from += LookupMost {
				var part [][]byte
				for i := range LookupMost {
					part = append(part, fmt.Appendf(nil, "key:%d", from+i-i%2)) // each twice
				}
				var traced []string
				tx.Trace(func(key []byte) { traced = append(traced, string(key)) })
				next := 0
				tx.LookupAll(part, func(i int, v Value) {
					n := from + i - i%2
					there := n%3 != 0 && n < keys && !(n%5 == 0 && n%2 == 0)
					if i != next || v.Missing() == there {
						t.Fatalf("%s, the %dth: missing: %v", part[i], i, v.Missing())
					}
					if there && string(tx.Text(v)) != fmt.Sprint("text ", n) {
						t.Fatalf("%s holds %q", part[i], tx.Text(v))
					}
					if next++; there {
						wantHits++
					} else {
						wantMisses++
					}
				})
				tx.Trace(nil)
				if next != len(part) || !slices.EqualFunc(traced, part, func(a string, b []byte) bool { return a == string(b) }) {
					t.Fatalf("%d of %d visited, traced %q", next, len(part), traced)
				}
			}
		})
		var hits, misses int64
		for _, sh := range r.shards {
			hits, misses = hits+sh.Stats.Hits, misses+sh.Stats.Misses
		}
		if hits != wantHits || misses != wantMisses {
			t.Errorf("%d hits and %d misses, want %d and %d", hits, misses, wantHits, wantMisses)
		}
	}
}

// In a database that never had a key, none is found.
func TestLookupAllOfNothing(t *testing.T) {
	t.Parallel()
	r := newRig(t, 2, 1)
	r.all(0, func(tx *Tx) {
		found := 0
		tx.LookupAll([][]byte{[]byte("a"), []byte("b")}, func(_ int, v Value) {
			if v.Missing() {
				found++
			}
		})
		if found != 2 {
			t.Errorf("%d keys are missing", found)
		}
	})
}
