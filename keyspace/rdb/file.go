package rdb

import (
	"errors"
	"fmt"

	"github.com/troupedb/troupe/keyspace"
)

// A file of RDB is a head, parts in a row, and an end:
//
//	| REDIS | version, four digits | part | … | 0xFF | CRC-64 of all before it, 64 bits, little-endian |
//
// The checksum is 0 if none was taken, and missing before version 5. A part is
// a byte and what that says:
//
//	0xFE  length                   the keys that follow are of this database
//	0xFB  length, length           how many keys it has, and how many of them have deadlines
//	0xFA  text, text               a fact about the file: its name, its value (AUX)
//	0xF5  text                     a library of functions (FUNCTION2, 7.0)
//	0xF6  …                        the same before 7.0 was released: refused
//	0xF7  length, module's values  what a module says of all its keys: passed over
//	0xF4  length, length, length   how many keys a slot has (8.0): passed over
//	0xFD  32 bits                  the deadline of the next key, Unix seconds
//	0xFC  64 bits                  the same in milliseconds, from 2.6
//	0xF8  length                   for how many seconds it was not used, for LRU
//	0xF9  byte                     how often it was used, for LFU
//	form  text of a key, value     a key
//
// Numbers are little-endian. A database may come several times, and keys before
// any are of database 0. Source: rdb.c and rdb.h of Redis 7.0, 7.4 and 8.0.
const (
	partSlot        = 0xf4
	partFunction    = 0xf5
	partFunctionOld = 0xf6
	partModule      = 0xf7
	partIdle        = 0xf8
	partFreq        = 0xf9
	partAux         = 0xfa
	partResizeDB    = 0xfb
	partMillis      = 0xfc
	partSeconds     = 0xfd
	partSelectDB    = 0xfe
	partEnd         = 0xff
)

const (
	magic          = "REDIS"
	headSize       = len(magic) + 4
	checksumSize   = 8
	checksumedFrom = 5 // the version from which files end with a checksum
)

// Meta is what an RDB file says of a key beside its value.
type Meta struct {
	// Deadline is when it ends, Unix milliseconds, or keyspace.NoDeadline.
	Deadline int64
	// Idle is for how many seconds it was not used, -1 if that is not told.
	Idle int64
	// Freq is how often it was used, a logarithm from 0 to 255 as LFU has it,
	// -1 if that is not told.
	Freq int
}

// NoMeta is that of a key of which nothing is said.
var NoMeta = Meta{Deadline: keyspace.NoDeadline, Idle: -1, Freq: -1}

// What can be wrong with a file beside its values.
var (
	// ErrNotRDB: it does not begin as a file of RDB does.
	ErrNotRDB = errors.New("it is no RDB file")
	// ErrVersion: it is of a version that is not known.
	ErrVersion = errors.New("its version is not supported")
	// ErrChecksum: its checksum is another one.
	ErrChecksum = errors.New("its checksum is wrong")
)

// FileError is a mistake in a file, or of reading it.
type FileError struct {
	// Offset is where in the file it was found: how many bytes come before.
	Offset int64
	// Begin is the offset of the part that it is in. What comes before it, is
	// whole.
	Begin int64
	// Key is the key of that part, nil if it is none or was not reached.
	Key []byte
	// Err is one of the errors of this package, or that of the stream.
	Err error
}

func (e *FileError) Error() string {
	if e.Key != nil {
		return fmt.Sprintf("RDB at offset %d, in the key %.64q which begins at %d: %v", e.Offset, e.Key, e.Begin, e.Err)
	}
	return fmt.Sprintf("RDB at offset %d: %v", e.Offset, e.Err)
}

func (e *FileError) Unwrap() error { return e.Err }
