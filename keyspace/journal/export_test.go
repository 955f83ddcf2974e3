package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
)

// SkipTo makes the log go on from a version, as if all before it had been given out, in a new segment.
func (l *Log) SkipTo(version uint64) (err error) {
	l.do(func(w *writer) {
		if err = errors.Join(w.writeAll(), w.sync()); err != nil {
			return
		}
		m := w.dir.Manifest()
		m.close(w.segment.last, w.segment.size)
		w.segment.file.Close()
		if w.segment, err = createSegment(w.dir.fs, w.dir.path, w.dir.nextHead(&m, version+1)); err != nil {
			return
		}
		err = w.dir.store(m)
		l.mu.Lock()
		defer l.mu.Unlock()
		l.version.Store(version)
		l.durable.Store(version)
	})
	return err
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

// Signed puts a manifest's last line behind a text.
func Signed(text []byte) []byte {
	text = append(append([]byte(nil), text...), '\n')
	return fmt.Appendf(text, "crc32c %08x\n", crc32.Checksum(text, castagnoli))
}

// WithRecords puts records behind a segment's head. Each takes a byte for its length, as many for its body,
// and now and then leaves a version out or says that all before it is on disk.
func WithRecords(text, plan []byte) []byte {
	h, err := parseHead(text)
	if err != nil {
		panic(err)
	}
	version, synced := h.first, int64(segmentHead)
	for len(plan) > 0 {
		size := min(int(plan[0]), len(plan)-1)
		if plan[0]%7 == 6 {
			version++
		}
		if plan[0]%5 == 4 {
			synced = int64(len(text))
		}
		record := append(make([]byte, recordHead), plan[1:1+size]...)
		putHead(record, size, version, 0)
		stamp(record, h.seed(), int64(len(text)), synced)
		if plan[0]%11 != 10 {
			text = append(text, record...)
		}
		version++
		plan = plan[1+size:]
	}
	return text
}

// Overlapping makes a segment with another number that has the last record of one once more.
func Overlapping(text []byte, number uint64) []byte {
	h, err := parseHead(text)
	if err != nil {
		panic(err)
	}
	at, last := segmentHead, segmentHead
	for at < len(text) {
		last = at
		at += recordHead + bodyLength(text[at:])
	}
	record := append([]byte(nil), text[last:]...)
	version := recordVersion(record)
	again := head{identity: h.identity, number: number, after: version - 1, first: version, kind: rescue}
	stamp(record, again.seed(), segmentHead, segmentHead)
	return append(again.encode(), record...)
}
