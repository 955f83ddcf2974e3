// Package table owns the index of keys: from a hash, and a key that the owner
// compares, to where the entry is in its slab and a stamp of 24 bits.
//
// It is linear hashing (Litwin, 1980): the table grows by splitting one bucket
// and shrinks by merging one, so it promises that no insert or removal does
// more than a bucket's work, that its load stays within fixed bounds in both
// directions, and that a scan survives any growth or shrinking (see Scan). It
// belongs to one owner at a time; it has no locks, starts nothing, reads no
// clock, and the same calls always give the same table.
//
//	bucket, 64 bytes  | 7 tags of 1 | meta 1 | 7 slots of 8 |
//	tag               the hash's top byte, 1 in place of 0; 0 marks an empty slot
//	meta              1 if the bucket is linked, else 0
//	slot              | stamp, high 24 bits | Ref, low 40 bits |
//	slot 6, if linked the index of the next bucket of the chain; its tag is 0
//
// A hash's low bits choose the bucket. The bucket and its overflow buckets are
// a chain; those live in an array of their own without gaps, so both arrays
// grow and shrink at their ends. In a chain, every bucket is full except the
// first overflow bucket, which is never empty (or, without overflow, the
// bucket itself): so finding room takes one look, however long the chain.
package table

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace/slab"
)

const (
	slotCount = 7
	linkSlot  = slotCount - 1
	linked    = 1 << 56 // meta of a linked bucket, in the word of tags

	refBits = 40
	refMask = 1<<refBits - 1
)

// loadMax and loadMin bound the entries a bucket, in sixteenths: 5.25 is
// three quarters of the slots.
const (
	loadMax = 84
	loadMin = loadMax / 2
)

// Slot is an entry of the table: a reference and the owner's stamp. A *Slot
// points into a bucket and is valid until the next Insert or Remove.
type Slot uint64

// Ref returns where the entry is.
func (s *Slot) Ref() slab.Ref { return slab.Ref(*s & refMask) }

// SetRef tells the table that the entry has moved. Its key must be the same.
func (s *Slot) SetRef(r slab.Ref) { *s = *s&^refMask | Slot(r) }

// Stamp returns the owner's 24 bits.
func (s *Slot) Stamp() uint32 { return uint32(*s >> refBits) }

// SetStamp sets the owner's 24 bits.
func (s *Slot) SetStamp(stamp uint32) { *s = *s&refMask | Slot(stamp)<<refBits }

type bucket struct {
	tags  uint64
	slots [slotCount]Slot
}

// Table is a set of entries. The zero Table is not ready: use New.
type Table struct {
	hashOf   func(slab.Ref) uint64
	buckets  slab.Array[bucket]
	overflow slab.Array[bucket]
	count    int
	changes  uint64
	mask     uint64 // of the larger of the two depths: buckets.Len() - 1 <= mask
}

// New returns an empty table. hashOf says the hash of the entry at a
// reference. Insert and Remove call it for entries that are in the table
// (never for the one that comes or goes), so those must be readable then.
func New(hashOf func(slab.Ref) uint64) *Table { return &Table{hashOf: hashOf} }

// Changes counts the entries put in and taken out so far: while it stands
// still, slots stay where they are.
func (t *Table) Changes() uint64 { return t.changes }

// Len returns the number of entries.
func (t *Table) Len() int { return t.count }

// Bytes returns the memory of the table itself.
func (t *Table) Bytes() int64 { return tableBytes + t.buckets.Bytes() + t.overflow.Bytes() }

// Close gives all memory back. The table is empty and ready.
func (t *Table) Close() {
	t.buckets.Close()
	t.overflow.Close()
	t.count, t.mask = 0, 0
}

// CloseSome is Close in steps, of at most so many chunks of 64 KB. It reports
// whether all memory is back; until then the table is used for nothing else.
func (t *Table) CloseSome(chunks int) (done bool) {
	if !t.overflow.CloseSome(chunks) || !t.buckets.CloseSome(chunks) {
		return false
	}
	t.Close()
	return true
}

