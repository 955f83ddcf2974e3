package keyspace

import (
	"bytes"
	"fmt"
	"maps"
	"strings"
)

// The model saves while it goes on changing: what is saved must be what there
// was at the cut, each key once. Large values are piles, which never change but
// are given up, renamed and copied while they are frozen.

// saved is a save that is under way, beside what it has to say.
type saved struct {
	cut   []map[string]entry
	now   int64
	bytes []byte
	done  []bool // by shard: all but large values is saved
}

// saveSome begins a save, or goes on with the one under way.
func (m *model) saveSome() {
	if m.save == nil {
		m.startSave()
		return
	}
	at := m.rng.IntN(len(m.shards))
	sh := m.shards[at]
	m.over([]*Shard{sh}, 0, func(tx *Tx) {
		if !m.save.done[at] {
			m.save.bytes, m.save.done[at] = tx.SaveSome(m.save.bytes, m.rng.IntN(200))
			return
		}
		for whole := false; !whole; {
			m.save.bytes, whole = tx.SaveLarge(m.save.bytes, 100)
		}
	})
	for i, sh := range m.shards {
		if !m.save.done[i] || len(sh.save.large) > 0 {
			return
		}
	}
	m.endSave()
}

func (m *model) startSave() {
	m.set.Kinds[Hash] = &Kind{Type: Hash, Freeze: func(v Value, _ *int64) Frozen { return &frozenPile{pile: v.Object().(*pile), sh: v.sh} }}
	m.save = &saved{now: m.now, done: make([]bool, len(m.shards))}
	for _, keys := range m.dbs {
		m.save.cut = append(m.save.cut, maps.Clone(keys))
	}
	m.all(0, func(tx *Tx) { tx.StartSave(func() Image { return lineImage{} }) })
}

func (m *model) endSave() {
	m.all(0, func(tx *Tx) {
		if _, err := tx.EndSave(); err != nil {
			m.t.Error(err)
		}
	})
	got := readSaved(m, m.save.bytes)
	for db, want := range m.save.cut {
		for _, keys := range []map[string]entry{want, got[db]} {
			maps.DeleteFunc(keys, func(_ string, e entry) bool { return e.deadline >= 0 && e.deadline <= m.save.now })
		}
		if !maps.Equal(got[db], want) {
			m.t.Errorf("database %d is saved as %.2000v, want %.2000v", db, got[db], want)
		}
	}
	for _, sh := range m.shards {
		for i := range sh.dbs {
			for key := range m.dbs[i] {
				if slot, head := (home{sh, &sh.dbs[i]}).find([]byte(key), sh.hash([]byte(key))); slot != nil && head.has(flagKept) {
					m.t.Errorf("%d/%s is still marked as saved", i, key)
				}
			}
		}
	}
	m.save = nil
	m.saves++
}

// readSaved reads what lineImage has written.
func readSaved(m *model, b []byte) (dbs []map[string]entry) {
	for range m.dbs {
		dbs = append(dbs, map[string]entry{})
	}
	db := -1
	for line := range strings.Lines(string(b)) {
		var key string
		var e entry
		if n, _ := fmt.Sscanf(line, "db %d", &db); n == 1 {
			continue
		}
		if _, err := fmt.Sscanf(line, "%q %d %d %q %d %d", &key, &e.typ, &e.enc, &e.text, &e.length, &e.deadline); err != nil {
			m.t.Fatalf("%v: %q", err, line)
		}
		if _, twice := dbs[db][key]; twice {
			m.t.Errorf("%d/%s is saved twice", db, key)
		}
		dbs[db][key] = e
	}
	return dbs
}

// lineImage is an Image: a line for each key.
type lineImage struct{}

func (lineImage) Database(dst []byte, db int) []byte { return fmt.Appendf(dst, "db %d\n", db) }

func (lineImage) Entry(dst []byte, tx *Tx, v Value) []byte {
	e := entry{typ: v.Type(), enc: v.Encoding(), deadline: tx.Deadline(v)}
	switch {
	case v.IsObject():
		p := v.Object().(*pile)
		e.text, e.length = string(p.mark), p.Len()
	case v.Is(String):
		e.text = string(tx.Text(v))
	default:
		e.text = string(v.Packed())
	}
	return appendLine(dst, v.Key(), e)
}

func appendLine(dst, key []byte, e entry) []byte {
	return fmt.Appendf(dst, "%q %d %d %q %d %d\n", key, e.typ, e.enc, e.text, e.length, e.deadline)
}

func (lineImage) Begin(dst []byte, l Large) []byte { return dst }

func (lineImage) Element(dst []byte, l Large, e Element) []byte {
	if p := l.Frozen.(*frozenPile); !bytes.Equal(e.Text, bytes.Repeat([]byte{p.pile.mark}, pileBytes)) {
		panic("an element of a frozen pile has changed")
	}
	return dst
}

func (lineImage) End(dst []byte, l Large) []byte {
	p := l.Frozen.(*frozenPile)
	return appendLine(dst, l.Key, entry{l.Type, l.Encoding, string(p.pile.mark), p.walked, l.Deadline})
}

// frozenPile is a pile being saved.
type frozenPile struct {
	pile   *pile
	sh     *Shard
	walked int
}

func (f *frozenPile) Len() int { return f.pile.Len() }
func (f *frozenPile) Thaw()    {}

func (f *frozenPile) Walk(effort int, visit func(Element)) (done bool) {
	for ; effort > 0 && f.walked < f.pile.Len(); effort-- {
		visit(Element{Text: f.sh.mem.Bytes(f.pile.refs[f.walked], pileBytes)})
		f.walked++
	}
	return f.walked == f.pile.Len()
}
