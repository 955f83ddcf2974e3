package hash

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"
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

// model is a hash as one would write it down: fields in the order in which
// they were first set.
type model struct {
	order []string
	value map[string]string
}

func newModel() *model { return &model{value: map[string]string{}} }

func (m *model) set(field, value string) (added bool) {
	_, had := m.value[field]
	if !had {
		m.order = append(m.order, field)
	}
	m.value[field] = value
	return !had
}

func (m *model) remove(field string) bool {
	if _, had := m.value[field]; !had {
		return false
	}
	delete(m.value, field)
	for i, have := range m.order {
		if have == field {
			m.order = append(m.order[:i:i], m.order[i+1:]...)
			break
		}
	}
	return true
}

// words are fields and values of all the lengths at which something changes:
// the empty one, either side of 64 bytes, and of what a varint of one byte
// holds.
type words struct{ rng *rand.Rand }

func (w words) field(fields int) string {
	n := w.rng.IntN(fields)
	switch n % 16 {
	case 0:
		return strings.Repeat("f", n)
	case 1:
		return fmt.Sprintf("\x00\xff\r\n%d", n)
	}
	return fmt.Sprint("field:", n)
}

func (w words) value() string {
	lengths := []int{0, 1, 5, 63, 64, 65, 127, 128, 129, 300, 20000}
	switch n := lengths[w.rng.IntN(len(lengths))]; w.rng.IntN(4) {
	case 0:
		return strings.Repeat(string(rune('a'+w.rng.IntN(26))), n)
	case 1:
		return strings.Repeat("x", w.rng.IntN(20))
	}
	return fmt.Sprint(w.rng.Int64() >> w.rng.IntN(64))
}
