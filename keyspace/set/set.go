// Package set holds the sets and the commands on them.
//
// A set has one of three forms. While all its members are integers and it has
// few of them, they lie in order in the bytes of its key's entry; while it has
// few members, all short, they lie there packed, in the order in which they
// came; and when it has outgrown that (see keyspace.Settings) each member lies
// in the shard's slab heap, and a table of its own finds it. OBJECT ENCODING
// calls the forms intset, listpack and hashtable. A set changes over to a
// later form, as in Redis 7.2 and after, and never back; what a command like
// SINTERSTORE makes has the form that its members call for.
//
//	ints    | width | integer | integer | …      OBJECT ENCODING intset
//	packed  | members | text | text | …          OBJECT ENCODING listpack
//	large   a dict.Dict without payloads         OBJECT ENCODING hashtable
//
// The integers are rising, each of width (one byte: 2, 4 or 8) bytes, little-
// endian, with a sign; width is what the widest needs or has needed. The
// number of members is a varint, and texts are those of package pack. Ints or
// packed texts of no bytes have no members.
package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]
