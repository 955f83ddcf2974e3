package keyspace

import "iter"

// StreamParts is a stream as it is written for others and read from them: in
// payloads of DUMP, and in files.
type StreamParts struct {
	// Entries are the entries in order, each with names and values in turns. The
	// slices are good until the next entry.
	Entries iter.Seq2[StreamID, [][]byte]
	// Length is how many entries there are; Added, how many there have ever been.
	Length, Added uint64
	// Last is the last ID that was given, First that of the first entry, Deleted
	// the highest one of an entry that was deleted by itself.
	Last, First, Deleted StreamID
	Groups               []StreamGroup
}

// StreamID is the ID of a stream's entry: Unix milliseconds, and a number
// within them.
type StreamID struct{ Time, Seq uint64 }

// StreamGroup is a consumer group.
type StreamGroup struct {
	Name      []byte
	Last      StreamID
	Read      int64 // entries read; -1 if that is not known, -2 if it is to be worked out
	Consumers []StreamConsumer
	Pending   []StreamDelivery // in the order of their IDs
}

// StreamConsumer is a consumer of a group.
type StreamConsumer struct {
	Name []byte
	Seen int64 // when it last did something, Unix milliseconds
}

// StreamDelivery is an entry that was delivered and is not acknowledged.
type StreamDelivery struct {
	ID       StreamID
	When     int64 // Unix milliseconds
	Count    uint64
	Consumer int // which one of the group's
}
