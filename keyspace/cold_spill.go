package keyspace

import (
	"github.com/troupedb/troupe/keyspace/table"
)

// When memory is short, values that have not been used for long are spilled: a
// slice of a turn copies some of them, each under a new number, and the tier
// writes them. They stay where they are until the tier has them; those that have
// not changed by then become cold. Values whose twin is in the tier already
// become cold at once.
//
// Which can be spilled: texts and packed values from Settings.SpillMin bytes on, up to
// spillMax, but for hashes whose fields have deadlines, which the shard must be
// able to see to at any time.
const (
	spillMax        = 1 << 20   // more takes too long to copy within a turn
	spillSliceBytes = 256 << 10 // that a slice copies
	spillSliceKeys  = 256       // that it chooses
	spillDrawn      = 5         // hot values of which the one not used for longest goes
	spillLooks      = 4         // buckets that are looked through for them
	spillFlight     = 4         // batches of a shard that are being written
	spillPause      = 100       // milliseconds that it rests when the tier could not write
)

// Spilled is values on their way to the tier.
type Spilled struct {
	Numbers []uint64
	Ends    []int // of the values in Bytes
	Bytes   []byte

	places []spot
	freed  int64 // memory that they will give back
}

// spot is where a value is found that has a number.
type spot struct {
	db   int
	hash uint64
}

// Len is the number of values.
func (b *Spilled) Len() int { return len(b.Numbers) }

// Value is the nth value.
func (b *Spilled) Value(n int) []byte {
	start := 0
	if n > 0 {
		start = b.Ends[n-1]
	}
	return b.Bytes[start:b.Ends[n]]
}

// flight is what is being written.
type flight struct {
	batches int
	hand    hand
}

// hand goes round the tables of a shard, as that of a clock, and looks for values
// to spill.
type hand struct {
	db     int
	cursor uint64
}

// Spill makes values of the one shard at hand cold, or readies them for the tier
// to write, until so many bytes are free or will be. The batch, nil if there is
// nothing to write, is to be written, and Spilled called then. more says that it
// is worth while to go on at once. The Bound is told what is leaving, and that the
// shard has nothing more to spill.
func (tx *Tx) Spill(need int64, bound *Bound) (b *Spilled, more bool) {
	sh := tx.only
	f := &sh.cold.flight
	if f.batches >= spillFlight || tx.now < sh.cold.pause {
		return nil, false
	}
	db := tx.DB
	b = &Spilled{}
	chosen := 0
	for ; need > 0 && chosen < spillSliceKeys && len(b.Bytes) < spillSliceBytes; chosen++ {
		v := tx.coldest(sh)
		if v.Missing() {
			sh.dry(bound, f.batches == 0 && b.Len() == 0)
			break
		}
		need -= tx.spill(&v, b)
	}
	tx.DB = db
	more = need > 0 && chosen > 0
	if b.Len() == 0 {
		return nil, more
	}
	f.batches++
	bound.leaving.Add(b.freed)
	return b, more && f.batches < spillFlight
}

// dry notes whether the shard has nothing to spill.
func (sh *Shard) dry(bound *Bound, is bool) {
	if sh.cold.dry != is {
		n := int64(1)
		if is {
			n, sh.cold.allocs = -1, sh.mem.Allocs()
		}
		sh.cold.dry = is
		bound.spilling.Add(n)
	}
}

// soak notes that a shard which had nothing to spill may have something now.
func (sh *Shard) soak(bound *Bound, now int64) {
	if sh.cold.dry && now >= sh.cold.pause && sh.mem.Allocs()-sh.cold.allocs >= soakAllocs {
		sh.dry(bound, false)
	}
}

// soakAllocs is after how many allocations that is.
const soakAllocs = 64

// spill makes a value cold, or puts it into the batch. It returns how much memory
// that gives back, now or then.
func (tx *Tx) spill(v *Value, b *Spilled) (frees int64) {
	cold := v.coldHead()
	frees = int64(v.sh.mem.Size(v.head.size()) - v.sh.mem.Size(cold.size()))
	if v.twin() != 0 {
		v.chill()
		return frees
	}
	value := v.Packed()
	b.Bytes = append(b.Bytes, value...)
	v.give(v.sh.number())
	b.Numbers, b.Ends = append(b.Numbers, v.twin()), append(b.Ends, len(b.Bytes))
	b.places = append(b.places, spot{tx.DB, v.sh.hash(v.Key())})
	b.freed += frees
	return frees
}

