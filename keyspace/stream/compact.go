package stream

import "github.com/troupedb/troupe/keyspace/slab"

// Compact implements keyspace.Object. It goes from block to block. Those of a
// frozen stream stay where they are, as it has their descriptors too.
func (s *stream) Compact(m *slab.Mover, cursor uint64) (next uint64) {
	if s.frozen != nil || m.Done() {
		return 0
	}
	p := place{int(cursor / chunkMax), int(cursor % chunkMax)}
	for ; s.valid(p) && !m.Spent(); m.Left-- {
		if p.block < len(s.chunks[p.chunk]) {
			if b := s.at(p); m.Wants(b.ref) {
				m.Move(b.ref, int(b.size), func(to slab.Ref) { b.ref = to })
			}
		}
		p = s.next(p)
	}
	if !s.valid(p) {
		return 0
	}
	return uint64(p.chunk*chunkMax + p.block)
}
