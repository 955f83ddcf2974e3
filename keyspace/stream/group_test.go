package stream

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

// rig is a stream with a group, and what is to be in them.
type rig struct {
	t       *testing.T
	rng     *rand.Rand
	mem     *slab.Heap
	s       *stream
	g       *group
	lim     limits
	entries []ID
	owner   map[ID]string // of what is pending
	got     map[ID]int    // how often an entry was delivered as new
	acked   map[ID]bool
	last    ID
}

func newRig(t *testing.T, rng *rand.Rand) *rig {
	mem := slab.New()
	t.Cleanup(mem.Close)
	r := &rig{t: t, rng: rng, mem: mem, s: newStream(mem), lim: limits{4096, []int{1, 3, 100}[rng.IntN(3)]},
		owner: map[ID]string{}, got: map[ID]int{}, acked: map[ID]bool{}}
	r.g, _ = r.s.addGroup([]byte("g"), ID{}, 0)
	return r
}

// each entry is delivered as new to one consumer only, once; until it is
// acknowledged, or its consumer goes, it is pending with exactly one: whatever
// is claimed, deleted, trimmed, copied, or started again.
func TestEachEntryHasOneConsumer(t *testing.T) {
	t.Parallel()
	seed := uint64(time.Now().UnixNano())
	for range 40 {
		seed++
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			r := newRig(t, rand.New(rand.NewPCG(seed, 7)))
			for range 2000 {
				r.step()
			}
			r.check()
			r.s.Free(r.mem, math.MaxInt)
			if held := r.mem.Stats().Held; held != 0 || r.s.held != 0 && len(r.s.chunks) > 0 {
				t.Errorf("%d bytes are held by a freed stream", held)
			}
		})
	}
}

func (r *rig) consumer() *consumer {
	c, _ := r.g.addConsumer([]byte{byte('a' + r.rng.IntN(5))}, 0)
	return c
}

// some is an ID that there was, mostly.
func (r *rig) some() ID { return ID{uint64(r.rng.IntN(int(r.last.Time) + 1)), uint64(r.rng.IntN(3))} }

func (r *rig) step() {
	switch r.rng.IntN(16) {
	case 0, 1, 2, 3, 4:
		r.last = ID{r.last.Time + uint64(r.rng.IntN(2)), r.last.Seq + 1}
		if r.rng.IntN(3) == 0 {
			r.last = ID{r.last.Time + 1, 0}
		}
		fields := [][]byte{[]byte("name"), make([]byte, r.rng.IntN(200))}
		if r.rng.IntN(4) == 0 {
			fields = append(fields, []byte("more"), nil)
		}
		r.s.append(&fresh{id: r.last, fields: fields}, r.lim)
		r.entries = append(r.entries, r.last)
	case 5, 6, 7, 8:
		r.read()
	case 9:
		id := r.some()
		at, found := slices.BinarySearchFunc(r.entries, id, ID.compare)
		if removed := r.s.remove(id); removed != found {
			r.t.Fatalf("remove %s: %v, want %v", id, removed, found)
		} else if removed {
			r.entries = slices.Delete(r.entries, at, at+1)
			r.s.bound()
		}
	case 10:
		stay := r.rng.IntN(len(r.entries) + 5)
		r.s.trim(&trim{by: byLength, length: int64(stay)})
		r.entries = r.entries[max(0, len(r.entries)-stay):]
	case 11:
		from := r.some()
		r.s.trim(&trim{by: byID, from: from})
		at, _ := slices.BinarySearchFunc(r.entries, from, ID.compare)
		r.entries = r.entries[at:]
	case 12, 13:
		r.acknowledge()
	case 14:
		r.claim()
	default:
		r.rare()
	}
	if r.rng.IntN(50) == 0 {
		r.check()
	}
}

