package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
)

// frozen is a large set being saved.
type frozen struct{ *dict.Frozen }

// freeze implements keyspace.Kind.
func freeze(v keyspace.Value, kept *int64) keyspace.Frozen {
	return frozen{v.Object().(*large).Freeze(nil, kept)}
}

// Walk implements keyspace.Frozen.
func (f frozen) Walk(effort int, visit func(keyspace.Element)) (done bool) {
	if visit == nil {
		return f.Frozen.Walk(effort, nil)
	}
	return f.Frozen.Walk(effort, func(e dict.Element, _ int64) { visit(keyspace.Element{Text: e.Text}) })
}
