package keyspace

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// A keyspace of one, three and sixteen shards does, under random changes of
// every kind, what a Go map does: values, encodings, deadlines, who is told.
func TestShardsAsMap(t *testing.T) {
	t.Parallel()
	t.Logf("-seed %d", *seedFlag)
	for _, shards := range []int{1, 3, 16} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			t.Parallel()
			m := &model{
				rig: newRig(t, shards, 3),
				rng: rand.New(rand.NewPCG(*seedFlag, uint64(shards))),
				ear: map[place]*ear{},
			}
			for range m.rig.shards[0].Databases() {
				m.dbs = append(m.dbs, map[string]entry{})
			}
			for step := range 12000 {
				m.step(step)
			}
			for m.save != nil {
				m.saveSome()
			}
			m.empty()
			if m.saves < 10 {
				t.Errorf("%d saves were done", m.saves)
			}
		})
	}
}

// entry is what a key holds. A pile is told by its mark and length.
type entry struct {
	typ      Type
	enc      Encoding
	text     string
	length   int
	deadline int64
}

type place struct {
	db  int
	key string
}

// some stands, among the places changed, for any that nobody watches.
var some = place{db: -1}

// model is the map, beside the keyspace that is to be like it.
type model struct {
	*rig
	rng     *rand.Rand
	dbs     []map[string]entry
	ear     map[place]*ear
	changed map[place]bool // by the present step, if told
	save    *saved         // that is under way
	saves   int            // that are done
}

func (m *model) key() string {
	n := m.rng.IntN(60)
	if n == 0 {
		return strings.Repeat("long key ", 40)
	}
	return fmt.Sprintf("key:%d", n)
}

func (m *model) text() []byte {
	n := m.rng.IntN(60)
	switch m.rng.IntN(20) {
	case 0:
		n = m.rng.IntN(600)
	case 1:
		n = m.rng.IntN(50000)
	case 2:
		n = 0
	}
	b := make([]byte, n)
	for i := range b {
		b[i] = byte('a' + m.rng.IntN(26))
	}
	return b
}

// deadline is none, or as it was, or soon, or past.
func (m *model) deadline() int64 {
	switch m.rng.IntN(4) {
	case 0:
		return KeepDeadline
	case 1:
		return m.now + m.rng.Int64N(2000) - 20
	}
	return NoDeadline
}

// due takes a key away that is past its deadline, as each look at it does.
func (m *model) due(db int, key string) {
	if e, ok := m.dbs[db][key]; ok && e.deadline >= 0 && e.deadline <= m.now {
		delete(m.dbs[db], key)
		m.changed[place{db, key}] = true
	}
}

// put is the model's side of a write.
func (m *model) put(db int, key string, e entry) {
	m.due(db, key)
	if e.deadline == KeepDeadline {
		e.deadline = NoDeadline
		if old, ok := m.dbs[db][key]; ok {
			e.deadline = old.deadline
		}
	}
	m.dbs[db][key] = e
	m.changed[place{db, key}] = true
}

func (m *model) step(step int) {
	m.changed = map[place]bool{}
	db, key := m.rng.IntN(len(m.dbs)), m.key()
	before := m.version
	m.act(db, key)
	m.check(db, key)
	m.saveSome()
	m.compactSome()
	for p, e := range m.ear {
		if got := e.heard(m.t, m.version); got != m.changed[p] {
			m.t.Errorf("step %d: of %v told %v, want %v", step, p, got, m.changed[p])
		}
	}
	if changed := len(m.changed) > 0; changed != (m.version > before) && !m.t.Failed() {
		m.t.Errorf("step %d: changed %v, version %d after %d", step, changed, m.version, before)
	}
	if step%200 == 0 {
		m.checkAll()
	}
	if m.t.Failed() {
		m.t.FailNow()
	}
}

// act does one random thing to both sides.
func (m *model) act(db int, key string) {
	switch n := m.rng.IntN(100); {
	case n < 40:
		m.write(db, key)
	case n < 48:
		m.edit(db, key)
	case n < 56:
		m.due(db, key)
		if _, ok := m.dbs[db][key]; ok {
			delete(m.dbs[db], key)
			m.changed[place{db, key}] = true
		}
		m.on(db, func(tx *Tx) { tx.Delete([]byte(key), "del") }, key)
	case n < 66:
		m.expire(db, key)
	case n < 76:
		m.transfer(db, key)
	case n < 84:
		m.watch(db, key)
	case n < 97:
		m.now += m.rng.Int64N(100)
	case n < 98:
		m.wholesale(db)
	default:
		m.tick()
	}
}