// index returns the bucket of a hash: its low bits, one fewer if that bucket
// has not been split off yet.
func (t *Table) index(h uint64) int {
	i := h & t.mask
	if i >= uint64(t.buckets.Len()) {
		i &= t.mask >> 1
	}
	return int(i)
}

func tagOf(h uint64) uint64 {
	tag := h >> 56
	return tag | (tag-1)>>63
}

// Probe walks the slots that may hold an entry with a given hash.
type Probe struct {
	table  *Table
	bucket *bucket
	match  uint64 // the high bit of the byte of each slot yet to return
	tags   uint64 // the tag wanted, in each byte
}

// Probe starts a search for hash h:
//
//	p := t.Probe(h)
//	for s := p.Next(); s != nil; s = p.Next() { … compare the key at s.Ref() … }
//
// It reads the bucket, so whoever has several keys to find does well to start
// all searches first: the processor then waits for their memory at once, which
// takes half the time in a large table. A Probe is valid until the next Insert
// or Remove.
func (t *Table) Probe(h uint64) Probe {
	if t.count == 0 {
		return Probe{bucket: &noBucket}
	}
	b, tags := t.buckets.At(t.index(h)), tagOf(h)*everyByte
	return Probe{table: t, bucket: b, match: equalBytes(b.tags, tags), tags: tags}
}

// noBucket stands for the bucket of an empty table. It is never written.
var noBucket bucket

// Next returns the next slot with the tag of the hash, about one in 200 of
// which belongs to another hash, or nil.
func (p *Probe) Next() *Slot {
	if p.match == 0 && !p.follow() {
		return nil
	}
	i := bits.TrailingZeros64(p.match) >> 3
	p.match &= p.match - 1
	return &p.bucket.slots[i]
}

// follow goes down the chain to a bucket with a match.
func (p *Probe) follow() bool {
	for p.bucket.tags >= linked {
		p.bucket = p.table.overflow.At(p.bucket.link())
		p.match = equalBytes(p.bucket.tags, p.tags)
		if p.match != 0 {
			return true
		}
	}
	return false
}

const (
	everyByte = 0x0101010101010101
	lowSevens = 0x7f7f7f7f7f7f7f7f
	tagHighs  = 0x0080808080808080
)

// equalBytes returns the high bit of each of the seven low bytes that are
// equal in a and b. Unlike the shorter well-known form it is exact, so an
// empty slot never matches.
func equalBytes(a, b uint64) uint64 {
	x := a ^ b
	return ^((x&lowSevens + lowSevens) | x) & tagHighs
}

func (b *bucket) link() int { return int(b.slots[linkSlot]) }

func (b *bucket) setLink(i int) {
	b.slots[linkSlot] = Slot(i)
	b.tags = b.tags&^(0xff<<(8*linkSlot)) | linked
}

func (b *bucket) isLinked() bool { return b.tags >= linked }

func (b *bucket) tag(i int) uint64 { return b.tags >> (8 * i) & 0xff }

// put fills the empty slot i.
func (b *bucket) put(i int, tag uint64, s Slot) *Slot {
	b.tags |= tag << (8 * i)
	b.slots[i] = s
	return &b.slots[i]
}

// take empties slot i.
func (b *bucket) take(i int) (tag uint64, s Slot) {
	tag = b.tag(i)
	b.tags &^= 0xff << (8 * i)
	return tag, b.slots[i]
}

// room returns an empty slot, or -1.
func (b *bucket) room() int {
	empty := equalBytes(b.tags, 0)
	if b.isLinked() {
		empty &^= 0x80 << (8 * linkSlot)
	}
	if empty == 0 {
		return -1
	}
	return bits.TrailingZeros64(empty) >> 3
}

// full returns the high bit of the byte of each slot that holds an entry.
func (b *bucket) full() uint64 { return ^equalBytes(b.tags, 0) & tagHighs }
