package table

import (
	"encoding/binary"
	"math/bits"
)

// Odd constants with as many ones as zeros, no two of them alike in over half
// of their bits: the default secret of wyhash and the golden ratio.
const (
	secret0 = 0xa0761d6478bd642f
	secret1 = 0xe7037ed1a0b428db
	mixer   = 0x8ebc6af09c88c6e3
	golden  = 0x9e3779b97f4a7c15
)

// mix multiplies to 128 bits and folds the halves.
func mix(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	return hi ^ lo
}

// Hash returns the hash of a key. It is for this process's memory only: a
// seed chosen at random at the start keeps strangers from choosing keys that
// collide, and nothing promises the same value in another version.
//
// The method is that of wyhash (Wang Yi, 2019, github.com/wangyi-fudan/wyhash,
// public domain), also the base of rapidhash and of the Go runtime's portable
// hash: words of the key, combined with secrets, are multiplied to 128 bits and folded. There
// the constants are known, so a key whose word equals one makes a product
// zero whatever the seed is; here both factors depend on the seed.
func Hash(seed uint64, key []byte) uint64 {
	n := uint64(len(key))
	k0 := seed ^ secret0
	k1 := mix(seed^secret1, mixer)
	if len(key) > 16 {
		k0, key = fold(k0, k1, key)
	}
	var a, b uint64
	switch {
	case len(key) >= 8:
		a = binary.LittleEndian.Uint64(key)
		b = binary.LittleEndian.Uint64(key[len(key)-8:])
	case len(key) >= 4:
		a = uint64(binary.LittleEndian.Uint32(key))
		b = uint64(binary.LittleEndian.Uint32(key[len(key)-4:]))
	case len(key) > 0:
		a = uint64(key[0])<<16 | uint64(key[len(key)>>1])<<8 | uint64(key[len(key)-1])
	}
	hi, lo := bits.Mul64(a^k1, b^k0)
	return mix(lo^secret0^n, hi^k1)
}

// fold takes in whole blocks of 16 bytes while more than that is left, and
// returns the state and the last 16 bytes of the key.
func fold(k0, k1 uint64, key []byte) (uint64, []byte) {
	last := key[len(key)-16:]
	if len(key) > 48 {
		x, y := k0, k0
		for ; len(key) > 48; key = key[48:] {
			k0 = mix(word(key, 0)^k1, word(key, 1)^k0)
			x = mix(word(key, 2)^secret1^k1, word(key, 3)^x)
			y = mix(word(key, 4)^mixer^k1, word(key, 5)^y)
		}
		k0 ^= x ^ y
	}
	for ; len(key) > 16; key = key[16:] {
		k0 = mix(word(key, 0)^k1, word(key, 1)^k0)
	}
	return k0, last
}

// word returns the i-th 8 bytes of the key.
func word(key []byte, i int) uint64 { return binary.LittleEndian.Uint64(key[8*i:]) }
