package journal

import (
	"encoding/binary"
	"hash/crc32"
	"math"
)

// Record is what one command, script or transaction did.
type Record struct {
	Version uint64
	Time    int64  // Unix time in ms
	Body    []byte // good until the function that it was given to returns
}

// The places in a record's head; the package comment has them in a table.
const (
	recordHead   = 28
	atLength     = 4
	atVersion    = 8
	atTime       = 16
	atUnsynced   = 24
	unsyncedMax  = math.MaxUint32
	BodyBytesMax = math.MaxUint32 // what a record's length can say
	sectorBytes  = 512            // the least that a disk writes at once
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// putHead writes the head of a record, but for what depends on its place in a file.
func putHead(b []byte, length int, version uint64, time int64) {
	_ = b[recordHead-1]
	binary.LittleEndian.PutUint32(b[atLength:], uint32(length))
	binary.LittleEndian.PutUint64(b[atVersion:], version)
	binary.LittleEndian.PutUint64(b[atTime:], uint64(time))
}

func bodyLength(head []byte) int { return int(binary.LittleEndian.Uint32(head[atLength:])) }

func recordVersion(head []byte) uint64 { return binary.LittleEndian.Uint64(head[atVersion:]) }

func recordTime(head []byte) int64 { return int64(binary.LittleEndian.Uint64(head[atTime:])) }

// stamp makes a record, head and body, fit for a place in a segment: the segment's seed, the offset in its
// file, and the offset up to which that file is known to be on disk.
func stamp(record []byte, seed uint32, offset, synced int64) {
	unsynced := min(offset-synced, unsyncedMax)
	binary.LittleEndian.PutUint32(record[atUnsynced:], uint32(unsynced))
	binary.LittleEndian.PutUint32(record, checksum(record, seed))
}

// syncedBefore gives the offset up to which the file was on disk when a record was written at another.
func syncedBefore(record []byte, offset int64) int64 {
	unsynced := int64(binary.LittleEndian.Uint32(record[atUnsynced:]))
	if unsynced == unsyncedMax {
		return 0
	}
	return offset - unsynced
}

// checksum is of all of a record but the checksum itself. The seed is its segment's: a record in another
// segment's file is not sound there.
func checksum(record []byte, seed uint32) uint32 {
	return crc32.Update(seed, castagnoli, record[atLength:])
}
