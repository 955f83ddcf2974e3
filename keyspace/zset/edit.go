package zset

import (
	"math"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/pack"
)

// packedMax bounds a packed sorted set whatever the settings allow, in bytes,
// since every change may move all of it.
const packedMax = 16 << 20

// memberMax bounds a member, in bytes: a slab heap allocates 1 GB at once.
const memberMax = 1<<30 - pack.LengthMax - 8

// TooLong reports whether a member is more than can be kept.
func TooLong(member []byte) bool { return len(member) > memberMax }

// How says what Add may do, in ZADD's terms.
type How uint8

// The options of ZADD that say so. Any of NX, XX, GT and LT may hold a change
// back; Incr adds to the score that there is.
const (
	NX How = 1 << iota
	XX
	GT
	LT
	Incr
)

// Outcome is what Add has done.
type Outcome struct {
	Added, Updated bool
	Held           bool // back, by an option
	NaN            bool // the sum would be no number, and nothing was done
	Score          float64
}

// Changed reports whether there is something to Save.
func (o Outcome) Changed() bool { return o.Added || o.Updated }

// Edit is a sorted set while a command changes it. The changes are the key's
// after Save, which tells of them as one. What takes less room than before is
// written where it is; else a packed sorted set is copied to the turn's buffer.
type Edit struct {
	Members
	tx      *keyspace.Tx
	key     []byte
	v       keyspace.Value
	drafted bool // packed is in the turn's buffer
}

// Open begins to change the sorted set of a key, which may be missing. If ok
// is false, the key holds something else.
func Open(tx *keyspace.Tx, key []byte) (e Edit, ok bool) {
	v := tx.Find(key)
	if !v.Missing() && !v.Is(keyspace.SortedSet) {
		return Edit{}, false
	}
	return Edit{Members: membersOf(v), tx: tx, key: key, v: v}, true
}

// Add gives a member a score, or adds to the one that it has. A sorted set
// that outgrows the packed form becomes large. score is a number, and the
// member not TooLong.
func (e *Edit) Add(member []byte, score float64, how How) (o Outcome) {
	switch {
	case e.large == nil:
		return e.addPacked(member, score, how)
	case how&XX != 0:
		el, found := e.large.members.Find(member)
		if !found {
			return Outcome{Held: true}
		}
		return e.changeLarge(&el, score, how)
	}
	el, added := e.large.put(member, score)
	if added {
		return Outcome{Added: true, Score: score}
	}
	return e.changeLarge(&el, score, how)
}

func (e *Edit) changeLarge(el *dict.Element, score float64, how How) Outcome {
	o := how.change(scoreOf(el), score)
	if o.Updated {
		e.large.change(el, o.Score)
	}
	return o
}

// change decides what becomes of a score that there is.
func (how How) change(was, score float64) Outcome {
	if how&NX != 0 {
		return Outcome{Held: true}
	}
	if how&Incr != 0 {
		score += was
	}
	switch {
	case math.IsNaN(score):
		return Outcome{NaN: true}
	case how&GT != 0 && score <= was, how&LT != 0 && score >= was:
		return Outcome{Held: true}
	}
	return Outcome{Updated: score != was, Score: score}
}

func (e *Edit) addPacked(member []byte, score float64, how How) (o Outcome) {
	it, _, found := e.packed.find(member)
	switch {
	case found:
		o = how.change(it.score, score)
		if o.Updated {
			if sizeOf(member, o.Score) > it.end-it.begin {
				e.draft()
			}
			e.packed = e.packed.move(it, member, o.Score)
		}
		return o
	case how&XX != 0:
		return Outcome{Held: true}
	case e.fits(member):
		e.draft()
		e.packed = e.packed.add(member, score)
	default:
		e.enlarge()
		e.large.put(member, score)
	}
	return Outcome{Added: true, Score: score}
}

// fits reports whether one more member can be packed.
func (e *Edit) fits(member []byte) bool {
	return e.packed.len() < e.tx.Settings.SortedSetPackedEntries &&
		len(member) <= e.tx.Settings.SortedSetPackedValue && len(e.packed)+len(member) < packedMax
}

// draft moves a packed sorted set to the turn's buffer, where it may grow.
func (e *Edit) draft() {
	if !e.drafted {
		e.packed = append(e.tx.Scratch(), e.packed...)
		e.drafted = true
	}
}

// enlarge makes a packed sorted set large.
func (e *Edit) enlarge() {
	l := newLarge(e.tx.MemOf(e.key), e.tx.NewSeed(e.key))
	e.packed.each(0, e.packed.len(), func(member []byte, score float64) bool {
		l.append(member, score)
		return true
	})
	e.large = l
}

// Remove takes a member out and reports whether it was there.
func (e *Edit) Remove(member []byte) bool {
	if e.large != nil {
		return e.large.remove(member)
	}
	it, _, found := e.packed.find(member)
	if found {
		e.packed = e.packed.cut(it.begin, it.end, 1)
	}
	return found
}

// Cut takes out the members of the ranks from first up to, and without, end.
func (e *Edit) Cut(first, end int) {
	switch {
	case end-first == e.Len() && (e.large == nil || e.v.IsObject()): // the key's value goes, and is freed in slices
		e.Members = Members{}
	case e.large != nil:
		e.large.cut(first, end)
	default:
		e.packed = e.packed.cut(e.packed.at(first), e.packed.at(end), end-first)
	}
}

// Save makes the changes those of the key, whose time to live stays. event is
// what keyspace notifications call them. A sorted set without members goes.
func (e *Edit) Save(event string) {
	tx := e.tx
	switch {
	case e.Len() == 0:
		tx.Also(e.key, event)
		tx.Remove(e.v, "del")
	case e.large != nil && e.v.IsObject():
		tx.Touch(e.v, event)
	case e.large != nil:
		tx.PutObject(e.key, e.large, keyspace.KeepDeadline, event)
	case e.v.Missing():
		tx.PutPacked(e.key, form(e.packed), keyspace.KeepDeadline, event)
	case e.drafted:
		copy(tx.Resize(e.v, len(e.packed), event), e.packed)
	case len(e.packed) != len(e.v.Packed()):
		tx.Resize(e.v, len(e.packed), event)
	default:
		tx.Touch(e.v, event)
	}
	if e.drafted {
		tx.KeepScratch(e.packed)
	}
}

// form is the value that packed bytes are.
func form(b packed) keyspace.Packed {
	return keyspace.Packed{Type: keyspace.SortedSet, Encoding: keyspace.Listpack, Bytes: b}
}
