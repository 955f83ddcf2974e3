package bits

import (
	"bytes"
	"flag"
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

var (
	seedFlag  = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")
	seedsFlag = flag.Int("seeds", 1, "how many seeds, from -seed on, the random tests try")
)

// EachSeed runs a random test with each of the seeds asked for.
func EachSeed(t *testing.T, stream uint64, test func(t *testing.T, rng *rand.Rand)) {
	t.Helper()
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			test(t, rand.New(rand.NewPCG(seed, stream)))
		})
	}
}

// at is a bit of a string as one would write it down.
func at(b []byte, i int64) bool { return i < int64(len(b))*8 && b[i/8]>>(7-i%8)&1 == 1 }

// random is a string of all lengths at which a loop changes over, of random
// bits or of long runs of one bit.
func random(rng *rand.Rand) []byte {
	b := make([]byte, []int{0, 1, 7, 8, 9, 31, 32, 33, 64, 200, blockSize - 1, blockSize, blockSize + 9}[rng.IntN(13)])
	fill := byte(-rng.IntN(2))
	for i := range b {
		b[i] = fill
		if rng.IntN(4) == 0 && rng.IntN(2) == 0 {
			b[i] = byte(rng.Uint32())
		}
	}
	return b
}

// TestRanges compares counting and searching with going bit by bit.
func TestRanges(t *testing.T) {
	t.Parallel()
	EachSeed(t, 1, func(t *testing.T, rng *rand.Rand) {
		for range 3000 {
			b := random(rng)
			start, end := rng.Int64N(80)-40, rng.Int64N(80)-40
			if rng.IntN(2) == 0 {
				start, end = rng.Int64N(int64(len(b))*8+9), rng.Int64N(int64(len(b))*8+9)
			}
			ofBits := rng.IntN(2) == 0
			s := newSpan(start, end, len(b), ofBits)
			if !s.empty() && (s.first < 0 || s.last >= int64(len(b))*8) {
				t.Fatalf("%d to %d of %d bytes is %v", start, end, len(b), s)
			}
			compareRange(t, b, s)
		}
	})
}

func compareRange(t *testing.T, b []byte, s span) {
	t.Helper()
	ones, firstSet, firstClear := int64(0), int64(-1), int64(-1)
	for i := s.last; i >= s.first; i-- {
		if at(b, i) {
			ones, firstSet = ones+1, i
		} else {
			firstClear = i
		}
	}
	if got := count(b, s); got != ones {
		t.Fatalf("count %v of %x is %d, want %d", s, b, got, ones)
	}
	if got := search(b, s, true); got != firstSet {
		t.Fatalf("the first bit set in %v of %x is %d, want %d", s, b, got, firstSet)
	}
	if got := search(b, s, false); got != firstClear {
		t.Fatalf("the first bit clear in %v of %x is %d, want %d", s, b, got, firstClear)
	}
}

func TestSpan(t *testing.T) {
	t.Parallel()
	f := func(start, end int64, size int, ofBits bool, want span) {
		t.Helper()
		got := newSpan(start, end, size, ofBits)
		if got != want && !(got.empty() && want.empty()) {
			t.Errorf("%d to %d of %d bytes, of bits %t: %v, want %v", start, end, size, ofBits, got, want)
		}
	}
	f(0, -1, 3, false, span{0, 23})
	f(1, 1, 3, false, span{8, 15})
	f(-2, -1, 3, false, span{8, 23})
	f(5, 30, 3, true, span{5, 23})
	f(-8, -2, 3, true, span{16, 22})
	f(-100, 0, 3, false, span{0, 7})
	f(-100, -200, 3, false, span{0, 7})
	f(2, 1, 3, false, span{0, -1})
	f(3, 9, 3, false, span{0, -1})
	f(0, -1, 0, false, span{0, -1})
	f(-1<<63, 1<<63-1, 3, true, span{0, 23})
}

// TestCombine compares all operations with what they mean for a single bit.
func TestCombine(t *testing.T) {
	t.Parallel()
	EachSeed(t, 2, func(t *testing.T, rng *rand.Rand) {
		for range 60 {
			for op := and; op <= one; op++ {
				sources := [][]byte{random(rng)}
				for range rng.IntN(4) {
					sources = append(sources, random(rng))
				}
				if op.oneAgainstOthers() {
					sources = append(sources, random(rng))
				} else if op == not {
					sources = sources[:1]
				}
				out := bytes.Repeat([]byte{0xaa}, longest(sources))
				op.combine(out, sources)
				compareBits(t, op, out, sources)
			}
		}
	})
}

func compareBits(t *testing.T, op operation, out []byte, sources [][]byte) {
	t.Helper()
	for i := range int64(len(out)) * 8 {
		ones, others := 0, 0
		for n, s := range sources {
			if at(s, i) {
				ones++
				if n > 0 {
					others++
				}
			}
		}
		first := at(sources[0], i)
		want := map[operation]bool{
			and: ones == len(sources), or: ones > 0, xor: ones%2 == 1, not: !first, diff: first && others == 0,
			diff1: !first && others > 0, andor: first && others > 0, one: ones == 1,
		}[op]
		if at(out, i) != want {
			t.Fatalf("%s of %x: bit %d of %x is not %t", operations[op], sources, i, out, want)
		}
	}
}

