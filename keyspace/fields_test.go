package keyspace

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// A type whose values are nothing but the deadlines of their fields, 8 bytes
// each, stands for hashes here.
var fieldKind = Kind{Type: Hash, Len: func(v Value) (n int) {
	for _, when := range fieldsOf(v.Packed()) {
		if when > v.Past() {
			n++
		}
	}
	return n
}, Expire: func(tx *Tx, v Value, now int64, effort int) (took int) {
	key, left := bytes.Clone(v.Key()), []int64(nil)
	for _, when := range fieldsOf(v.Packed()) {
		if took == effort || when > now {
			left = append(left, when)
		} else {
			took++
		}
	}
	if tx.Also(key, "hexpired"); len(left) == 0 {
		tx.Remove(v, "del")
	} else {
		putFields(tx, key, left)
	}
	return took
}}

func fieldsOf(packed []byte) (list []int64) {
	for ; len(packed) > 0; packed = packed[8:] {
		list = append(list, int64(binary.LittleEndian.Uint64(packed)))
	}
	return list
}

// putFields makes key a value of fields with these deadlines, and says when
// the first ends.
func putFields(tx *Tx, key []byte, list []int64) {
	var packed []byte
	for _, when := range list {
		packed = binary.LittleEndian.AppendUint64(packed, uint64(when))
	}
	tx.PutPacked(key, Packed{Hash, Listpack, packed}, KeepDeadline, "hset")
	tx.ExpireFields(key, slices.Min(list))
}

func newFieldRig(t *testing.T, shards, databases int) *rig {
	r := newRig(t, shards, databases)
	r.set.Kinds[Hash] = &fieldKind
	return r
}

// Fields go at their deadline with nobody looking, and when someone looks; the
// key goes with its last one, and whoever watches it is told each time.
func TestFieldsExpire(t *testing.T) {
	t.Parallel()
	r := newFieldRig(t, 1, 1)
	e := &ear{}
	r.all(0, func(tx *Tx) {
		putFields(tx, []byte("h"), []int64{r.now + 10, r.now + 20, r.now + 30})
		tx.Watch([]byte("h"), e)
	})
	f := func(after int64, due bool, want int, events string, told int) {
		t.Helper()
		r.now += after
		before := len(e.versions)
		if due {
			r.expireDue()
		} else {
			r.all(0, func(tx *Tx) { tx.Lookup([]byte("h")) })
		}
		r.wantEvents(events)
		r.all(0, func(tx *Tx) {
			v := tx.Peek([]byte("h"))
			if v.Missing() != (want == 0) || want > 0 && len(fieldsOf(v.Packed())) != want {
				t.Errorf("missing: %v, want %d fields", v.Missing(), want)
			}
		})
		if got := len(e.versions) - before; got != told {
			t.Errorf("told %d times, want %d", got, told)
		}
		checkOrders(t, r.shards[0])
	}
	f(9, true, 3, "", 0)
	f(1, true, 2, "hexpired h@0, hset h@0", 1)
	f(9, false, 2, "", 0)
	f(1, false, 1, "hexpired h@0, hset h@0", 1)
	if when, ok := r.shards[0].NextDeadline(); !ok || when != r.now+10 {
		t.Errorf("the nearest deadline is %d, %v, want %d", when, ok, r.now+10)
	}
	f(10, true, 0, "hexpired h@0, del h@0", 1)
	r.wantEmpty()
}

// Many fields of one value go in slices, though the key stays.
func TestFieldsExpireInSlices(t *testing.T) {
	t.Parallel()
	r := newFieldRig(t, 1, 1)
	list := []int64{r.now + 100}
	for range 10 * expireSlice {
		list = append(list, r.now+1)
	}
	r.all(0, func(tx *Tx) { putFields(tx, []byte("h"), list) })
	r.now++
	slices := 1
	for r.expireSlice(r.shards[0]) {
		slices++
	}
	if slices < 10 || slices > 12 {
		t.Errorf("%d fields went in %d slices", len(list)-1, slices)
	}
	r.all(0, func(tx *Tx) {
		if left := fieldsOf(tx.Peek([]byte("h")).Packed()); len(left) != 1 {
			t.Errorf("%d fields are left", len(left))
		}
	})
}

// An entry takes memory for its fields' deadlines while it has such, only.
func TestFieldsTakeNothingFromOthers(t *testing.T) {
	t.Parallel()
	r := newFieldRig(t, 1, 1)
	packed := func(tx *Tx) {
		tx.PutPacked([]byte("h"), Packed{Hash, Listpack, make([]byte, 40)}, KeepDeadline, "hset")
	}
	var before, between, after int64
	r.all(0, func(tx *Tx) {
		packed(tx)
		before = tx.Peek([]byte("h")).Bytes()
		tx.ExpireFields([]byte("h"), r.now+5)
		between = tx.Peek([]byte("h")).Bytes()
		tx.ExpireFields([]byte("h"), NoDeadline)
		after = tx.Peek([]byte("h")).Bytes()
	})
	if before != after || between != before+bytesPerDeadline && between != before+bytesPerDeadline+8 {
		t.Errorf("%d bytes, with fields that end %d, and without again %d", before, between, after)
	}
}

