package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
)

// frozen is a large hash being saved. The tag of an element is its deadline, of
// which the Dict itself knows nothing.
type frozen struct{ *dict.Frozen }

// freeze implements keyspace.Kind.
func freeze(v keyspace.Value, kept *int64) keyspace.Frozen {
	l := v.Object().(*large)
	return frozen{l.Freeze(l.deadline, kept)}
}

// Walk implements keyspace.Frozen.
func (f frozen) Walk(effort int, visit func(keyspace.Element)) (done bool) {
	if visit == nil {
		return f.Frozen.Walk(effort, nil)
	}
	return f.Frozen.Walk(effort, func(e dict.Element, when int64) {
		value := e.Payload
		if when != 0 {
			value = value[:len(value)-placeBytes]
		}
		visit(keyspace.Element{Text: e.Text, Value: value, Deadline: when})
	})
}
