package hash

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
)

// randomTries is how many fields that count as gone are passed over before a
// hash is walked through instead.
const randomTries = 100

// random is a field, each as likely as any other. There must be one.
func (h *fields) random(tx *keyspace.Tx) (field, text []byte) {
	for tries := 0; h.large != nil && tries < randomTries; tries++ {
		if e := h.large.Random(tx.Rand()); !h.large.gone(e, h.past) {
			return e.Text, value(e)
		}
	}
	nth := int(tx.Rand() % uint64(h.len()))
	h.each(func(f, v []byte) bool {
		field, text = f, v
		nth--
		return nth >= 0
	})
	return field, text
}

// drawnMax bounds how many fields may be drawn, and Settings.TextMax how many
// bytes in sum, since a few fields make a reply of any size. (Redis 7.0 goes
// on sending for as long as it takes.)
const drawnMax = 1 << 22

// draw makes the items of a reply with so many fields, each drawn from all.
// ok is false if that is too many.
func (h *fields) draw(tx *keyspace.Tx, count int64, show shown) (items []resp.Reply, ok bool) {
	if count > drawnMax {
		return nil, false
	}
	each := show.items(1)
	items = tx.Items(each * int(count))[:0]
	var all []resp.Reply // where there is no fast way to a field chosen at random
	if h.large == nil || h.past > 0 {
		all = h.show(nil, show)
	}
	for bytes := 0; count > 0; count-- {
		if all != nil {
			i := each * int(tx.Rand()%uint64(len(all)/each))
			items = append(items, all[i:i+each]...)
		} else {
			field, value := h.random(tx)
			items = show.add(items, field, value)
		}
		for _, item := range items[len(items)-each:] {
			bytes += len(item.Str())
		}
		if bytes > tx.Settings.TextMax() {
			return nil, false
		}
	}
	return items, true
}

// sample makes the items of a reply with so many different fields, fewer than
// there are; every set of them is as likely as any other.
func (h *fields) sample(tx *keyspace.Tx, count int, show shown) []resp.Reply {
	items := tx.Items(show.items(count))[:0]
	if h.large != nil && h.past == 0 {
		h.large.Sample(count, tx.Rand, func(e dict.Element) { items = show.add(items, e.Text, value(e)) })
		return items
	}
	pick := dict.Picker{Left: h.len(), Want: count}
	h.each(func(field, value []byte) bool {
		if pick.Next(tx.Rand()) {
			items = show.add(items, field, value)
		}
		return pick.Want > 0
	})
	return items
}
