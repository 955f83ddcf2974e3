package main

import (
	"math/rand/v2"
	"slices"
	"strconv"
)

// churnRounds is how often every value is replaced by one of a random length before the original returns.
const churnRounds = 3

// growthSizes are the numbers of keys at which memory is read: evenly spread ones, and those just past
// each doubling, where a table that doubles has just done so and one that grows bucket by bucket has not.
func growthSizes(keys, most int) []int {
	sizes := []int{keys}
	for n := 100_000; n <= most; n += 50_000 {
		sizes = append(sizes, n)
	}
	for n := 1 << 17; n+n/50 <= most; n <<= 1 {
		sizes = append(sizes, n+n/50)
	}
	sizes = append(sizes, 1_310_000)
	slices.Sort(sizes)
	return slices.DeleteFunc(slices.Compact(sizes), func(n int) bool { return n > max(most, keys) })
}

// notable says whether a size has a line of its own: just past a doubling, and a few between.
func notable(keys int) bool {
	for n := 1 << 17; n <= keys; n <<= 1 {
		if keys == n+n/50 {
			return true
		}
	}
	return slices.Contains([]int{1_050_000, 1_310_000, 2_100_000}, keys)
}

// measureGrowth loads keys in steps and reads the memory after each.
func (c *memoryCmd) measureGrowth(s *server, f *memoryFigures) error {
	return s.withLoad(func(l *link, before int64) error {
		f.Before = float64(before)
		loaded := 0
		for _, size := range growthSizes(c.Keys, c.Most) {
			if err := l.load(size-loaded, func(out []byte, i int) []byte {
				return appendSet(out, loaded+i, original(loaded+i))
			}); err != nil {
				return err
			}
			loaded = size
			perKey, err := s.perKey(before, size)
			if err != nil {
				return err
			}
			f.add(memoryPoint{Keys: size, PerKey: perKey}, c.Keys)
		}
		return nil
	})
}

// add notes a point of the growth; keys is the size of the main figure.
func (f *memoryFigures) add(p memoryPoint, keys int) {
	f.Growth = append(f.Growth, p)
	if p.Keys == keys {
		f.AtKeys = p.PerKey
	}
	if p.Keys >= worstFrom && p.PerKey > f.Worst.PerKey {
		f.Worst = p
	}
}

// measureChurn overwrites every key with values of random lengths, then with what it held first.
func (c *memoryCmd) measureChurn(s *server, f *memoryFigures) error {
	const shortest, longest = 8, 200
	random := rand.New(rand.NewPCG(c.Seed, 0))
	filler := make([]byte, longest)
	for i := range filler {
		filler[i] = byte('a' + random.IntN(26))
	}
	return s.withLoad(func(l *link, before int64) error {
		for round := range churnRounds + 2 {
			if err := l.load(c.Keys, func(out []byte, i int) []byte {
				if round == 0 || round > churnRounds {
					return appendSet(out, i, original(i))
				}
				return appendSet(out, i, string(filler[:shortest+random.IntN(longest-shortest+1)]))
			}); err != nil {
				return err
			}
		}
		var err error
		f.Churned, err = s.perKey(before, c.Keys)
		return err
	})
}

// measureDeadlines loads the keys with a TTL of between one and 25 hours each.
func (c *memoryCmd) measureDeadlines(s *server, f *memoryFigures) error {
	random := rand.New(rand.NewPCG(c.Seed, 0))
	return s.withLoad(func(l *link, before int64) error {
		if err := l.load(c.Keys, func(out []byte, i int) []byte {
			return appendSet(out, i, original(i), "EX", strconv.Itoa(3600+random.IntN(24*3600)))
		}); err != nil {
			return err
		}
		perKey, err := s.perKey(before, c.Keys)
		f.Deadline = perKey - f.AtKeys
		return err
	})
}

// withLoad gives a step a link and the memory from before it.
func (s *server) withLoad(step func(l *link, before int64) error) error {
	before, err := settledBytes(s.pid)
	if err != nil {
		return err
	}
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	return step(l, before)
}

// perKey is the settled memory above before, divided by the keys.
func (s *server) perKey(before int64, keys int) (float64, error) {
	now, err := settledBytes(s.pid)
	return float64(now-before) / float64(keys), err
}

// appendSet appends SET of the i-th key.
func appendSet(out []byte, i int, value string, options ...string) []byte {
	return appendCommand(out, append([]string{"SET", "key:" + padded(i, 7), value}, options...)...)
}

// original is the first value of the i-th key: 16 bytes that are no number, which a server could keep as one.
func original(i int) string { return "value:" + padded(i, 10) }

// padded writes i with leading zeros; it is called for every key, which fmt is too slow for.
func padded(i, width int) string {
	var buf [20]byte
	digits := strconv.AppendInt(buf[:0], int64(i), 10)
	if len(digits) >= width {
		return string(digits)
	}
	return "00000000000000000000"[:width-len(digits)] + string(digits)
}
