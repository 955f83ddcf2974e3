package bits_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/bits"
	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
)

var families = []shardtest.Family{&bits.Commands, &str.Commands, &generic.Commands, &hash.Commands}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &bits.Commands, families...)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> SETBIT k 7 1
		:0
		! events setbit k
		# What changes nothing is no change.
		> SETBIT k 7 1
		:1
		! events
		> SETBIT k 15 0
		:0
		! events setbit k
		> BITFIELD k GET u8 0
		[:1]
		! events
		> BITFIELD k SET u8 0 1 INCRBY u8 8 0
		[:1, :0]
		! events
		> BITFIELD k SET u8 0 2 INCRBY u8 8 1
		[:1, :1]
		! events setbit k
		> BITFIELD k OVERFLOW FAIL INCRBY u8 0 255
		[_]
		! events
		> BITFIELD_RO k GET u8 0
		[:2]
		! events
		> BITOP NOT {k}d k
		:2
		! events set {k}d
		> BITOP OR {k}d nokey
		:0
		! events del {k}d
		> BITOP OR {k}d nokey
		:0
		! events
	`)
}

// TestKept holds what stays as it was: a time to live but for that of BITOP's
// destination, the form of what is only looked at.
func TestKept(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> SET n 123 EX 100
		+OK
		> BITCOUNT n
		:10
		> BITFIELD n GET u8 0 OVERFLOW FAIL SET u8 0 256
		[:49, _]
		> OBJECT ENCODING n
		"int"
		> SETBIT n 7 0
		:1
		> GET n
		"023"
		> OBJECT ENCODING n
		"raw"
		> TTL n
		:100
		> SET e 7 EX 100
		+OK
		> BITFIELD e INCRBY u8 0 1
		[:56]
		> GET e
		"8"
		> INCR e
		:9
		> TTL e
		:100
		> BITOP AND e e
		:1
		> TTL e
		:-1
		> GET e
		"9"
		> OBJECT ENCODING e
		"raw"
	`)
}

// TestDestination: BITOP reads all its sources before it writes, of whatever
// type its destination was.
func TestDestination(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> MSET a 12 b 3456 c 789
		+OK
		> BITOP XOR a a b c
		:4
		> GET a
		"5>\x0c6"
		> BITOP NOT a a
		:4
		> BITOP NOT a a
		:4
		> GET a
		"5>\x0c6"
		> HSET h f v
		:1
		> BITOP OR h b nokey
		:4
		> GET h
		"3456"
		> HSET g f v
		:1
		> BITOP AND d b g
		-WRONGTYPE Operation against a key holding the wrong kind of value
		> EXISTS d
		:0
		> BITOP AND g nokey
		:0
		> EXISTS g
		:0
	`)
}

// TestLimits holds how long a string may become.
func TestLimits(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 1, families...)
	set := *w.Settings
	set.BulkMax = 1 << 20
	w.Settings = &set
	w.Play(`
		> SETBIT k 8388608 1
		-ERR bit offset is not an integer or out of range
		> GETBIT k 8388608
		-ERR bit offset is not an integer or out of range
		> SETBIT k 8388607 1
		:0
		> STRLEN k
		:1048576
		> BITPOS k 1
		:8388607
		> BITFIELD k GET u8 #1048576
		-ERR bit offset is not an integer or out of range
		> BITFIELD k GET u8 8388607
		[:128]
		> BITFIELD k SET i64 8388607 1
		[:-9223372036854775808]
		> STRLEN k
		:1048584
		> BITFIELD k GET i64 #288230376151711744
		-ERR bit offset is not an integer or out of range
		> BITFIELD k GET i64 #9223372036854775807
		-ERR bit offset is not an integer or out of range
	`)
}
