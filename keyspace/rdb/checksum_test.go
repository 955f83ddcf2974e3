package rdb

import "testing"

// The sum of the nine digits is given for a check in crc64.c of Redis. Sums can
// be taken in parts.
func TestChecksum(t *testing.T) {
	t.Parallel()
	const digits, want = "123456789", 0xe9c6d914c4b8d9ca
	for i := range digits {
		if got := Checksum(Checksum(0, []byte(digits[:i])), []byte(digits[i:])); got != want {
			t.Errorf("in parts of %d: %x, want %x", i, got, uint64(want))
		}
	}
}
