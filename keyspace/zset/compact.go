package zset

import (
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/slab"
)

// inOrder is in a cursor of Compact if the members are done: the rest of it is
// a rank of the order, whose nodes are moved then.
const inOrder = 1 << 63

// Compact implements keyspace.Object.
func (l *large) Compact(m *slab.Mover, cursor uint64) (next uint64) {
	if cursor&inOrder == 0 {
		cursor = l.members.Compact(m, cursor, func(e dict.Element, from slab.Ref) {
			l.order.Move(scoreOf(&e), from, e.Ref)
		})
		if cursor != 0 {
			return cursor
		}
	}
	rank := l.order.Compact(m, int(cursor&^inOrder))
	if rank >= l.order.Len() {
		return 0
	}
	return inOrder | uint64(rank)
}