// read delivers what is new to a consumer.
func (r *rig) read() {
	c := r.consumer()
	w := r.s.walk(r.g.last.after())
	w.goOn(&r.g.come, r.g.last)
	w.entries(nil, int64(1+r.rng.IntN(5)), func(id ID) {
		r.s.advance(r.g, id)
		r.g.deliver(id, c, 0)
		if r.got[id]++; r.got[id] > 1 {
			r.t.Fatalf("%s was delivered twice", id)
		}
		r.owner[id] = c.name
	})
	r.g.come = w.mark(r.g.last)
}

func (r *rig) acknowledge() {
	id := r.some()
	_, want := r.owner[id]
	if got := r.g.acknowledge(id); got != want {
		r.t.Fatalf("acknowledge %s: %v, want %v", id, got, want)
	}
	delete(r.owner, id)
	r.acked[id] = r.acked[id] || want
}

func (r *rig) claim() {
	c := r.consumer()
	if d := r.g.pending.get(r.some()); d != nil {
		r.g.give(d, c)
		r.owner[d.id] = c.name
	}
}

// rare is a consumer that goes with what it has, or a copy of all.
func (r *rig) rare() {
	if r.rng.IntN(2) == 0 {
		name := r.consumer().name
		n := r.g.removeConsumer([]byte(name))
		for id, owner := range r.owner {
			if owner == name {
				delete(r.owner, id)
				n--
			}
		}
		if n != 0 {
			r.t.Fatalf("consumer %s had %d more than it should", name, n)
		}
		return
	}
	c := r.s.Copy(r.mem, r.mem).(*stream)
	r.s.Free(r.mem, math.MaxInt)
	r.s, r.g = c, c.groups[0]
}

// check compares all.
func (r *rig) check() {
	r.t.Helper()
	for _, reverse := range []bool{false, true} {
		var got []ID
		w := walk{reverse: reverse}
		w.begin(r.s, interval{ID{}, maxID})
		for e, ok := w.next(); ok; e, ok = w.next() {
			got = append(got, e.id)
		}
		if reverse {
			slices.Reverse(got)
		}
		if !slices.Equal(got, r.entries) || r.s.length != len(r.entries) {
			r.t.Fatalf("entries (reverse %v) %v\nwant %v, length %d", reverse, got, r.entries, r.s.length)
		}
	}
	pending := map[ID]string{}
	var before ID
	r.g.pending.from(ID{}, func(d *delivery) bool {
		if len(pending) > 0 && !before.less(d.id) {
			r.t.Fatalf("%s is pending after %s", d.id, before)
		}
		before = d.id
		pending[d.id] = r.g.owner(d).name
		return true
	})
	held := 0
	for _, c := range r.g.consumers {
		c.pending.from(ID{}, func(id *ID) bool {
			if held++; pending[*id] != c.name {
				r.t.Fatalf("%s has %s, which is %q's", c.name, id, pending[*id])
			}
			return true
		})
	}
	if len(pending) != len(r.owner) || held != len(pending) || r.g.pending.length != len(pending) {
		r.t.Fatalf("%d are pending, %d with consumers; want %d", len(pending), held, len(r.owner))
	}
	for id, owner := range r.owner {
		if pending[id] != owner {
			r.t.Fatalf("%s is %q's, want %q", id, pending[id], owner)
		}
	}
}

// An ID that is read is written as one that is read again as the same.
func FuzzID(f *testing.F) {
	for _, s := range []string{"0", "1-1", "18446744073709551615-18446744073709551615", "-", " 1-+2", "1--1", "1-\x00", "(5"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, word []byte) {
		id, ok := parseID(word, 7)
		if !ok {
			return
		}
		if again, ok := parseID([]byte(id.String()), 0); !ok || again != id {
			t.Errorf("%q is %s, and that %s", word, id, again)
		}
		if next, ok := id.next(); ok {
			if back, _ := next.prev(); back != id || !id.less(next) {
				t.Errorf("before %s, which is after %s, is %s", next, id, back)
			}
		}
	})
}
