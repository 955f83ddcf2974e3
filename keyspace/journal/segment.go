package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"path/filepath"
)

// The head of a segment's file; the package comment has it in a table.
const (
	segmentMagic  = "TRPJRNL\n"
	segmentFormat = 1
	segmentHead   = 72
	headSummed    = segmentHead - 4
)

// kind tells how a segment came to be, and with it what one that no manifest names may hold.
type kind uint32

const (
	normal kind = iota // the manifest names it before it gets a record
	rescue             // it got, before the manifest named it, what a failed fsync left in doubt
)

// head is what a segment's file says of itself.
type head struct {
	identity     Identity
	number       uint64
	after, first uint64
	kind         kind
}

func (h head) encode() []byte {
	b := make([]byte, 0, segmentHead)
	b = append(b, segmentMagic...)
	b = binary.LittleEndian.AppendUint32(b, segmentFormat)
	b = binary.LittleEndian.AppendUint32(b, uint32(h.kind))
	b = append(b, h.identity[:]...)
	b = binary.LittleEndian.AppendUint64(b, h.number)
	b = binary.LittleEndian.AppendUint64(b, h.after)
	b = binary.LittleEndian.AppendUint64(b, h.first)
	b = append(b, make([]byte, headSummed-len(b))...)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}

var (
	errNoSegment     = errors.New("is not a journal segment")
	errHeadChecksum  = errors.New("has a head with a wrong checksum")
	errSegmentFormat = errors.New("format not known to this program")
)

// parseHead reads a head. Size and checksum are those of heads in every format, so that damage is never
// taken for a newer format.
func parseHead(b []byte) (head, error) {
	if len(b) < segmentHead || string(b[:8]) != segmentMagic {
		return head{}, errNoSegment
	}
	if crc32.Checksum(b[:headSummed], castagnoli) != binary.LittleEndian.Uint32(b[headSummed:]) {
		return head{}, errHeadChecksum
	}
	if format := binary.LittleEndian.Uint32(b[8:]); format != segmentFormat {
		return head{}, fmt.Errorf("is of format %d: %w", format, errSegmentFormat)
	}
	h := head{
		kind:   kind(binary.LittleEndian.Uint32(b[12:])),
		number: binary.LittleEndian.Uint64(b[32:]),
		after:  binary.LittleEndian.Uint64(b[40:]),
		first:  binary.LittleEndian.Uint64(b[48:]),
	}
	copy(h.identity[:], b[16:])
	if h.first <= h.after {
		return head{}, errNoSegment
	}
	return h, nil
}

// seed is where checksums of the segment's records begin.
func (h head) seed() uint32 {
	b := binary.LittleEndian.AppendUint64(append([]byte(nil), h.identity[:]...), h.number)
	return crc32.Checksum(b, castagnoli)
}

// segment is the file that is being written. It is owned by the log's goroutine.
type segment struct {
	head
	file   File
	sum    uint32 // the seed
	size   int64  // up to here whole records are written
	last   uint64 // the version of the last of them; first-1 if there is none
	synced mark   // up to here it is on disk
	freed  mark   // up to here it is not kept in memory
}

// mark is a place between two records of a segment.
type mark struct {
	offset  int64
	version uint64 // of the last record before it
}

// createSegment makes a segment's file, with its head on disk, and opens it for writing.
func createSegment(fs FS, dir string, h head) (*segment, error) {
	name := filepath.Join(dir, segmentName(h.number))
	file, err := fs.Create(name)
	if err != nil {
		return nil, err
	}
	s := &segment{head: h, file: file, sum: h.seed(), size: segmentHead, last: h.first - 1}
	s.synced = s.end()
	s.freed = s.end()
	_, err = file.Write(h.encode())
	if err == nil {
		err = file.Sync()
	}
	if err == nil {
		err = fs.SyncDir(dir)
	}
	if err != nil {
		s.discard(fs, dir)
		return nil, err
	}
	return s, nil
}

func (s *segment) end() mark { return mark{s.size, s.last} }

// discard takes away a segment that no manifest names. What can't be removed now is at the next start.
func (s *segment) discard(fs FS, dir string) {
	s.file.Close()
	_ = fs.Remove(filepath.Join(dir, segmentName(s.number)))
}
