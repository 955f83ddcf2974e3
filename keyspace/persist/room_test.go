package persist

import "testing"

func TestRoomFor(t *testing.T) {
	t.Parallel()
	f := func(keys, more, want int) {
		t.Helper()
		if got := roomFor(keys, more); got != want {
			t.Errorf("roomFor(%d, %d) is %d, want %d", keys, more, got, want)
		}
	}
	f(5000, 0, 0)
	f(5000, 5000, 0) // growing by itself costs no more
	f(5000, 5001, 10_001)
	f(5000, 15_000, 20_000)
	f(5000, 15_004, 0) // a little later it is one step
	f(5000, 75_000, 20_000)
	f(1<<20, 3<<20, 4<<20)
}

// With as many records as are foreseen no key is hashed more than half a time, on
// average, and room is never made for more than four times what there is.
func TestRoomForAll(t *testing.T) {
	t.Parallel()
	for _, all := range []int{20_000, 99_999, 1 << 20, 2_000_000, 12_345_678} {
		hashed, room := 0, 0
		for keys := roomFrom; keys < all; keys += batchItems {
			want := roomFor(keys, all-keys)
			if keys < room || want == 0 {
				continue
			}
			if want > roomSteps*keys || want > all {
				t.Errorf("of %d keys %d are there, and room is made for %d", all, keys, want)
			}
			room, hashed = want, hashed+keys
		}
		if room != all || hashed > all/2 {
			t.Errorf("%d keys: room was made for %d, and keys were hashed %d times", all, room, hashed)
		}
	}
}
