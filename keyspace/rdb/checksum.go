package rdb

import "hash/crc64"

// polynomial is that of Redis's CRC-64 (Jones's), reflected: the highest bit is
// the factor of the lowest power.
const polynomial = 0x95ac9329ac4bc9b5

var jones = crc64.MakeTable(polynomial)

// Checksum goes on with a CRC-64 as Redis takes it (Jones's polynomial,
// reflected, beginning with 0 and with nothing done at the end).
func Checksum(sum uint64, data []byte) uint64 { return ^crc64.Update(^sum, jones, data) }

// joinChecksums is the checksum of two stretches of bytes behind each other, of
// which the second one has n bytes. A checksum that begins with 0 is the rest of
// a division, so that of the first, moved by n bytes, and that of the second
// add up.
func joinChecksums(first, second uint64, n int64) uint64 {
	const one, x8 = 1 << 63, 1 << 55 // powers 0 and 8
	shift, power := uint64(one), uint64(x8)
	for ; n > 0; n >>= 1 {
		if n&1 != 0 {
			shift = multiply(shift, power)
		}
		power = multiply(power, power)
	}
	return multiply(first, shift) ^ second
}

// multiply multiplies polynomials modulo that of the checksum.
func multiply(a, b uint64) (product uint64) {
	for ; a != 0; a <<= 1 {
		if a>>63 != 0 {
			product ^= b
		}
		low := b & 1
		b >>= 1
		if low != 0 {
			b ^= polynomial
		}
	}
	return product
}
