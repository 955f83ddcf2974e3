// Package hash holds the hashes and the commands on them.
//
// A hash has one of two forms. While it has few fields, all short (see
// keyspace.Settings), it is packed: in the bytes of its key's entry, in the
// order in which the fields were first set. It becomes large when it has
// outgrown that, and stays so: then each field lies with its value in the
// shard's slab heap, and a table of its own finds it. OBJECT ENCODING calls
// the forms listpack and hashtable, and a hash changes over at the very
// command at which it does in Redis 7.0.
//
// Fields may end at a time of their own. A packed hash that has, or had, such
// fields is a timed one, and called listpackex, as since Redis 7.4; a large one
// has an order of its deadlines beside its table. Hashes without such fields
// take no memory for this.
//
//	packed   | fields << 1 | pair | pair | …             OBJECT ENCODING listpack
//	pair     | length | field | length | value |
//
//	timed    | fields << 1 | 1 | pair | pair | …         OBJECT ENCODING listpackex
//	pair     | length << 1 | field | length | value |
//	pair     | length << 1 | 1 | field | length | value | deadline, 6 |
//
//	large    a dict.Dict of the kind Text                OBJECT ENCODING hashtable
//	element  | field | value |
//	element  | field | value, place in the order, 4 |    with the mark ends
//
// Lengths, and the number of fields, are varints: see package pack. So a pair
// takes two bytes beside its texts, and the search for a field steps from pair
// to pair. A packed hash of no bytes has no fields. A deadline is in
// milliseconds of Unix time; it and the place are little-endian.
package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]
