package journal_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/slab"
)

// Records of which pieces lie elsewhere are read back whole, in the order of one call, between others; and
// what was lent for them is given back, also by a log that is closed.
func TestPieces(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(newSeed(t), 3))
	dir := t.TempDir()
	d, err := journal.OpenDir(journal.Disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	l, err := d.Begin(journal.Config{Policy: journal.EverySecond, SegmentBytes: 100_000})
	if err != nil {
		t.Fatal(err)
	}
	var want [][]byte
	var lent []*slab.Buffer
	call := func() {
		var bodies []byte
		var pieces []slab.Piece
		var ends []int
		for range 1 + random.IntN(5) {
			whole := make([]byte, random.IntN(3000))
			for i := range whole {
				whole[i] = byte(random.Uint32())
			}
			want = append(want, whole)
			for len(whole) > 10 && random.IntN(2) == 0 {
				n := 1 + random.IntN(9)
				bodies = append(bodies, whole[:n]...)
				piece := pieceOf(whole[n:n+1+random.IntN(len(whole)-n)], len(bodies))
				whole = whole[n+len(piece.Bytes):]
				pieces, lent = append(pieces, piece), append(lent, piece.In)
			}
			bodies = append(bodies, whole...)
			ends = append(ends, len(bodies))
		}
		l.AppendPieces(7, bodies, pieces, ends)
	}
	for range 100 {
		call()
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	written := len(want)
	call()
	d, err = journal.OpenDir(journal.Disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	n := 0
	if _, err := d.Replay(0, func(r journal.Record) error {
		if n < written && (!bytes.Equal(r.Body, want[n]) || r.Time != 7) {
			t.Errorf("record %d of %d bytes has %d", n, len(want[n]), len(r.Body))
		}
		n++
		return nil
	}, nil); err != nil || n != written {
		t.Errorf("%d records of %d, %v", n, written, err)
	}
	if len(lent) < 50 {
		t.Errorf("%d pieces", len(lent))
	}
}
