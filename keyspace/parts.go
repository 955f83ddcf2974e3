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

// StreamPart is a part of a stream that is saved in pieces. The parts come in
// the order of RDB files:
//
//	StreamRun …, StreamHead, and for each group
//	StreamGroupHead, StreamDeliveries …, StreamConsumers, and for each consumer
//	StreamConsumerHead, StreamOwned …
//
// They are good until the visitor returns.
type StreamPart interface{ part() }

// StreamRun is neighbouring entries, at least one, about as many as a listpack
// of a stream has.
type StreamRun struct{ Entries iter.Seq2[StreamID, [][]byte] }

// StreamHead is what StreamParts has beside the entries, and the number of
// groups.
type StreamHead struct {
	Length, Added        uint64
	Last, First, Deleted StreamID
	Groups               int
}

// StreamGroupHead begins a group, which has so many deliveries.
type StreamGroupHead struct {
	Name    []byte
	Last    StreamID
	Read    int64
	Pending int
}

// StreamDeliveries are the next of a group's, in the order of their IDs.
type StreamDeliveries []StreamDelivery

// StreamConsumers is how many consumers the group has.
type StreamConsumers int

// StreamConsumerHead begins a consumer, to whom so many of the deliveries were
// made.
type StreamConsumerHead struct {
	StreamConsumer
	Pending int
}

// StreamOwned are the next IDs of a consumer's deliveries.
type StreamOwned []StreamID

func (StreamRun) part()          {}
func (StreamHead) part()         {}
func (StreamGroupHead) part()    {}
func (StreamDeliveries) part()   {}
func (StreamConsumers) part()    {}
func (StreamConsumerHead) part() {}
func (StreamOwned) part()        {}
