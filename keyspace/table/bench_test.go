package table

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
)

// store is a table over a slab, with entries of 32 bytes that begin with
// their key, an 8-byte number written out: what a small key and value need.
type store struct {
	heap *slab.Heap
	tab  *Table
}

const entryBytes = 32

func newStore() *store {
	s := &store{heap: slab.New()}
	s.tab = New(func(r slab.Ref) uint64 { return Hash(1, s.heap.Bytes(r, keyBytes)) })
	return s
}

func (s *store) close() {
	s.tab.Close()
	s.heap.Close()
}

const keyBytes = 16

func keyOf(i int) (key [keyBytes]byte) {
	copy(key[:], "key:")
	binary.BigEndian.PutUint64(key[8:], uint64(i))
	return key
}

func (s *store) find(key []byte) *Slot {
	p := s.tab.Probe(Hash(1, key))
	for slot := p.Next(); slot != nil; slot = p.Next() {
		if string(s.heap.Bytes(slot.Ref(), keyBytes)) == string(key) {
			return slot
		}
	}
	return nil
}

func (s *store) insert(i int) {
	key := keyOf(i)
	r := s.heap.Alloc(entryBytes)
	copy(s.heap.Bytes(r, entryBytes), key[:])
	s.tab.Insert(Hash(1, key[:]), r, 0)
}

func (s *store) bytes() int64 { return s.tab.Bytes() + s.heap.Stats().Resident }

const million = 1 << 20

func filled(n int) *store {
	s := newStore()
	for i := range n {
		s.insert(i)
	}
	return s
}

func benchmarkFind(b *testing.B, n, first int) {
	s := filled(n)
	defer s.close()
	rnd := rand.New(rand.NewPCG(1, 2))
	for b.Loop() {
		key := keyOf(first + int(rnd.Uint64N(uint64(n))))
		if s.find(key[:]) == nil != (first != 0) {
			b.Fatal("found what is not there, or lost what is")
		}
	}
}

func BenchmarkFind1k(b *testing.B)  { benchmarkFind(b, 1<<10, 0) }
func BenchmarkFind1M(b *testing.B)  { benchmarkFind(b, million, 0) }
func BenchmarkFind1M4(b *testing.B) { benchmarkFind(b, million*14/10, 0) }
func BenchmarkMiss1M(b *testing.B)  { benchmarkFind(b, million, 1<<30) }

// BenchmarkFind1MBatched finds 16 keys at a time, all buckets before all
// entries, so that the processor waits for several at once.
func BenchmarkFind1MBatched(b *testing.B) {
	s := filled(million)
	defer s.close()
	rnd := rand.New(rand.NewPCG(1, 2))
	var keys [16][keyBytes]byte
	var probes [16]Probe
	for b.Loop() {
		for i := range probes {
			keys[i] = keyOf(int(rnd.Uint64N(million)))
			probes[i] = s.tab.Probe(Hash(1, keys[i][:]))
		}
		for i := range probes {
			slot := probes[i].Next()
			for slot != nil && string(s.heap.Bytes(slot.Ref(), keyBytes)) != string(keys[i][:]) {
				slot = probes[i].Next()
			}
			if slot == nil {
				b.Fatal("lost a key")
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/16, "ns/key")
}

// BenchmarkInsert grows a store to a million entries again and again.
func BenchmarkInsert(b *testing.B) {
	s := newStore()
	i := 0
	for b.Loop() {
		if i++; i%million == 0 {
			b.StopTimer()
			s.close()
			s = newStore()
			b.StartTimer()
		}
		s.insert(i)
	}
	s.close()
}

// BenchmarkRemove takes a million entries out, by the order they came in.
func BenchmarkRemove(b *testing.B) {
	s, i := newStore(), 0
	for b.Loop() {
		if s.tab.Len() == 0 {
			b.StopTimer()
			for j := range million {
				s.insert(j)
			}
			i = 0
			b.StartTimer()
		}
		key := keyOf(i)
		i++
		r := s.find(key[:]).Ref()
		s.tab.Remove(Hash(1, key[:]), r)
		s.heap.Free(r, entryBytes)
	}
	s.close()
}

// BenchmarkGrowth reports what an entry of 32 bytes weighs, at the best and
// the worst size on the way from one to four million, and how many overflow
// buckets there are to a bucket.
func BenchmarkGrowth(b *testing.B) {
	for b.Loop() {
		s := newStore()
		least, most := 1e9, 0.0
		var overflow, buckets float64
		for i := range 4 * million {
			s.insert(i)
			if i > million && i%10000 == 0 {
				each := float64(s.bytes()) / float64(i)
				least, most = min(least, each), max(most, each)
				overflow += float64(s.tab.overflow.Len())
				buckets += float64(s.tab.buckets.Len())
			}
		}
		s.close()
		b.ReportMetric(least, "least-B/entry")
		b.ReportMetric(most, "most-B/entry")
		b.ReportMetric(overflow/buckets, "overflow/bucket")
	}
}

// BenchmarkLongestInsert grows a table to two million entries four times over
// and reports the longest of all inserts. Each counts with its best time, as
// the table does the same each time and the machine does not.
func BenchmarkLongestInsert(b *testing.B) {
	best := make([]time.Duration, 2*million)
	for i := range best {
		best[i] = time.Hour
	}
	for b.Loop() {
		for range 4 {
			s := newStore()
			for i := range best {
				before := time.Now()
				s.insert(i)
				best[i] = min(best[i], time.Since(before))
			}
			s.close()
		}
	}
	b.ReportMetric(float64(slices.Max(best).Microseconds()), "longest-µs")
}

func BenchmarkScan(b *testing.B) {
	s := filled(million)
	defer s.close()
	cursor, n := uint64(0), 0
	for b.Loop() {
		cursor = s.tab.Scan(cursor, func(*Slot) { n++ })
	}
}

func BenchmarkRandom(b *testing.B) {
	s := filled(million)
	defer s.close()
	r := uint64(0)
	for b.Loop() {
		r++
		if s.tab.Random(r) == nil {
			b.Fatal("none")
		}
	}
}

func benchmarkHash(b *testing.B, n int) {
	key := make([]byte, n)
	b.SetBytes(int64(n))
	for b.Loop() {
		key[0] = byte(Hash(1, key))
	}
}

func BenchmarkHash8(b *testing.B)    { benchmarkHash(b, 8) }
func BenchmarkHash24(b *testing.B)   { benchmarkHash(b, 24) }
func BenchmarkHash100(b *testing.B)  { benchmarkHash(b, 100) }
func BenchmarkHash4096(b *testing.B) { benchmarkHash(b, 4096) }
