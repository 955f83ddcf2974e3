package keyspace

import (
	"math/rand/v2"
	"testing"
)

// Known values are from the Redis Cluster specification and redis-server's
// CLUSTER KEYSLOT.
func TestSlot(t *testing.T) {
	t.Parallel()
	f := func(key string, want int) {
		t.Helper()
		if got := Slot([]byte(key)); got != want {
			t.Errorf("Slot(%q) = %d, want %d", key, got, want)
		}
	}
	if got := crc16([]byte("123456789")); got != 0x31c3 {
		t.Errorf("crc16(123456789) = %#x, want 0x31c3", got)
	}
	f("", 0)
	f("foo", 12182)
	f("{user1000}.following", Slot([]byte("user1000")))
	f("foo{}{bar}", Slot([]byte("foo{}{bar}")))
	f("foo{{bar}}zap", Slot([]byte("{bar")))
	f("foo{bar}{zap}", Slot([]byte("bar")))
}

// Eight bytes at a time must give what a bit at a time does.
func TestCRC16InSlices(t *testing.T) {
	t.Parallel()
	const seed = 1
	rng := rand.New(rand.NewPCG(seed, 0))
	for n := range 100 {
		b := make([]byte, n)
		for i := range b {
			b[i] = byte(rng.Uint32())
		}
		var want uint16
		for _, c := range b {
			want ^= uint16(c) << 8
			for range 8 {
				carry := want&0x8000 != 0
				if want <<= 1; carry {
					want ^= 0x1021
				}
			}
		}
		if got := crc16(b); got != want {
			t.Fatalf("seed %d, length %d: %#x, want %#x", seed, n, got, want)
		}
	}
}