// model is a string of bits with fields of it read and written bit by bit, in
// numbers of any size.
type model []byte

func (m model) get(f field) *big.Int {
	n := new(big.Int)
	for i := range f.bits {
		n.Lsh(n, 1)
		if at(m, int64(f.offset+i)) {
			n.SetBit(n, 0, 1)
		}
	}
	if f.signed && n.Bit(f.bits-1) == 1 {
		n.Sub(n, power(f.bits))
	}
	return n
}

func (m model) set(f field, n *big.Int) {
	n = new(big.Int).Mod(n, power(f.bits))
	for i := range f.bits {
		place := f.offset + i
		m[place/8] &^= mask(place)
		if n.Bit(f.bits-1-i) == 1 {
			m[place/8] |= mask(place)
		}
	}
}

func power(bits int) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(bits)) }

// settled is what a number becomes in a field, nil if it fails.
func settled(f field, n *big.Int, p policy) *big.Int {
	low, high := big.NewInt(0), new(big.Int).Sub(power(f.bits), big.NewInt(1))
	if f.signed {
		low, high = new(big.Int).Neg(power(f.bits-1)), new(big.Int).Sub(power(f.bits-1), big.NewInt(1))
	}
	switch {
	case n.Cmp(low) >= 0 && n.Cmp(high) <= 0:
		return n
	case p == failing:
		return nil
	case p == saturating && n.Cmp(high) > 0:
		return high
	case p == saturating:
		return low
	}
	n = new(big.Int).Mod(n, power(f.bits))
	if n.Cmp(high) > 0 {
		n.Sub(n, power(f.bits))
	}
	return n
}

// run is what fieldOp.run does.
func (m model) run(op fieldOp) string {
	was := m.get(op.field)
	n := big.NewInt(op.n)
	switch op.verb {
	case get:
		return was.String()
	case add:
		n.Add(n, was)
	case set:
		if !op.signed && op.n < 0 { // read as 64 bits without a sign
			n.Add(n, power(64))
		}
	}
	if n = settled(op.field, n, op.policy); n == nil {
		return "nothing"
	}
	m.set(op.field, n)
	if op.verb == set {
		return was.String()
	}
	return n.String()
}

// compareOp runs an operation on a string and on the model.
func compareOp(t *testing.T, b []byte, m model, op fieldOp) {
	t.Helper()
	before := append([]byte(nil), b...)
	reply, wrote := op.run(b)
	got := "nothing"
	if reply.Kind() == resp.Number {
		got = fmt.Sprint(reply.Int())
	}
	if want := m.run(op); got != want || string(b) != string(m) {
		t.Fatalf("%+v on %x: %s and %x, want %s and %x", op, before, got, b, want, m)
	}
	if wrote != (string(before) != string(b)) {
		t.Fatalf("%+v on %x: says that it wrote: %t", op, before, wrote)
	}
}

// TestFields runs random operations on random strings. The numbers are such
// that sums come near to all the bounds.
func TestFields(t *testing.T) {
	t.Parallel()
	EachSeed(t, 3, func(t *testing.T, rng *rand.Rand) {
		for range 2000 {
			b := random(rng)
			m := model(append([]byte(nil), b...))
			for range 20 {
				op := fieldOp{field: field{signed: rng.IntN(2) == 0, bits: 1 + rng.IntN(63)}}
				if op.signed && rng.IntN(3) == 0 {
					op.bits = 64
				}
				op.verb, op.policy = verb(rng.IntN(3)), policy(rng.IntN(3))
				op.n = rng.Int64() >> rng.IntN(64) * (1 - 2*rng.Int64N(2))
				op.offset = rng.IntN(8*len(b) + 9)
				if op.verb != get && op.end() > 8*len(b) {
					op.verb = get
				}
				compareOp(t, b, m, op)
			}
		}
	})
}

// FuzzBitfield reads any words as those of BITFIELD: they are refused, or what
// they do is what the model does.
func FuzzBitfield(f *testing.F) {
	f.Add("GET u8 0 SET i64 #1 -9223372036854775808", []byte("text"))
	f.Add("OVERFLOW SAT INCRBY u63 7 9223372036854775807 overflow FAIL set u1 #3 2", []byte("\xff\xff"))
	f.Add("OVERFLOW WRAP GET i64 #144115188075855871 GET u08 0 INCRBY i65 0 1", []byte{})
	tx := &keyspace.Tx{Settings: keyspace.DefaultSettings()}
	f.Fuzz(func(t *testing.T, line string, value []byte) {
		argv, ok := resp.SplitLine([]byte("BITFIELD k " + line))
		if !ok || len(argv) < 2 || len(value) > 1000 {
			return
		}
		var a command.Args
		a.Reset(&command.Meta{}, argv[2:])
		ops, end := readFieldOps(tx, &a, nil)
		if a.Bad() || end > 1<<20 {
			return
		}
		b := make([]byte, max(len(value), (end+7)/8))
		copy(b, value)
		m := model(append([]byte(nil), b...))
		for _, op := range ops {
			compareOp(t, b, m, op)
		}
	})
}
