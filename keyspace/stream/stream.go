// Package stream holds the streams and the commands on them.
//
// A stream is an Object from its first entry on. Its entries lie in blocks in
// the shard's slab heap, ordered by ID, and a directory of two levels finds the
// block of an ID by binary search. What a block may have is set as in Redis
// (stream-node-max-entries, stream-node-max-bytes), so that an approximate trim,
// which takes whole blocks, takes the entries that Redis's does.
//
//	block    | number of names | name | name | … | entry | entry | …
//	entry    | flags 1 | length of what follows | time | sequence | rest |
//	rest     same names     | value | value | …
//	         other names    | number of pairs | name | value | name | value | …
//	flags    bit 0: deleted; bit 1: other names than the block's
//
// Numbers are varints and texts have their length before them, as package pack
// writes both. The time is the milliseconds beyond those of the block's first
// ID; the sequence is that beyond the first ID's where the time is the same, and
// the whole sequence elsewhere. So an entry whose fields are named as those of
// the block's first one takes four bytes and, for each value, its text and a
// byte: 40% less than in Redis.
//
// Blocks are described in chunks of up to 256, in which there is no pointer: the
// garbage collector sees two small objects for some 25,600 entries. A deleted
// entry is marked; a block is written anew when over half of it is deleted, and
// goes when all of it is. Groups are in group.go, what they have delivered and
// is not acknowledged in ordered.go; how a stream is saved while it changes, in
// frozen.go.
package stream

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp/command"
)

// Commands are the family's, each declared in its own file.
var Commands command.Table[*keyspace.Tx]
