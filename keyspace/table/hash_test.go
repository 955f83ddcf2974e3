package table

import (
	"encoding/binary"
	"fmt"
	"math/bits"
	"testing"
)

// A changed bit of the key or the seed changes each bit of the hash about
// half the time, at every length and place.
func TestHashAvalanche(t *testing.T) {
	t.Parallel()
	rnd := newRand(t)
	const trials = 256
	f := func(length int) {
		t.Helper()
		for bit := range 8*length + 64 {
			var flips [64]int
			for range trials {
				key := make([]byte, length)
				for i := range key {
					key[i] = byte(rnd.Uint32())
				}
				seed := rnd.Uint64()
				before := Hash(seed, key)
				if bit < 8*length {
					key[bit/8] ^= 1 << (bit % 8)
				} else {
					seed ^= 1 << (bit - 8*length)
				}
				for diff := before ^ Hash(seed, key); diff != 0; diff &= diff - 1 {
					flips[bits.TrailingZeros64(diff)]++
				}
			}
			for out, n := range flips {
				if n < trials/2-64 || n > trials/2+64 { // 8 standard deviations
					t.Fatalf("length %d: bit %d changes bit %d %d times of %d", length, bit, out, n, trials)
				}
			}
		}
	}
	for _, length := range []int{0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 32, 33, 48, 49, 64, 97} {
		f(length)
	}
}

// Keys as people write them collide no more than random numbers do, in the
// low bits that choose a bucket and in the tag beside them.
func TestHashCollisions(t *testing.T) {
	t.Parallel()
	const n = 1 << 16
	f := func(name string, key func(i int) []byte) {
		t.Helper()
		full := map[uint64]bool{}
		low := make([]uint8, n)
		var tags [256]int
		for i := range n {
			h := Hash(12345, key(i))
			full[h] = true
			low[h%n]++
			tags[h>>56]++
		}
		if len(full) != n {
			t.Errorf("%s: %d hashes of %d keys", name, len(full), n)
		}
		empty := 0
		for _, c := range low {
			if c == 0 {
				empty++
			}
		}
		if want := n * 0.36788; float64(empty) < want*0.97 || float64(empty) > want*1.03 {
			t.Errorf("%s: %d buckets are empty, want about %.0f", name, empty, want)
		}
		for tag, c := range tags {
			if c < n/256-140 || c > n/256+140 {
				t.Errorf("%s: tag %d has %d keys of %d", name, tag, c, n)
			}
		}
	}
	f("counter", func(i int) []byte { return fmt.Appendf(nil, "key:%d", i) })
	f("padded", func(i int) []byte { return fmt.Appendf(nil, "key:%012d", i) })
	f("long", func(i int) []byte { return fmt.Appendf(nil, "tenant:%064d:session:%040d", i, i) })
	f("little-endian", func(i int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(i)) })
	f("big-endian", func(i int) []byte { return binary.BigEndian.AppendUint64(nil, uint64(i)) })
	f("high bits", func(i int) []byte { return binary.LittleEndian.AppendUint64(nil, uint64(i)<<47) })
}

// A word of the key that equals a secret of wyhash makes nothing collide.
func TestHashHasNoKnownZero(t *testing.T) {
	t.Parallel()
	for _, secret := range []uint64{secret0, secret1, mixer, golden, 0x589965cc75374cc3} {
		for _, length := range []int{16, 32, 64} {
			seen := map[uint64]bool{}
			for i := range 1000 {
				key := make([]byte, length)
				for at := 0; at < length; at += 16 {
					binary.LittleEndian.PutUint64(key[at:], secret)
				}
				binary.LittleEndian.PutUint64(key[length-8:], uint64(i))
				seen[Hash(99, key)] = true
			}
			if len(seen) != 1000 {
				t.Errorf("length %d, secret %#x: %d hashes of 1000 keys", length, secret, len(seen))
			}
		}
	}
}

// Keys of zeros differ by their length alone.
func TestHashOfZeros(t *testing.T) {
	t.Parallel()
	zeros := make([]byte, 3000)
	seen := map[uint64]bool{}
	for n := range zeros {
		seen[Hash(7, zeros[:n])] = true
	}
	if len(seen) != len(zeros) {
		t.Errorf("%d hashes of %d keys", len(seen), len(zeros))
	}
}
