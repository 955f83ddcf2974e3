package set

import "github.com/troupedb/troupe/keyspace/slab"

// Compact implements keyspace.Object.
func (l *large) Compact(m *slab.Mover, cursor uint64) (next uint64) {
	return l.Dict.Compact(m, cursor, nil)
}
