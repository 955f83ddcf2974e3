package zset

import (
	"math/bits"

	"github.com/troupedb/troupe/keyspace/table"
)

// tally is a list of members that finds one by its text. It lives for a
// command: its texts may lie in the slab.
type tally struct {
	list  []Member
	index []uint64 // | half of the hash, 32 bits | place in the list + 1 |
	seed  uint64
	room  []byte // for texts that are copied
}

// newTally makes room for so many members.
func newTally(members int, seed uint64) *tally {
	return &tally{list: make([]Member, 0, members), seed: seed, index: make([]uint64, indexSize(members))}
}

// indexSize is the size of an index that so many members fill by half at most.
func indexSize(members int) int { return 1 << bits.Len(uint(2*members)) }

// find is the place in the list of a text, which is put there with the score
// 0 if it is new.
func (t *tally) find(text []byte) (at int, added bool) {
	if 2*len(t.list) >= len(t.index) {
		t.grow()
	}
	hash := table.Hash(t.seed, text)
	i := t.slot(hash, text)
	if t.index[i] != 0 {
		return int(uint32(t.index[i])) - 1, false
	}
	t.list = append(t.list, Member{Text: text})
	t.index[i] = hash&hashHalf | uint64(len(t.list))
	return len(t.list) - 1, true
}

const hashHalf = 1<<64 - 1<<32

// slot is the place in the index of a text, or an empty one for it.
func (t *tally) slot(hash uint64, text []byte) int {
	mask := uint64(len(t.index) - 1)
	for i := hash >> 32 & mask; ; i = (i + 1) & mask {
		at := t.index[i]
		if at == 0 || (at^hash)&hashHalf == 0 && string(t.list[uint32(at)-1].Text) == string(text) {
			return int(i)
		}
	}
}

// grow doubles the index.
func (t *tally) grow() {
	old := t.index
	t.index = make([]uint64, 2*len(old))
	mask := uint64(len(t.index) - 1)
	for _, at := range old {
		if at == 0 {
			continue
		}
		i := at >> 32 & mask
		for t.index[i] != 0 {
			i = (i + 1) & mask
		}
		t.index[i] = at
	}
}

// chunk is how many bytes of copied texts lie together.
const chunk = 16 << 10

// copied is a copy of a text that lasts as long as the tally.
func (t *tally) copied(text []byte) []byte {
	if cap(t.room)-len(t.room) < len(text) {
		t.room = make([]byte, 0, max(chunk, len(text)))
	}
	begin := len(t.room)
	t.room = append(t.room, text...)
	return t.room[begin:len(t.room):len(t.room)]
}
