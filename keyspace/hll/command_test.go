package hll_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/hll"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
)

var families = []shardtest.Family{&hll.Commands, &str.Commands, &generic.Commands, &hash.Commands}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &hll.Commands, families...)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> PFADD k
		:1
		! events pfadd k
		> PFADD k
		:0
		! events
		> PFADD k a b
		:1
		! events pfadd k
		> PFADD k b
		:0
		! events
		> PFCOUNT k
		:2
		! events
		> PFMERGE d k nokey
		+OK
		! events pfadd d
		> PFMERGE d
		+OK
		! events pfadd d
		> PFDEBUG TODENSE d
		:1
		! events
		> PFADD d c
		:1
		! events pfadd d
		> PFADD d c
		:0
		! events
	`)
}

// TestDeadline: a time to live stays, whatever becomes of the sketch.
func TestDeadline(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> PFADD k a
		:1
		> EXPIRE k 100
		:1
		> PFADD k b c
		:1
		> PFCOUNT k
		:3
		> PFMERGE k k
		+OK
		> PFDEBUG TODENSE k
		:1
		> PFADD k d
		:1
		> TTL k
		:100
		> PFCOUNT k
		:4
	`)
}

// TestCorrupt: a sketch that is found corrupt is left as it is.
func TestCorrupt(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> SET short "HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x80\x7f\x00"
		+OK
		> PFADD short x y z a b c d e f
		-INVALIDOBJ Corrupted HLL object detected
		> PFMERGE d short
		-INVALIDOBJ Corrupted HLL object detected
		> PFDEBUG TODENSE short
		-INVALIDOBJ Corrupted HLL object detected
		> PFDEBUG GETREG short
		-INVALIDOBJ Corrupted HLL object detected
		> EXISTS d
		:0
		> GET short
		"HYLL\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x80\x80\x7f\x00"
		# A cardinality that is known is believed.
		> SET short "HYLL\x01\x00\x00\x00\x07\x00\x00\x00\x00\x00\x00\x00"
		+OK
		> PFCOUNT short
		:7
		> PFCOUNT short nokey
		-INVALIDOBJ Corrupted HLL object detected
	`)
}
