package hash

import (
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/keyspace/slab"
)

// Compact implements keyspace.Object.
func (l *large) Compact(m *slab.Mover, cursor uint64) (next uint64) {
	return l.Dict.Compact(m, cursor, func(e dict.Element, _ slab.Ref) {
		if e.Mark() == ends {
			l.due.SetRef(place(e), e.Ref)
		}
	})
}
