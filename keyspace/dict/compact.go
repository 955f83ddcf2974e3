package dict

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Compact moves elements that m wants moved, and then makes the table smaller if
// that has become too large, until m is Spent. It returns where to go on; 0 at
// the end. It begins with 0, and anything may change between two calls. moved, if
// it is not nil, is told of each element before its old place, from, is void. What
// a Frozen has kept stays where it is.
func (d *Dict) Compact(m *slab.Mover, cursor uint64, moved func(e Element, from slab.Ref)) (next uint64) {
	for ; !m.Spent() && cursor < walkEnd; m.Left-- {
		if m.Done() {
			cursor = walkEnd
			break
		}
		cursor = d.index.Scan(cursor, func(slot *table.Slot) {
			if m.Wants(slot.Ref()) {
				d.move(m, slot, moved)
			}
		})
		if cursor == 0 {
			cursor = walkEnd
		}
	}
	for ; !m.Spent(); m.Left -= table.TightenEffort {
		if !d.index.Tighten(1) {
			return 0
		}
	}
	return cursor
}

func (d *Dict) move(m *slab.Mover, slot *table.Slot, moved func(e Element, from slab.Ref)) {
	from, e := slot.Ref(), d.in(slot)
	m.Move(from, d.sizeOf(len(e.Text), len(e.Payload)), func(to slab.Ref) {
		slot.SetRef(to)
		if moved != nil {
			moved(d.in(slot), from)
		}
	})
}
