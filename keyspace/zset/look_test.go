package zset

import (
	"fmt"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// TestLook goes over sorted sets of both forms.
func TestLook(t *testing.T) {
	t.Parallel()
	sh := keyspace.NewShard(0, 1, 1)
	defer sh.Close()
	for _, members := range []int{0, 1, 10, 500} {
		var m Members
		l := newLarge(sh.Mem(), 1)
		for i := range members {
			text := fmt.Appendf(nil, "m%03d", i)
			if members < 100 {
				m.packed = m.packed.append(text, float64(i))
			} else {
				l.append(text, float64(i))
				m.large = l
			}
		}
		f := func(first int, stop, most int) {
			t.Helper()
			var got, want []string
			m.Look(first, func(score float64) Verdict {
				switch {
				case int(score) >= stop:
					return Stop
				case int(score)%3 == 0:
					return Pass
				}
				return Take
			}, func(member []byte, score float64) bool {
				got = append(got, fmt.Sprint(string(member), score))
				return len(got) < most
			})
			for i := first; i < min(stop, members) && len(want) < most; i++ {
				if i%3 != 0 {
					want = append(want, fmt.Sprintf("m%03d%d", i, i))
				}
			}
			if !slices.Equal(got, want) {
				t.Errorf("of %d from %d up to %d, %d at most: %v, want %v", members, first, stop, most, got, want)
			}
		}
		f(0, 1000, 1000)
		f(3, 1000, 1000)
		f(0, 7, 1000)
		f(2, 490, 1000)
		f(1, 1000, 5)
		f(600, 1000, 5)
		f(0, 0, 5)
		l.Free(sh.Mem(), 1<<30)
	}
}
