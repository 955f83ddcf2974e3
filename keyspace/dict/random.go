package dict

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Random is an element chosen by a random number, each as likely as any other.
// There must be one.
func (d *Dict) Random(r uint64) Element { return d.in(d.index.Random(r)) }

// sparse is how many times the elements asked for must go into the Dict for
// drawing and drawing again to cost less than a walk through the table.
const sparse = 16

// Sample calls visit for so many different elements, fewer than there are;
// every set of them is as likely as any other. rand gives random numbers.
// visit changes nothing.
func (d *Dict) Sample(count int, rand func() uint64, visit func(Element)) {
	if count > d.Len()/sparse {
		pick := Picker{Left: d.Len(), Want: count}
		d.index.Each(func(slot *table.Slot) bool {
			if pick.Next(rand()) {
				visit(d.in(slot))
			}
			return pick.Want > 0
		})
		return
	}
	taken := make(map[slab.Ref]struct{}, count)
	for len(taken) < count {
		e := d.Random(rand())
		if _, again := taken[e.Ref]; !again {
			taken[e.Ref] = struct{}{}
			visit(e)
		}
	}
}

// Picker picks Want of the Left items that pass by, every choice of them as
// likely as any other (algorithm S in Knuth, The Art of Computer Programming,
// 3.4.2): of a collection that has no faster way to a random element.
type Picker struct{ Left, Want int }

// Next says, by a random number, whether the next item is picked.
func (p *Picker) Next(r uint64) bool {
	picked := r%uint64(p.Left) < uint64(p.Want)
	p.Left--
	if picked {
		p.Want--
	}
	return picked
}
