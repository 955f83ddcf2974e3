package hll

import (
	"encoding/binary"
	"math/bits"
)

// hashSeed is Redis's: with another one values could not be exchanged.
const hashSeed = 0xadc83b19

// murmur64A is MurmurHash64A by Austin Appleby.
func murmur64A(b []byte, seed uint64) uint64 {
	const m, r = 0xc6a4a7935bd1e995, 47
	h := seed ^ uint64(len(b))*m
	for ; len(b) >= 8; b = b[8:] {
		k := binary.LittleEndian.Uint64(b) * m
		h = (h ^ (k^k>>r)*m) * m
	}
	if len(b) > 0 {
		var last uint64
		for i, c := range b {
			last |= uint64(c) << (8 * i)
		}
		h = (h ^ last) * m
	}
	h = (h ^ h>>r) * m
	return h ^ h>>r
}

// place is the register that an element belongs to, and its rank there.
func place(element []byte) (index int, rank byte) {
	h := murmur64A(element, hashSeed)
	rest := h>>indexBits | 1<<(64-indexBits) // so that a rank is at most rankMax
	return int(h % registers), byte(bits.TrailingZeros64(rest) + 1)
}
