package zset

import (
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
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

// model is a sorted set as one would write it down: a slice in order.
type model []Member

// find is the place of a member, -1 if it is not there.
func (m model) find(member string) int {
	return slices.IndexFunc(m, func(have Member) bool { return string(have.Text) == member })
}

func (m model) set(member string, score float64) model {
	m = m.remove(member)
	added := Member{[]byte(member), score}
	at, _ := slices.BinarySearchFunc(m, added, Member.compare)
	return slices.Insert(m, at, added)
}

func (m model) remove(member string) model {
	if at := m.find(member); at >= 0 {
		return slices.Delete(slices.Clone(m), at, at+1)
	}
	return m
}

// words are members and scores of all kinds at which something changes: the
// empty text, either side of 64 bytes and of what a varint of one byte holds;
// whole numbers of all sizes, and others.
type words struct{ rng *rand.Rand }

func (w words) member(members int) string {
	n := w.rng.IntN(members)
	switch n % 16 {
	case 0:
		return strings.Repeat("m", n)
	case 1:
		return fmt.Sprintf("\x00\xff\r\n%d", n)
	}
	return fmt.Sprint("member:", n)
}

func (w words) score() float64 {
	special := []float64{0, math.Inf(1), math.Inf(-1), 63, 64, -63, -64, -65, wholeMax, -wholeMax, wholeMax + 2, 1e300, 0.1, -1e-300, 1 << 62}
	switch w.rng.IntN(4) {
	case 0:
		return special[w.rng.IntN(len(special))]
	case 1:
		return float64(w.rng.IntN(4))
	case 2:
		return float64(w.rng.Int64() >> w.rng.IntN(64))
	}
	return w.rng.NormFloat64()
}

// compareMembers holds a sorted set in either form against the model.
func compareMembers(t *testing.T, m *Members, want model) {
	t.Helper()
	if m.Len() != len(want) {
		t.Fatalf("%d members, want %d", m.Len(), len(want))
	}
	for at, member := range want {
		if got, score, found := m.RankOf(member.Text); !found || got != at || score != member.Score {
			t.Fatalf("%q has the rank %d and the score %v, want %d and %v", member.Text, got, score, at, member.Score)
		}
		if score, found := m.Score(member.Text); !found || score != member.Score {
			t.Fatalf("%q has the score %v, want %v", member.Text, score, member.Score)
		}
	}
	compareRange(t, m, want, 0, len(want))
}

// compareRange walks a range both ways.
func compareRange(t *testing.T, m *Members, want model, first, end int) {
	t.Helper()
	at := first
	m.Each(first, end, func(member []byte, score float64) bool {
		if string(member) != string(want[at].Text) || score != want[at].Score {
			t.Fatalf("member %d is %q %v, want %q %v", at, member, score, want[at].Text, want[at].Score)
		}
		at++
		return true
	})
	if at != end {
		t.Fatalf("a walk from %d to %d ended at %d", first, end, at)
	}
	m.EachBack(first, end, func(member []byte, _ float64) bool {
		at--
		if string(member) != string(want[at].Text) {
			t.Fatalf("on the way back, member %d is %q, want %q", at, member, want[at].Text)
		}
		return true
	})
	if at != first {
		t.Fatalf("a walk back from %d to %d ended at %d", end, first, at)
	}
}
