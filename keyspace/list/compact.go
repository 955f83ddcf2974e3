package list

import "github.com/troupedb/troupe/keyspace/slab"

// Compact implements keyspace.Object. It goes from block to block, and begins
// each chunk with its descriptors. The blocks of a frozen list stay where they
// are, as it has their descriptors too.
func (l *large) Compact(m *slab.Mover, cursor uint64) (next uint64) {
	if l.frozen != nil || m.Done() {
		return 0
	}
	p := place{int(cursor / chunkMax), int(cursor % chunkMax)}
	for ; l.valid(p) && !m.Spent(); m.Left-- {
		c := &l.chunks[p.chunk]
		if p.block == 0 && m.Wants(c.ref) {
			m.Move(c.ref, int(c.room)*blockBytes, func(to slab.Ref) { c.ref = to })
		}
		if p.block < int(c.blocks) {
			if b := l.at(p); m.Wants(b.ref()) {
				m.Move(b.ref(), int(b.size), b.setRef)
			}
		}
		p = l.next(p)
	}
	if !l.valid(p) {
		return 0
	}
	return uint64(p.chunk*chunkMax + p.block)
}
