package set

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/dict"
	"github.com/troupedb/troupe/resp"
)

// random is a member, each as likely as any other. There must be one.
func (s *members) random(tx *keyspace.Tx, d *digits) (text []byte) {
	if s.large != nil {
		return s.large.Random(tx.Rand()).Text
	}
	nth := int(tx.Rand() % uint64(s.len()))
	if len(s.ints) > 0 {
		return d.text(s.ints.at(nth))
	}
	s.packed.each(func(t []byte) bool {
		text = t
		nth--
		return nth >= 0
	})
	return text
}

// sample calls visit for so many different members, fewer than there are;
// every set of them is as likely as any other.
func (s *members) sample(tx *keyspace.Tx, d *digits, count int, visit func(text []byte)) {
	if s.large != nil {
		s.large.Sample(count, tx.Rand, func(e dict.Element) { visit(e.Text) })
		return
	}
	pick := dict.Picker{Left: s.len(), Want: count}
	s.each(d, func(text []byte) bool {
		if pick.Next(tx.Rand()) {
			visit(text)
		}
		return pick.Want > 0
	})
}

// drawnMax bounds how many members may be drawn, and Settings.TextMax how many
// bytes in sum, since a few members make a reply of any size. (Redis goes on
// sending for as long as it takes.)
const drawnMax = 1 << 22

// draw makes the items of a reply with so many members, each drawn from all.
// ok is false if that is too many.
func (s *members) draw(tx *keyspace.Tx, count int64) (items []resp.Reply, ok bool) {
	if count > drawnMax {
		return nil, false
	}
	var all []resp.Reply // of a set that is not large, in which to walk takes longer
	if s.large == nil {
		all = append(all, s.list(tx)...)
	}
	items = tx.Items(int(count))
	bytes := 0
	for i := range items {
		if s.large != nil {
			items[i] = resp.Bulk(s.large.Random(tx.Rand()).Text)
		} else {
			items[i] = all[tx.Rand()%uint64(len(all))]
		}
		if bytes += len(items[i].Str()); bytes > tx.Settings.TextMax() {
			return nil, false
		}
	}
	return items, true
}
