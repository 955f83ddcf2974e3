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
//	packed   | fields << 1 | pair | pair | …       OBJECT ENCODING listpack
//	element  | pair |                              one of a large hash
//	pair     | length | field | length | value |
//
// Lengths, and the number of fields, are varints as encoding/binary has them:
// seven bits a byte, the lowest first. So a pair takes two bytes beside its
// texts, and the search for a field steps from pair to pair. A packed hash of
// no bytes has no fields.
//
// Fields that end at a time of their own will be marked by the bit that the
// number of fields leaves free: with it, each value of a packed hash is
// followed by six bytes of its deadline (Unix milliseconds, 0 for none), and
// six bytes before the first pair say the earliest. An element of a large
// hash will have its deadline after the pair, marked in the stamp of its slot,
// and the earliest in order beside the table.
package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]
