package generic

import "slices"

// radixMin is from how many elements on sorting byte by byte pays off: for
// 100,000 it takes a quarter of the time.
const radixMin = 512

// sortByKeys puts ranks in the order of their keys, byte by byte from the
// lowest on, and returns them: in their place or in the room, which is as
// large. Those with the same key stay in their order. Bytes that are the same
// in all keys, as most of small whole numbers are, cost nothing.
func sortByKeys(ranks, room []rank) []rank {
	var counts [8][256]uint32
	for i := range ranks {
		for b, key := 0, ranks[i].key; b < 8; b, key = b+1, key>>8 {
			counts[b][byte(key)]++
		}
	}
	for b := range counts {
		shift := 8 * b
		if counts[b][byte(ranks[0].key>>shift)] == uint32(len(ranks)) {
			continue
		}
		next := uint32(0)
		for i, n := range counts[b] {
			counts[b][i] = next
			next += n
		}
		for i := range ranks {
			at := &counts[b][byte(ranks[i].key>>shift)]
			room[*at] = ranks[i]
			*at++
		}
		ranks, room = room, ranks
	}
	return ranks
}

// sortEqual sorts the ranks that have equal keys, which are neighbours.
func (s *sorter) sortEqual() {
	for from := 0; from < len(s.ranks); {
		end := from + 1
		for end < len(s.ranks) && s.ranks[end].key == s.ranks[from].key {
			end++
		}
		if end-from > 1 {
			slices.SortFunc(s.ranks[from:end], s.compare)
		}
		from = end
	}
}
