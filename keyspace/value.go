package keyspace

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Type is what kind of value a key holds.
type Type uint8

// The types. The zero Type is that of a missing key.
const (
	None Type = iota
	String
	List
	Set
	SortedSet
	Hash
	Stream
)

// String is the type's name as TYPE tells it.
func (t Type) String() string {
	return [...]string{"none", "string", "list", "set", "zset", "hash", "stream"}[t]
}

// Encoding is how a value is kept, in the terms of OBJECT ENCODING.
type Encoding uint8

// The encodings. Redis's names stand for our nearest form: see each family.
const (
	Raw Encoding = iota
	Int
	Embstr
	Listpack
	HashTable
	Quicklist
	Intset
	Skiplist
	StreamTree
	ListpackEx // a Listpack of a hash, some fields of which end
)

// String is the encoding's name as OBJECT ENCODING tells it.
func (e Encoding) String() string {
	return [...]string{"raw", "int", "embstr", "listpack", "hashtable", "quicklist", "intset", "skiplist", "stream", "listpackex"}[e]
}

// Object is a value too large to be packed into its entry. It lives in the Go
// heap with its elements in the shard's slabs, belongs to one key, and is
// reached only in turns of that key's shard.
type Object interface {
	Type() Type
	Encoding() Encoding
	// Len is the number of elements.
	Len() int
	// Bytes is the memory it takes, elements included.
	Bytes() int64
	// Free gives memory back, with about so much effort (as the heap counts
	// it: one for each small element), and reports whether all is given back.
	// The object is used for nothing else meanwhile.
	Free(mem *slab.Heap, effort int) (done bool)
	// Compact moves what of the object m wants moved, until that is Spent, and
	// returns where to go on; 0 at the end. It begins with 0, and between two calls
	// the object may change: then some of it may not be seen.
	Compact(m *slab.Mover, cursor uint64) (next uint64)
	// Copy makes an independent copy, its elements in mem.
	Copy(from, mem *slab.Heap) Object
}

// NewSeed is the seed for a table that an Object of the key keeps. It is as
// secret as the shard's own, and another one each time: a scan of a table
// lists it in the order of its hashes, and into a smaller table of the same
// seed that would put half of the elements in one end.
func (tx *Tx) NewSeed(key []byte) uint64 { return tx.shardOf(key).seed ^ tx.Rand() }

// Value is what a key holds, as found in this turn. It is good until the next
// change of any key. The zero Value is that of a missing key.
type Value struct {
	home
	slot *table.Slot
	head header
	past int64 // see Past
}

// home is where a key belongs: its shard, and its database there.
type home struct {
	sh *Shard
	d  *db
}

// homeOf is the home of a key of the selected database.
func (tx *Tx) homeOf(key []byte) home {
	sh := tx.shardOf(key)
	return home{sh, &sh.dbs[tx.DB]}
}

// Missing reports whether the key does not exist.
func (v Value) Missing() bool { return v.slot == nil }

// Type is the value's type, None for a missing key.
func (v Value) Type() Type { return v.head.typ }

// Is reports whether the value is of the type. A missing key is of no type.
func (v Value) Is(t Type) bool { return v.head.typ == t }

// Encoding tells how the value is kept.
func (v Value) Encoding() Encoding {
	if v.head.object() && !v.head.cold {
		return v.Object().Encoding()
	}
	return v.head.enc
}

// IsObject reports whether the value is an Object, not packed.
func (v Value) IsObject() bool { return v.head.object() }

// Packed is the packed form of a value that is not an Object: the text of a
// String (8 bytes, little-endian, if its encoding is Int), else what the
// family has put there. It lies in the slab: it may be changed in place
// (followed by Tx.Touch), never kept.
func (v Value) Packed() []byte {
	if v.head.cold {
		panic(errCold)
	}
	n := v.head.size()
	return v.sh.mem.Bytes(v.slot.Ref(), n)[v.head.valueAt() : v.head.valueAt()+v.head.valLen]
}

// Object is the Object of a value that is one.
func (v Value) Object() Object { return v.sh.objects.at(v.number()) }

// number is the object's number in its shard.
func (v Value) number() uint32 { return getUint32(v.Packed()) }

// Key is the key, in the slab.
func (v Value) Key() []byte {
	return v.sh.mem.Bytes(v.slot.Ref(), v.head.size())[v.head.keyAt:v.head.valueAt()]
}

// Mem is the slab heap of the value's shard, where Objects keep elements.
func (v Value) Mem() *slab.Heap { return v.sh.mem }

// Stamp is the access clock of the value: see Tx.Idle.
func (v Value) Stamp() uint32 { return v.slot.Stamp() }

// Bytes is the memory that the key and its value take, in bytes; if it is cold,
// that it would take if it were not.
func (v Value) Bytes() int64 {
	head := v.head
	head.cold = false
	n := int64(v.sh.mem.Size(head.size())) + bytesPerSlot
	for e := range endings {
		if v.head.has(e.flag()) {
			n += bytesPerDeadline
		}
	}
	if v.head.object() && !v.head.cold {
		n += v.Object().Bytes()
	}
	return n
}

// inMemory is Bytes for what the key and its value take now.
func (v Value) inMemory() int64 {
	if !v.head.cold {
		return v.Bytes()
	}
	return int64(v.sh.mem.Size(v.head.size())) + bytesPerSlot
}

// The shares of table and deadline orders in a key's memory, for MEMORY USAGE.
const (
	bytesPerSlot     = 12
	bytesPerDeadline = 12
)

// objects numbers a shard's Objects, so that entries, which the garbage
// collector does not see, can name them.
type objects struct {
	list []Object
	free []uint32
}

func (o *objects) add(obj Object) uint32 {
	if n := len(o.free); n > 0 {
		i := o.free[n-1]
		o.free = o.free[:n-1]
		o.list[i] = obj
		return i
	}
	o.list = append(o.list, obj)
	return uint32(len(o.list) - 1)
}

func (o *objects) at(i uint32) Object { return o.list[i] }

func (o *objects) remove(i uint32) {
	o.list[i] = nil
	o.free = append(o.free, i)
}
