package dice

import (
	"math"
	"testing"
)

func TestScore(t *testing.T) {
	t.Parallel()
	f := func(score float64, want int64, wantOK bool) {
		t.Helper()
		if got, ok := Score(score); got != want || ok != wantOK {
			t.Errorf("%v: %d, %v", score, got, ok)
		}
	}
	f(0, 0, true)
	f(math.Copysign(0, -1), 0, true)
	f(-7, -7, true)
	f(1<<53, 1<<53, true)
	f(float64(math.MaxInt64), math.MaxInt64, true)
	f(math.Nextafter(1<<63, 0), 1<<63-1024, true)
	f(math.MinInt64, math.MinInt64, true)
	f(0.5, 0, false)
	f(math.Nextafter(1<<63, math.Inf(1)), 0, false)
	f(math.Nextafter(-1<<63, math.Inf(-1)), 0, false)
	f(math.Inf(1), 0, false)
	f(math.Inf(-1), 0, false)
}
