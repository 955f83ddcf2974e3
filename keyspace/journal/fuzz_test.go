package journal_test

import (
	"bytes"
	"runtime"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
)

// FuzzSegment reads any bytes as the records of a segment, open or closed: neither a panic nor memory that
// the file does not call for, Check agrees with Replay, and what Repair leaves is sound. Records that the
// fuzzer makes have no right checksum but by chance, so it is given some whose checksums are made right.
func FuzzSegment(f *testing.F) {
	f.Add([]byte{}, byte(0))
	f.Add([]byte("\x03abc\x00\x05hello"), byte(2))
	f.Add(bytes.Repeat([]byte{0}, 2000), byte(1))
	f.Fuzz(func(t *testing.T, records []byte, how byte) {
		const name = "journal-000001.log"
		files := smallLog(t, journal.Always, how&1 == 1)
		text := slices.Clone(files[name][:journal.SegmentHead])
		if how&2 == 2 {
			text = journal.WithRecords(text, records)
		} else {
			text = append(text, records...)
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		open(t, files.disk(t, name, text))
		runtime.ReadMemStats(&after)
		if grown := after.TotalAlloc - before.TotalAlloc; grown > 64<<20+100*uint64(len(text)) {
			t.Errorf("%d bytes of memory for a segment of %d", grown, len(text))
		}
	})
}

// FuzzHead reads any bytes as a whole segment.
func FuzzHead(f *testing.F) {
	f.Add([]byte("TRPJRNL\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		files := smallLog(t, journal.Always, false)
		open(t, files.disk(t, "journal-000001.log", text))
	})
}

// FuzzManifest reads any bytes as a manifest. What is taken is just what is written.
func FuzzManifest(f *testing.F) {
	f.Add(journal.Manifest{Next: 1}.Encode())
	f.Add(journal.Manifest{
		Epoch: 3, Next: 9, Snapshot: journal.Snapshot{Name: "snapshot-000004-17.rdb", Version: 17, Size: 100, Checksum: 5},
		Segments: []journal.Segment{{Number: 5, After: 16, First: 17, Last: 20, Size: 400}, {Number: 6, After: 20, First: 21}},
	}.Encode())
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := journal.ParseManifest(text)
		if err == nil && !bytes.Equal(m.Encode(), text) {
			t.Errorf("%q is read as %q", text, m.Encode())
		}
		// The checksum keeps most texts out; with a right one the rest of the reader is reached.
		_, _ = journal.ParseManifest(journal.Signed(text))
	})
}
