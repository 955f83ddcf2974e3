package keyspace

import (
	"bytes"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
)

// pieceLog is a SharingLog that puts records together.
type pieceLog struct {
	t      *testing.T
	bodies []byte
	pieces int
}

func (l *pieceLog) Append(_ int64, bodies []byte, ends []int) (base uint64) {
	l.bodies = append(l.bodies, bodies...)
	return 0
}

func (l *pieceLog) AppendPieces(_ int64, bodies []byte, pieces []slab.Piece, ends []int) (base uint64) {
	at := 0
	for _, p := range pieces {
		l.bodies = append(append(l.bodies, bodies[at:p.At]...), p.Bytes...)
		at = p.At
		if !p.In.Shared() {
			l.t.Error("a piece is not shared")
		}
		p.In.Free()
		l.pieces++
	}
	l.bodies = append(l.bodies, bodies[at:]...)
	return 0
}

// Large words that came in Buffers are recorded by sharing these, others are
// copied; what is given up, or changes nothing, shares nothing any more.
func TestEffectsShareLargeWords(t *testing.T) {
	t.Parallel()
	in := slab.NewBuffer(8 << 20)
	defer in.Free()
	in.Use(8 << 20)
	large := in.Bytes()[:3<<20]
	for i := range large {
		large[i] = byte(i)
	}
	log := &pieceLog{t: t}
	f := func(pieces int, scripted bool, do func(tx *Tx), want ...[]byte) {
		t.Helper()
		*log = pieceLog{t: t}
		sh := NewShard(0, 1, 1)
		defer sh.Close()
		turn := &Turn{Settings: DefaultSettings(), Nanos: func() int64 { return 0 }, Log: log}
		tx := Begin(turn, []*Shard{sh}, 1)
		tx.Scripted = scripted
		do(tx)
		tx.End(turn)
		var got [][]byte
		if err := EachEffect(log.bodies, func(e Effect) error {
			for _, word := range e.Words {
				got = append(got, bytes.Clone(word))
			}
			return nil
		}); err != nil || len(got) != len(want) {
			t.Fatalf("%d words, want %d: %v", len(got), len(want), err)
		}
		for i := range want {
			if !bytes.Equal(got[i], want[i]) {
				t.Errorf("word %d of %d bytes has %d", i, len(want[i]), len(got[i]))
			}
		}
		if log.pieces != pieces || in.Shared() {
			t.Errorf("%d pieces, want %d; shared still: %v", log.pieces, pieces, in.Shared())
		}
	}
	set, key, small := []byte("SET"), []byte("k"), []byte("small")
	put := func(tx *Tx) {
		tx.PutRaw(key, small, NoDeadline, "set")
		tx.Effect(set, key, large)
	}
	f(1, false, put, set, key, large)
	f(0, true, put, set, key, large)
	f(2, false, func(tx *Tx) {
		put(tx)
		tx.endCommand()
		tx.PutRaw(key, small, NoDeadline, "set")
		tx.EffectWith([][]byte{small}, set, key, large)
		tx.endCommand()
		tx.Effect(set, key, large)
		tx.dropEffects()
	}, set, key, large, set, key, large, small)
	f(0, false, func(tx *Tx) { tx.Effect(set, key, large) })
}