// write makes the key hold something else.
func (m *model) write(db int, key string) {
	text, deadline, k := m.text(), m.deadline(), []byte(key)
	switch m.rng.IntN(5) {
	case 0:
		enc := Raw
		if len(text) <= EmbstrMax {
			enc = Embstr
		}
		m.put(db, key, entry{String, enc, string(text), 0, deadline})
		m.on(db, func(tx *Tx) { tx.PutText(k, text, deadline, "set") }, key)
	case 1:
		n := m.rng.Int64()>>m.rng.IntN(64) - 1
		m.put(db, key, entry{String, Int, fmt.Sprint(n), 0, deadline})
		m.on(db, func(tx *Tx) { tx.PutText(k, fmt.Append(nil, n), deadline, "set") }, key)
	case 2:
		m.put(db, key, entry{String, Raw, string(text), 0, deadline})
		m.on(db, func(tx *Tx) { tx.PutRaw(k, text, deadline, "set") }, key)
	case 3:
		m.put(db, key, entry{Hash, Listpack, string(text), 0, deadline})
		m.on(db, func(tx *Tx) { tx.PutPacked(k, Packed{Hash, Listpack, text}, deadline, "hset") }, key)
	case 4:
		n, mark := m.rng.IntN(20), byte(m.rng.IntN(256))
		if m.rng.IntN(10) == 0 {
			n = freeSlice + m.rng.IntN(2*freeSlice)
		}
		m.put(db, key, entry{Hash, HashTable, string(mark), n, deadline})
		m.on(db, func(tx *Tx) { tx.PutObject(k, newPile(tx.MemOf(k), n, mark), deadline, "hset") }, key)
	}
}

// edit changes a String's length in place, or makes one.
func (m *model) edit(db int, key string) {
	m.due(db, key)
	e, ok := m.dbs[db][key]
	if ok && e.typ != String {
		return
	}
	if !ok {
		e.deadline = NoDeadline
	}
	n := len(m.text())
	e.typ, e.enc = String, Raw
	e.text = (e.text + strings.Repeat("\x00", max(0, n-len(e.text))))[:n]
	m.put(db, key, e)
	m.on(db, func(tx *Tx) {
		k := []byte(key)
		if got := tx.Edit(k, tx.Find(k), n, "setrange"); len(got) != n {
			m.t.Errorf("Edit gave %d bytes, want %d", len(got), n)
		}
	}, key)
}

func (m *model) expire(db int, key string) {
	m.due(db, key)
	deadline := max(m.deadline(), NoDeadline)
	if e, ok := m.dbs[db][key]; ok {
		e.deadline = deadline
		m.put(db, key, e)
		m.dbs[db][key] = e // even if that is past already
	}
	m.on(db, func(tx *Tx) {
		if v := tx.Peek([]byte(key)); !v.Missing() {
			tx.Expire(v, deadline, "expire")
		}
	}, key)
}

// transfer copies or renames a key, to another database or not.
func (m *model) transfer(db int, key string) {
	dst, dstDB, rename := m.key(), m.rng.IntN(len(m.dbs)), m.rng.IntN(2) == 0
	if dst == key && dstDB == db {
		return
	}
	m.due(db, key)
	e, ok := m.dbs[db][key]
	if ok {
		m.put(dstDB, dst, e)
		if rename {
			delete(m.dbs[db], key)
			m.changed[place{db, key}] = true
		}
	}
	m.on(db, func(tx *Tx) {
		switch v := tx.Find([]byte(key)); {
		case v.Missing():
		case rename:
			tx.Rename([]byte(key), []byte(dst), dstDB, Transfer{"rename_from", "rename_to"})
		default:
			tx.Copy(v, []byte(dst), dstDB, "copy_to")
		}
	}, key, dst)
}

func (m *model) watch(db int, key string) {
	p := place{db, key}
	e := m.ear[p]
	if e == nil {
		e = &ear{}
		m.ear[p] = e
		m.on(db, func(tx *Tx) { tx.Watch([]byte(key), e) }, key)
		return
	}
	delete(m.ear, p)
	m.on(db, func(tx *Tx) { tx.Unwatch([]byte(key), e) }, key)
}

// wholesale flushes a database, or swaps it with another.
func (m *model) wholesale(db int) {
	other := m.rng.IntN(len(m.dbs))
	if other == db {
		m.tellExisting(db)
		if len(m.dbs[db]) > 0 {
			m.changed[some] = true
		}
		m.dbs[db] = map[string]entry{}
		m.all(other, func(tx *Tx) { tx.Flush(db) })
		return
	}
	for _, i := range []int{db, other} {
		m.tellExisting(i)
	}
	m.dbs[db], m.dbs[other] = m.dbs[other], m.dbs[db]
	for _, i := range []int{db, other} {
		m.tellExisting(i)
	}
	m.changed[some] = true // a swap is a change though both are empty
	m.all(0, func(tx *Tx) { tx.SwapDB(db, other) })
}

// tellExisting counts what a database holds, and is not past its deadline, as
// changed.
func (m *model) tellExisting(db int) {
	for key, e := range m.dbs[db] {
		if e.deadline < 0 || e.deadline > m.now {
			m.changed[place{db, key}] = true
		}
	}
}

