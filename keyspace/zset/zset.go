// Package zset holds the sorted sets and the commands on them.
//
// A sorted set has one of two forms. While it has few members, all short (see
// keyspace.Settings), it is packed: in the bytes of its key's entry, in the
// order of the set. It becomes large when it has outgrown that, and stays so:
// then each member lies with its score in the shard's slab heap, a table finds
// it, and a counted tree holds the order (see packages dict and rank). OBJECT
// ENCODING calls the forms listpack and skiplist, and a sorted set changes
// over at the very command at which it does in Redis 7.0.
//
//	packed   | members | member | member | …         OBJECT ENCODING listpack
//	member   | length | text | score |
//	score    whole numbers from -2^53 to 2^53: a varint, of one byte from -63
//	         to 63; others: a zero byte and the number's 8
//
// Lengths and the number of members are varints: see package pack. A packed
// sorted set of no bytes has no members.
//
// The order is by score, and among equal scores by the bytes of the texts.
// Commands work with ranks in that order, from 0 on: a range, be it one of
// ranks, of scores or of texts, is the members from one rank up to, and
// without, another.
package zset

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]