// Whatever becomes of values whose fields end, each has exactly its own place
// in the order, and ends as the model does.
func TestFieldsAgainstModel(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	rng := rand.New(rand.NewPCG(seed, 77))
	for range 30 {
		r := newFieldRig(t, 1+rng.IntN(3), 2)
		m := fieldModel{r, rng, [2]map[string][]int64{{}, {}}, &ear{}}
		for range 300 {
			m.step()
			m.compare()
			for _, sh := range r.shards {
				checkOrders(t, sh)
			}
			if t.Failed() {
				t.Fatalf("seed=%d", seed)
			}
		}
		r.all(0, func(tx *Tx) { tx.Flush(0, 1) })
		r.wantEmpty()
	}
}

// fieldModel is what TestFieldsAgainstModel expects, by database and key.
type fieldModel struct {
	*rig
	rng *rand.Rand
	dbs [2]map[string][]int64
	ear *ear
}

// step does one thing to a key, here and there.
func (m *fieldModel) step() {
	db, to := m.rng.IntN(2), m.rng.IntN(2)
	name, other := fmt.Sprint("k", m.rng.IntN(5)), fmt.Sprint("k", m.rng.IntN(5))
	key, dst := []byte(name), []byte(other)
	_, exists := m.dbs[db][name]
	m.all(db, func(tx *Tx) {
		switch n := m.rng.IntN(12); {
		case n < 3:
			var list []int64
			for range 1 + m.rng.IntN(6) {
				list = append(list, m.now+1+int64(m.rng.IntN(50)))
			}
			putFields(tx, key, list)
			m.dbs[db][name] = list
		case n == 3:
			tx.PutText(key, []byte("text"), NoDeadline, "set")
			m.dbs[db][name] = []int64{1 << 50}
		case n == 4:
			tx.Delete(key, "del")
			delete(m.dbs[db], name)
		case n == 5:
			tx.Watch(key, m.ear)
		case n == 6:
			tx.Unwatch(key, m.ear)
		case n == 7 && exists && (db != to || name != other):
			tx.Copy(tx.Peek(key), dst, to, "copy_to")
			m.dbs[to][other] = m.dbs[db][name]
		case n == 8 && exists && (db != to || name != other):
			tx.Rename(key, dst, to, Transfer{"rename_from", "rename_to"})
			m.dbs[to][other] = m.dbs[db][name]
			delete(m.dbs[db], name)
		case n == 9 && exists:
			tx.Expire(tx.Peek(key), []int64{m.now + 1000, NoDeadline}[m.rng.IntN(2)], "expire")
		case n == 10:
			tx.SwapDB(0, 1)
			m.dbs[0], m.dbs[1] = m.dbs[1], m.dbs[0]
		}
	})
	m.pass(int64(m.rng.IntN(12)))
}

// pass lets time go by.
func (m *fieldModel) pass(ms int64) {
	m.now += ms
	for _, keys := range m.dbs {
		for key, list := range keys {
			left := slices.DeleteFunc(slices.Clone(list), func(when int64) bool { return when <= m.now })
			if keys[key] = left; len(left) == 0 {
				delete(keys, key)
			}
		}
	}
	if m.rng.IntN(2) == 0 {
		m.expireDue()
	}
}

func (m *fieldModel) compare() {
	for db, keys := range m.dbs {
		m.all(db, func(tx *Tx) {
			walked := 0
			tx.Each(func(v Value) bool {
				walked++
				if want := keys[string(v.Key())]; v.Is(Hash) && fieldKind.Len(v) != len(want) {
					m.t.Errorf("%s in %d has %d fields, want %d", v.Key(), db, fieldKind.Len(v), len(want))
				}
				return true
			})
			if walked != len(keys) {
				m.t.Errorf("%d keys were walked through, want %d", walked, len(keys))
			}
			for i := range 5 {
				name := fmt.Sprint("k", i)
				v, want := tx.Peek([]byte(name)), keys[name]
				if v.Missing() != (want == nil) {
					m.t.Errorf("%s in %d is missing: %v, want %v", name, db, v.Missing(), want)
					continue
				}
				if v.Is(Hash) && !slices.Equal(fieldsOf(v.Packed()), want) {
					m.t.Errorf("%s in %d holds %v, want %v", name, db, fieldsOf(v.Packed()), want)
				}
			}
		})
	}
}
