package keyspace

import (
	"fmt"
	"testing"
)

func TestParseCursor(t *testing.T) {
	t.Parallel()
	f := func(word string, want uint64, wantOK bool) {
		t.Helper()
		if got, ok := ParseCursor([]byte(word)); ok != wantOK || ok && got != want {
			t.Errorf("%q is %d, %v", word, got, ok)
		}
	}
	f("0", 0, true)
	f("", 0, true)
	f("18446744073709551615", 1<<64-1, true)
	f("18446744073709551616", 0, false)
	f("-1", 1<<64-1, true)
	f("+7", 7, true)
	f("007", 7, true)
	f("-", 0, false)
	f("+", 0, false)
	f(" 1", 0, false)
	f("1 ", 0, false)
	f("x", 0, false)
	f("0x1", 0, false)
	f("1_0", 0, false)
}

// A walk through several shards, one at hand at a time, finds what is there
// from begin to end, though the keyspace grows and shrinks meanwhile.
func TestScanWhileChanging(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 4} {
		r := newRig(t, shards, 1)
		for i := range 300 {
			r.put(0, fmt.Sprint("stays:", i), "v")
		}
		found := map[string]bool{}
		cursor, calls := uint64(0), 0
		for {
			held := []*Shard{r.shards[CursorShard(cursor, shards)]}
			r.over(held, 0, func(tx *Tx) {
				if !tx.AtHand(cursor) {
					t.Fatalf("the shard of cursor %d is not at hand", cursor)
				}
				cursor = tx.Scan(cursor, func(v Value) { found[string(v.Key())] = true })
			})
			if cursor == 0 {
				break
			}
			for i := range 20 {
				key := fmt.Sprint("comes:", calls/10*20+i)
				if calls/10%2 == 0 {
					r.put(0, key, "v")
				} else {
					r.on(0, func(tx *Tx) { tx.Delete([]byte(key), "del") }, key)
				}
			}
			calls++
		}
		for i := range 300 {
			if !found[fmt.Sprint("stays:", i)] {
				t.Errorf("%d shards: key %d is not found", shards, i)
			}
		}
	}
}

// Random reaches every key, and none that is past its end.
func TestRandom(t *testing.T) {
	t.Parallel()
	r := newRig(t, 4, 1)
	f := func(want int) {
		t.Helper()
		found := map[string]bool{}
		for range 2000 {
			r.all(0, func(tx *Tx) {
				if v := tx.Random(); !v.Missing() {
					found[string(v.Key())] = true
				}
			})
		}
		if len(found) != want {
			t.Errorf("found %d keys, want %d: %v", len(found), want, found)
		}
	}
	f(0)
	for i := range 500 {
		r.on(0, func(tx *Tx) { tx.PutInt(fmt.Append(nil, i), 1, r.now+1, "set") }, fmt.Sprint(i))
	}
	r.now++
	f(0)
	r.put(0, "the only one", "v")
	f(1)
	for i := range 50 {
		r.put(0, fmt.Sprint("key:", i), "v")
	}
	r.expireDue()
	f(51)
}