// number is the next number of the shard's.
func (sh *Shard) number() uint64 {
	sh.cold.last++
	if sh.cold.last == sh.cold.first+OwnerNumbers {
		panic("the shard has spilled too often")
	}
	return sh.cold.last
}

// give gives the value's copy a number.
func (v *Value) give(number uint64) {
	if !v.head.has(flagTwin) {
		head := v.head
		head.flags |= flagTwin
		head.layout()
		v.move(&head, v.Packed())
		v.head = head
	}
	putNumber(v.sh.mem.Bytes(v.slot.Ref(), v.head.keyAt)[v.head.numberAt():], number)
}

// coldHead is the head that the value's entry has when it is cold.
func (v *Value) coldHead() header {
	head := v.head
	head.flags |= flagTwin
	head.cold = true
	head.layout()
	return head
}

// chill makes a value cold that the tier has.
func (v *Value) chill() {
	head := v.coldHead()
	v.move(&head, nil)
	v.head = head
}

// maySpill reports whether a value can become cold now.
func (tx *Tx) maySpill(v *Value) bool {
	h := &v.head
	if h.cold || h.object() || h.has(flagFields) || h.enc == Int || h.valLen < tx.Settings.SpillMin || h.valLen > spillMax {
		return false
	}
	return v.twin() <= v.sh.cold.settled // else it is being written
}

// coldest is one of the next values that can be spilled, of a few that one which
// was not used for longest; missing, if there are none for a long way. Its
// database becomes the selected one.
func (tx *Tx) coldest(sh *Shard) (best Value) {
	h := &sh.cold.flight.hand
	found, score := 0, uint32(0)
	for looks, rounds := 0, 0; found < spillDrawn && (looks < spillLooks || found == 0 && rounds < 2); looks++ {
		if h.db >= sh.opened {
			h.db = 0
			rounds++
		}
		at := home{sh, &sh.dbs[h.db]}
		if at.d.keys == nil || at.d.keys.Len() == 0 {
			h.db, h.cursor = h.db+1, 0
			continue
		}
		h.cursor = at.d.keys.Scan(h.cursor, func(slot *table.Slot) {
			v := Value{home: at, slot: slot, head: readHeader(sh.mem, slot.Ref())}
			if !tx.maySpill(&v) {
				return
			}
			if s := tx.score(slot.Stamp()); found == 0 || s > score {
				best, score, tx.DB = v, s, h.db
				sh.cold.gone = slot.Stamp()
			}
			found++
		})
		if h.cursor == 0 {
			h.db++
		}
	}
	return best
}

// Spilled ends what Spill has begun, when the tier has written the batch or has
// failed to: values that have not changed meanwhile become cold. After a failure
// the shard counts as one that has nothing to spill, until it tries again: nobody
// is to wait for a disk that may never take anything.
func (tx *Tx) Spilled(b *Spilled, err error, bound *Bound) {
	sh := tx.only
	sh.cold.flight.batches--
	sh.cold.settled = max(sh.cold.settled, b.Numbers[b.Len()-1])
	if err != nil {
		sh.cold.pause = tx.now + spillPause
		sh.dry(bound, true)
		sh.cold.allocs -= soakAllocs
	}
	for i, number := range b.Numbers {
		v, found := sh.find(b.places[i], number)
		switch {
		case !found:
		case err != nil:
			v.disown()
		default:
			sh.Stats.Spilled++
			v.chill()
		}
	}
}

// find finds the value that was given a number at a place; databases may have
// changed places since.
func (sh *Shard) find(p spot, number uint64) (v Value, found bool) {
	if v, found = (home{sh, &sh.dbs[p.db]}).byTwin(p.hash, number); found {
		return v, true
	}
	for i := range sh.dbs[:sh.opened] {
		if v, found = (home{sh, &sh.dbs[i]}).byTwin(p.hash, number); found {
			return v, true
		}
	}
	return Value{}, false
}

// IsBeingWritten reports whether values of the shard are on their way to the tier.
func (sh *Shard) IsBeingWritten() bool { return sh.cold.flight.batches > 0 }
