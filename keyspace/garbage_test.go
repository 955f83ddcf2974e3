package keyspace

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// load puts n keys, in batches, each with what value gives it.
func (r *rig) load(n int, put func(tx *Tx, i int, key []byte)) {
	r.t.Helper()
	for from := 0; from < n; from += 1000 {
		r.all(0, func(tx *Tx) {
			for i := from; i < min(from+1000, n); i++ {
				put(tx, i, fmt.Appendf(nil, "key:%d", i))
			}
		})
	}
}

func putText(tx *Tx, _ int, key []byte) { tx.PutText(key, []byte("some text"), NoDeadline, "set") }

func (r *rig) flush() { r.all(0, func(tx *Tx) { tx.Flush(0) }) }

// slices sweeps shard 0 to the end and returns in how many slices.
func (r *rig) slices() (n int) {
	r.t.Helper()
	for more := true; more; n++ {
		if !r.shards[0].Garbage() {
			r.t.Fatal("there is garbage, but Garbage says no")
		}
		more = r.shards[0].Sweep()
	}
	if r.shards[0].Garbage() {
		r.t.Fatal("swept, and there is garbage")
	}
	return n
}

// A flushed table goes in slices, what is put meanwhile stays.
func TestSweep(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.load(30_000, putText)
	r.flush()
	r.load(100, putText)
	if n := r.slices(); n < 29_000/freeSlice || n > 2*30_000/freeSlice {
		t.Errorf("swept in %d slices", n)
	}
	if n := r.shards[0].Keys(0); n != 100 {
		t.Errorf("%d keys are left", n)
	}
	r.flush()
	r.wantEmpty()
	if n := r.shards[0].TableBytes(); n != 0 {
		t.Errorf("the tables of nothing take %d bytes", n)
	}
}

// However busy a shard is, and though it never sweeps of itself, garbage
// becomes less with each thing that is put.
func TestWhoPutsSweeps(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.load(20_000, putText)
	most := r.shards[0].mem.Stats().Held
	for range 5 {
		r.flush()
		r.load(20_000, putText)
		if r.shards[0].Garbage() {
			t.Fatal("as many have been put as there was garbage, and there still is")
		}
		if held := r.shards[0].mem.Stats().Held; held > most {
			t.Fatalf("%d bytes are held, %d were", held, most)
		}
	}
}

// A flushed database of big Objects goes in as small slices as one of texts;
// so does a text of many megabytes.
func TestSweepOfBigValues(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	const each, keys = 2000, 50
	r.load(keys, func(tx *Tx, _ int, key []byte) {
		tx.PutObject(key, newPile(tx.MemOf(key), each, 'x'), NoDeadline, "hset")
	})
	r.flush()
	if n := r.slices(); n < each*keys/freeSlice {
		t.Errorf("%d elements swept in %d slices", each*keys, n)
	}
	r.wantEmpty()
	const big = 64 << 20
	r.on(0, func(tx *Tx) { tx.Edit([]byte("k"), Value{}, big, "setrange") }, "k")
	mem := r.shards[0].mem
	r.on(0, func(tx *Tx) { tx.Delete([]byte("k"), "del") }, "k")
	for before := mem.Stats().Resident; r.shards[0].Sweep(); before = mem.Stats().Resident {
		if gone := before - mem.Stats().Resident; gone > 3<<20 {
			t.Fatalf("a slice gave %d bytes back", gone)
		}
	}
	if left := mem.Stats().Resident; left > 2<<20 {
		t.Errorf("%d bytes are resident", left)
	}
}

// A slice of many entries that are large themselves is no longer than others.
func TestSweepOfLargeEntries(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	text := make([]byte, 100<<10)
	r.load(1000, func(tx *Tx, _ int, key []byte) { tx.PutRaw(key, text, NoDeadline, "set") })
	r.flush()
	if n := r.slices(); n < 1000*100/4/(2*freeSlice) {
		t.Errorf("100 MB went in %d slices", n)
	}
	r.wantEmpty()
}

// Nothing is owed by a batch that changes nothing.
func TestReadersDoNotSweep(t *testing.T) {
	t.Parallel()
	r := newRig(t, 1, 1)
	r.load(5000, putText)
	r.flush()
	held := r.shards[0].mem.Stats().Held
	turn := r.turn()
	tx := Begin(turn, r.shards, 1)
	tx.Run(turn, &Execute{Encoder: resp.V2, Requests: []Request{{Do: func(tx *Tx) resp.Reply {
		tx.Lookup([]byte("key:1"))
		return resp.OK
	}}}})
	tx.End(turn)
	if now := r.shards[0].mem.Stats().Held; now != held {
		t.Errorf("a read freed %d bytes", held-now)
	}
}
