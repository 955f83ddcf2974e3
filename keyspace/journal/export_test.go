package journal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
)

// SkipTo makes the log go on from a version, as if all before it had been given out.
func (l *Log) SkipTo(version uint64) {
	l.do(func(w *writer) {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.version.Store(version)
	})
}

// Rotate ends the segment now.
func (l *Log) Rotate() (err error) {
	l.do(func(w *writer) {
		if err = w.writeAll(); err == nil {
			err = w.rotate()
		}
	})
	return err
}

// For tests from outside.
const (
	RecordHead  = recordHead
	SegmentHead = segmentHead
)

// ParseManifest and Encode are for the fuzzer.
var ParseManifest = parseManifest

func (m Manifest) Encode() []byte { return m.encode() }

// ManifestOfFormat is what a program of another format might write.
func ManifestOfFormat(n int) []byte {
	b := fmt.Appendf(nil, "%s%d\nwhatever it has\n", manifestMagic, n)
	return fmt.Appendf(b, "crc32c %08x\n", crc32.Checksum(b, castagnoli))
}

// HeadOfFormat is a segment's head as a program of another format might write it.
func HeadOfFormat(n uint32, text []byte) []byte {
	b := append([]byte(nil), text[:headSummed]...)
	binary.LittleEndian.PutUint32(b[8:], n)
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli))
}
