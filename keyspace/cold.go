package keyspace

import "github.com/troupedb/troupe/keyspace/slab"

// Values that have not been used for long may be cold: they are on disk, in the
// tier, and their keys stay here with all that is known of them without the
// value. An entry's value has a twin in the tier, under a number, or none:
//
//	hot            in memory alone
//	hot, a twin    in memory, and the tier has, or is about to have, the same
//	cold           in the tier alone: the entry is as before, without its value
//
// A value gets a number when it is spilled (cold_spill.go), becomes cold when
// the tier says that it has it, and hot again, with its twin, when a command
// needs it (cold_fetch.go): so that what was only read is cold again without
// being written, and at once if others are used more (cold_again.go). A change of
// the value is the twin's end. No number is used twice and nothing in the tier is
// ever overwritten.
//
// What the tier holds is an extension of memory and no more durable than that:
// journal and snapshots hold all values, cold or not (cold_save.go).

// Tier is where cold values are. Any goroutine may call it; but for Read and
// Write, it returns at once. It calls back from goroutines of its own.
type Tier interface {
	// Owner is the first of a range of numbers that nobody else has.
	Owner() (first uint64)
	// Write stores values and then tells done whether it has them.
	Write(b *Spilled, done func(error))
	// WriteNow is Write for those who wait.
	WriteNow(b *Spilled) error
	// Fetch reads values and then calls done.
	Fetch(wants []Want, done func())
	// Read reads a value for those who wait, appending it to dst.
	Read(dst []byte, number uint64) ([]byte, error)
	// Forget gives numbers up. It keeps the slice.
	Forget(numbers []uint64)
	// Drop gives up all numbers of an owner.
	Drop(first uint64)
	// Hold keeps what is given up from being deleted, until Release.
	Hold()
	Release()
}

// OwnerNumbers is how many numbers an owner has: at a hundred thousand values
// a second they last for five years.
const OwnerNumbers = 1 << 44

// cold is what a shard knows of its values in the tier.
type cold struct {
	tier    Tier   // nil: there is none
	first   uint64 // the owner's numbers begin with it
	last    uint64 // the last number that was given to a value
	settled uint64 // up to it, the tier has said whether it has the value
	keys    int    // that are cold
	bytes   int64  // of their values
	dead    []uint64
	flight  flight
	gone    uint32 // the access clock of what was chosen last to become cold
	pause   int64  // nothing is spilled before this time, Unix milliseconds
	dry     bool   // there was nothing to spill, when the heap had had so many
	allocs  uint64 // allocations
}

// errCold is the panic of a command that uses a value which it has not fetched:
// a mistake of the program.
const errCold = coldError("a cold value is used")

type coldError string

func (e coldError) Error() string { return string(e) }

// twin is the number of the value's copy in the tier, 0 if it has none.
func (v *Value) twin() uint64 {
	if !v.head.has(flagTwin) {
		return 0
	}
	return v.sh.twinAt(v)
}

func (sh *Shard) twinAt(v *Value) uint64 {
	return getNumber(sh.mem.Bytes(v.slot.Ref(), v.head.keyAt)[v.head.numberAt():])
}

// payload is what stands behind the key in the value's entry.
func (v *Value) payload() []byte {
	if v.head.cold {
		return nil
	}
	return v.Packed()
}

// disown ends the value's twin: the value is about to change, or to go.
func (v *Value) disown() {
	if v.head.has(flagTwin) {
		v.sh.forget(v.slot.Ref(), &v.head)
	}
}

// forget gives up the number of an entry's twin. Its place stays until the entry
// is written anew.
func (sh *Shard) forget(ref slab.Ref, head *header) {
	if !head.has(flagTwin) {
		return
	}
	place := sh.mem.Bytes(ref, head.keyAt)[head.numberAt():]
	if n := getNumber(place); n != 0 {
		putNumber(place, 0)
		sh.cold.dead = append(sh.cold.dead, n)
	}
}

// countCold keeps the count of what is cold when an entry with the head was
// gives way to one with the head is, or to none.
func (sh *Shard) countCold(was, is *header) {
	if was.cold {
		sh.cold.keys--
		sh.cold.bytes -= int64(was.valLen)
	}
	if is != nil && is.cold {
		sh.cold.keys++
		sh.cold.bytes += int64(is.valLen)
	}
}

// tellForgotten tells the tier, at a turn's end, which numbers are given up.
func (sh *Shard) tellForgotten() {
	if len(sh.cold.dead) > 0 {
		sh.cold.tier.Forget(sh.cold.dead)
		sh.cold.dead = nil
	}
}

// UseTier makes the shard keep cold values there. It is called before the first
// turn.
func (sh *Shard) UseTier(t Tier) {
	sh.cold.tier = t
	sh.cold.first = t.Owner()
	sh.cold.last, sh.cold.settled = sh.cold.first, sh.cold.first
}

// owns reports whether a number is one of the shard's.
func (sh *Shard) owns(number uint64) bool {
	return number > sh.cold.first && number < sh.cold.first+OwnerNumbers
}

// ColdKeys is how many values of the shard are cold, ColdBytes what they would
// take in memory.
func (sh *Shard) ColdKeys() int    { return sh.cold.keys }
func (sh *Shard) ColdBytes() int64 { return sh.cold.bytes }

// byTwin finds the value whose twin has the number.
func (at home) byTwin(hash, number uint64) (v Value, found bool) {
	if at.d.keys == nil {
		return Value{}, false
	}
	probe := at.d.keys.Probe(hash)
	for slot := probe.Next(); slot != nil; slot = probe.Next() {
		v = Value{home: at, slot: slot, head: readHeader(at.sh.mem, slot.Ref())}
		if v.twin() == number {
			return v, true
		}
	}
	return Value{}, false
}
