package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
	"github.com/troupedb/troupe/resp"
)

// gathering is the items of a reply, each text once, in the order in which
// they came. Its table finds an item by its number, in place of a Ref, so that
// nothing but the items is kept of the texts.
type gathering struct {
	items []resp.Reply // resp.Nothing in the place of one that was removed
	index *table.Table
	seed  uint64
}

// roomMax bounds the room that is made beforehand, in items.
const roomMax = 4096

// newGathering makes an empty one, to be closed, for so many texts at most.
func newGathering(tx *keyspace.Tx, most int) *gathering {
	room := min(most, roomMax)
	g := &gathering{items: tx.Items(room)[:0:room], seed: tx.Rand()}
	g.index = table.New(func(i slab.Ref) uint64 { return g.hash([]byte(g.items[i].Str())) })
	return g
}

func (g *gathering) close() { g.index.Close() }

func (g *gathering) hash(text []byte) uint64 { return table.Hash(g.seed, text) }

func (g *gathering) find(text []byte, hash uint64) (slot *table.Slot) {
	probe := g.index.Probe(hash)
	for slot = probe.Next(); slot != nil; slot = probe.Next() {
		if g.items[slot.Ref()].Str() == string(text) {
			return slot
		}
	}
	return nil
}

// put implements collection. The text is not copied.
func (g *gathering) put(text []byte) { g.items = append(g.items, resp.Bulk(text)) }

// add implements collection. The text is not copied.
func (g *gathering) add(text []byte) (added bool) {
	hash := g.hash(text)
	if g.find(text, hash) != nil {
		return false
	}
	g.items = append(g.items, resp.Bulk(text))
	g.index.Insert(hash, slab.Ref(len(g.items)-1), 0)
	return true
}

// remove implements collection.
func (g *gathering) remove(text []byte) bool {
	hash := g.hash(text)
	slot := g.find(text, hash)
	if slot == nil {
		return false
	}
	i := slot.Ref()
	g.index.Remove(hash, i)
	g.items[i] = resp.Nothing
	return true
}

// list is the items that are left.
func (g *gathering) list() (left []resp.Reply) {
	left = g.items[:0]
	for _, item := range g.items {
		if item.Kind() != resp.None {
			left = append(left, item)
		}
	}
	return left
}