// tick is the expiry of all that is due; each key has a version of its own.
func (m *model) tick() {
	before, gone := m.version, uint64(0)
	for db := range m.dbs {
		for _, key := range slices.Sorted(maps.Keys(m.dbs[db])) {
			n := len(m.changed)
			m.due(db, key)
			gone += uint64(len(m.changed) - n)
		}
	}
	m.expireDue()
	if m.version != before+gone {
		m.t.Errorf("%d keys are gone with %d versions", gone, m.version-before)
	}
	for p, e := range m.ear {
		if len(e.versions) == 1 == m.changed[p] {
			e.versions = nil
		}
		delete(m.changed, p)
	}
	if gone > 0 {
		m.changed[some] = true
	}
}

// check looks at a key from outside.
func (m *model) check(db int, key string) {
	want, exists := m.dbs[db][key]
	if exists && want.deadline >= 0 && want.deadline <= m.now {
		return // it would go now, which is a step of its own
	}
	m.on(db, func(tx *Tx) {
		v := tx.Peek([]byte(key))
		if v.Missing() == exists {
			m.t.Errorf("%d/%s: missing is %v", db, key, v.Missing())
		} else if exists {
			m.same(tx, v, want)
		}
	}, key)
}

func (m *model) same(tx *Tx, v Value, want entry) {
	got := entry{typ: v.Type(), enc: v.Encoding(), deadline: tx.Deadline(v)}
	if v.IsObject() {
		p := v.Object().(*pile)
		got.text, got.length = string(p.mark), p.Len()
		if !p.intact(v.Mem()) {
			m.t.Errorf("%s: the elements have changed", v.Key())
		}
	} else if v.Is(String) {
		got.text = string(tx.Text(v))
	} else {
		got.text = string(v.Packed())
	}
	if got != want {
		m.t.Errorf("%s is %.200v, want %.200v", v.Key(), got, want)
	}
}

// checkAll looks at everything, by walking and scanning.
func (m *model) checkAll() {
	for db, keys := range m.dbs {
		live := map[string]bool{}
		for key, e := range keys {
			m.check(db, key)
			if e.deadline < 0 || e.deadline > m.now {
				live[key] = true
			}
		}
		m.all(db, func(tx *Tx) {
			if tx.Len() != len(keys) {
				m.t.Errorf("database %d has %d keys, want %d", db, tx.Len(), len(keys))
			}
			walked, scanned := map[string]bool{}, map[string]bool{}
			tx.Each(func(v Value) bool { walked[string(v.Key())] = true; return true })
			for cursor := uint64(0); ; {
				if cursor = tx.Scan(cursor, func(v Value) { scanned[string(v.Key())] = true }); cursor == 0 {
					break
				}
			}
			if !maps.Equal(walked, live) || !maps.Equal(scanned, live) {
				m.t.Errorf("database %d: walked %v, scanned %v, want %v", db, walked, scanned, live)
			}
			if v := tx.Random(); v.Missing() != (len(live) == 0) || !v.Missing() && !live[string(v.Key())] {
				m.t.Errorf("Random is missing: %v", v.Missing())
			}
		})
	}
	m.checkDeadlines()
}

func (m *model) checkDeadlines() {
	nearest, expiring := int64(-1), 0
	for _, keys := range m.dbs {
		for _, e := range keys {
			if e.deadline >= 0 {
				expiring++
				if nearest < 0 || e.deadline < nearest {
					nearest = e.deadline
				}
			}
		}
	}
	got, count := int64(-1), 0
	for _, sh := range m.shards {
		checkOrders(m.t, sh)
		if when, ok := sh.NextDeadline(); ok && (got < 0 || when < got) {
			got = when
		}
		for db := range m.dbs {
			count += sh.Expiring(db)
		}
	}
	if got != nearest || count != expiring {
		m.t.Errorf("%d deadlines, the nearest %d; want %d and %d", count, got, expiring, nearest)
	}
}

// empty deletes all, by all ways in turn, and demands that nothing is left.
func (m *model) empty() {
	m.all(0, func(tx *Tx) { tx.Flush(0) })
	for key := range m.dbs[1] {
		m.on(1, func(tx *Tx) { tx.Delete([]byte(key), "del") }, key)
	}
	for key := range m.dbs[2] {
		m.on(2, func(tx *Tx) {
			if v := tx.Peek([]byte(key)); !v.Missing() {
				tx.Expire(v, m.now+1, "expire")
			}
		}, key)
	}
	m.now += 10
	m.expireDue()
	m.wantEmpty()
	for p, e := range m.ear {
		m.on(p.db, func(tx *Tx) { tx.Unwatch([]byte(p.key), e) }, p.key)
	}
	for _, sh := range m.shards {
		for db := range m.dbs {
			if sh.WatchedKeys() != 0 || sh.Keys(db) != 0 {
				m.t.Errorf("shard %d, database %d: %d keys and %d watched ones are left", sh.id, db, sh.Keys(db), sh.WatchedKeys())
			}
		}
	}
}
