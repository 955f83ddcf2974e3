package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// blockBytes is how much of a segment is read at once.
const blockBytes = 1 << 20

// scanner reads a segment's records, one after the other. Its memory is a block, or the largest record,
// which is never larger than the file.
type scanner struct {
	file   File
	end    int64 // no record reaches beyond this
	seed   uint32
	at     int64  // the next record's offset
	expect uint64 // its version
	proven int64  // up to here the records say that a sync succeeded

	block []byte // what was read of the file
	from  int64  // its offset
}

// newScanner reads the records of a segment whose head was read.
func newScanner(file File, h head, end int64) *scanner {
	return &scanner{file: file, end: end, seed: h.seed(), at: segmentHead, expect: h.first}
}

// flaw is bytes that are not the record that belongs there.
type flaw string

func (f flaw) Error() string { return string(f) }

// next gives the next record. The error is io.EOF at the end, a flaw if there is no sound record, which
// leaves the scanner where it is; any other one is the disk's.
func (s *scanner) next() (Record, error) {
	rest := s.end - s.at
	if rest == 0 {
		return Record{}, io.EOF
	}
	if rest < recordHead {
		return Record{}, flaw(fmt.Sprintf("%d bytes are no record", rest))
	}
	top, err := s.view(s.at, recordHead)
	if err != nil {
		return Record{}, err
	}
	version, size := recordVersion(top), recordHead+int64(bodyLength(top))
	if version != s.expect {
		return Record{}, flaw(fmt.Sprintf("there is no record %d", s.expect))
	}
	if size > rest {
		return Record{}, flaw(fmt.Sprintf("record %d of %d bytes goes beyond the end", version, size))
	}
	record, err := s.view(s.at, int(size))
	if err != nil {
		return Record{}, err
	}
	if checksum(record, s.seed) != binary.LittleEndian.Uint32(record) {
		return Record{}, flaw(fmt.Sprintf("record %d has a wrong checksum", version))
	}
	s.proven = max(s.proven, syncedBefore(record, s.at))
	s.at += size
	s.expect++
	return Record{Version: version, Time: recordTime(record), Body: record[recordHead:]}, nil
}

// mark gives the place that the scanner has come to.
func (s *scanner) mark() mark { return mark{s.at, s.expect - 1} }

// view gives n bytes at an offset, all before the end. They are good until the next call.
func (s *scanner) view(offset int64, n int) ([]byte, error) {
	if skip := offset - s.from; skip >= 0 && skip+int64(n) <= int64(len(s.block)) {
		return s.block[skip : skip+int64(n)], nil
	}
	size := int(min(s.end-offset, int64(max(n, blockBytes))))
	if cap(s.block) < size || cap(s.block) > 4*blockBytes {
		s.block = make([]byte, size)
	}
	s.block, s.from = s.block[:size], offset
	if err := readAt(s.file, s.block, offset); err != nil {
		s.block = s.block[:0]
		return nil, err
	}
	return s.block[:n], nil
}

// readAt fills b from a file that is long enough.
func readAt(file File, b []byte, offset int64) error {
	n, err := file.ReadAt(b, offset)
	if n == len(b) {
		return nil
	}
	if err == nil || errors.Is(err, io.EOF) {
		err = io.ErrUnexpectedEOF
	}
	return fmt.Errorf("reading at offset %d: %w", offset, err)
}

// judge decides about a flaw at the scanner's place in a segment that was open. Nothing sound behind it:
// that is a write that a crash cut short, whatever bytes it left. A sound record behind it that was written
// when the flawed place was known to be on disk: that is damage. A sound record that was written before
// that was known: a crash may have kept the later page of a write and lost the one before, which then reads
// as zeros from where the file once ended; so with zeros up to the end of a sector it is a cut write, and
// without them damage.
func (s *scanner) judge() (inside bool, sound int64, err error) {
	search := s.search()
	proven, err := search.run()
	if err != nil || proven || search.sound < 0 {
		return proven, search.sound, err
	}
	zeros, err := s.hasLostSector(search.flawed, search.sound)
	return !zeros, search.sound, err
}

// highest gives the version of the last sound record there is, behind the flaw at
// the scanner's place or before it.
func (s *scanner) highest() (uint64, error) {
	search := s.search()
	search.all = true
	_, err := search.run()
	return search.highest, err
}

// search looks for sound records behind a flaw.
type search struct {
	*scanner
	flawed  int64
	sound   int64  // the first sound record's offset, -1 if there is none
	highest uint64 // the highest version of one
	all     bool   // look for all, whatever they prove
	budget  int64  // bytes of checksums that may still be computed
}

func (s *scanner) search() *search {
	return &search{scanner: s, flawed: s.at, sound: -1, highest: s.expect - 1, budget: 64*(s.end-s.at) + 64*blockBytes}
}

// versionsAhead is how far a version behind a flaw may be from the one that belongs there: further than
// there can be records in a file, and near enough that hardly any bytes look like one.
const versionsAhead = 1 << 32

// run tells whether a record proves that the flawed place was once on disk. It looks at every offset, so
// that it finds what stands too early or too late as well. Bytes made to look like a million heads run into
// the budget, and count as damage.
func (s *search) run() (proven bool, err error) {
	var top [recordHead]byte
	for at := s.flawed; at+recordHead <= s.end; at++ {
		b, err := s.view(at, recordHead)
		if err != nil {
			return false, err
		}
		if !s.plausible(b, at) {
			continue
		}
		copy(top[:], b)
		isSound, err := s.isSound(top, at)
		if err != nil || s.budget < 0 {
			return true, err
		}
		if !isSound {
			continue
		}
		if s.sound < 0 {
			s.sound = at
		}
		s.highest = max(s.highest, recordVersion(top[:]))
		if syncedBefore(top[:], at) > s.flawed && !s.all {
			return true, nil
		}
		at += recordHead + int64(bodyLength(top[:])) - 1
	}
	return false, nil
}

func (s *search) plausible(top []byte, at int64) bool {
	ahead := recordVersion(top) - s.expect // of a version before it: huge
	return ahead < versionsAhead && at+recordHead+int64(bodyLength(top)) <= s.end
}

// isSound computes a record's checksum without having all of it in memory.
func (s *search) isSound(top [recordHead]byte, at int64) (bool, error) {
	sum := crc32.Update(s.seed, castagnoli, top[atLength:])
	piece := make([]byte, min(64<<10, bodyLength(top[:])))
	body := at + recordHead
	stop := body + int64(bodyLength(top[:]))
	s.budget -= stop - at
	for body < stop && s.budget >= 0 {
		piece = piece[:min(int64(len(piece)), stop-body)]
		if err := readAt(s.file, piece, body); err != nil {
			return false, err
		}
		sum = crc32.Update(sum, castagnoli, piece)
		body += int64(len(piece))
	}
	return sum == binary.LittleEndian.Uint32(top[:]), nil
}

// hasLostSector tells whether a sector that overlaps [from, to) is zeros, or is from there on.
func (s *scanner) hasLostSector(from, to int64) (bool, error) {
	for start := from - from%sectorBytes; start < to; start += sectorBytes {
		b, err := s.view(start, int(min(sectorBytes, s.end-start)))
		if err != nil {
			return false, err
		}
		if isZero(b) || start < from && isZero(b[from-start:]) {
			return true, nil
		}
	}
	return false, nil
}

func isZero(b []byte) bool {
	for _, c := range b {
		if c != 0 {
			return false
		}
	}
	return true
}
