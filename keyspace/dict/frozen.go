package dict

import (
	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/keyspace/table"
)

// Frozen is a Dict as it was when it was frozen, for one who goes through it in
// steps while it changes. Its walk follows the table's cursor, so that the
// position of an element's hash tells whether the walk has come to it. Before an
// element to which it has not come changes or goes, that is kept as it was: its
// memory is not given back, or it is copied if it changes where it is. What is
// kept the walk shows first, and then gives back. The element that is in its
// place from then on, and those that come into being there, are noted by a bit
// beside their Mark, for the walk to pass over them.
//
// So each element is kept at most once, and nothing but what has changed takes
// memory: its bytes and keptBytes more, until the walk's next step.
type Frozen struct {
	dict   *Dict
	tag    func(Element) int64
	length int
	cursor uint64           // up to which the walk has come, or walkEnd
	slots  []*table.Slot    // of the walk's present step
	kept   slab.Array[kept] // a stack: no order is promised
	held   int64            // bytes that the kept elements occupy in the heap
	sum    *int64           // in which what is kept is counted too

	touched byte // see warm
}

// kept is an element as it was, and its tag.
type kept struct {
	ref slab.Ref
	tag int64
}

const (
	keptBytes = 16

	noted   = 1 << 23 // in a slot's stamp, beside the Mark: the walk has no need of the element
	walkEnd = 1 << 48 // above every position
)

// Freeze begins to keep the Dict as it is. A Dict is frozen once at a time, and
// not freed meanwhile. tag, if it is not nil, says what the owner knows of an
// element beside its bytes; the walk tells it with the element. Before that
// changes, the owner calls Keep. What is kept is counted in sum, in bytes.
func (d *Dict) Freeze(tag func(Element) int64, sum *int64) *Frozen {
	if tag == nil {
		tag = func(Element) int64 { return 0 }
	}
	d.frozen = &Frozen{dict: d, tag: tag, length: d.Len(), sum: sum}
	return d.frozen
}

// Keep is to be called before a payload, or what Freeze's tag tells, is changed
// in place. The element is good afterwards.
func (d *Dict) Keep(e Element) {
	if d.frozen != nil {
		d.frozen.copy(e)
	}
}

// Len is the number of elements.
func (f *Frozen) Len() int { return f.length }

// Walk calls visit for the next elements, each with its tag, with about so much
// effort (one for each small element, and for each 256 bytes of others), and
// reports whether those were the last ones. The Element is good until visit
// returns, which changes nothing; its Mark is not known. If visit is nil, nobody
// wants to see them.
func (f *Frozen) Walk(effort int, visit func(Element, int64)) (done bool) {
	effort = f.show(effort, visit)
	for effort > 0 && f.cursor < walkEnd {
		effort -= f.gather()
		if visit == nil {
			continue
		}
		f.warm()
		for _, slot := range f.slots {
			e := f.dict.in(slot)
			effort -= effortOf(&e)
			visit(e, f.tag(e))
		}
	}
	return f.cursor == walkEnd && f.kept.Len() == 0
}

// gather lists the elements of the next buckets that are to be seen: several,
// unless elements are long. It returns how many buckets these are.
func (f *Frozen) gather() (buckets int) {
	f.slots = f.slots[:0]
	most := int(gatherBytes / (1 + f.dict.held/int64(1+f.dict.Len())))
	for f.cursor < walkEnd && buckets < gatherMax && (buckets == 0 || len(f.slots) < most) {
		next := f.dict.index.Walk(f.cursor, func(slot *table.Slot) {
			stamp := slot.Stamp()
			if stamp&noted == 0 {
				f.slots = append(f.slots, slot)
				return
			}
			slot.SetStamp(stamp &^ noted)
		})
		if f.cursor = next; next == 0 {
			f.cursor = walkEnd
		}
		buckets++
	}
	return buckets
}

const (
	gatherMax   = 6       // buckets, of about five elements each
	gatherBytes = 4 << 10 // of elements
)

// warm reads the begin of the elements that were gathered, so that the processor
// waits for the memory of all of them at the same time.
func (f *Frozen) warm() {
	for _, slot := range f.slots {
		f.touched += f.dict.mem.Bytes(slot.Ref(), 1)[0]
	}
}

// show shows elements that are kept, and gives them back. It returns what is
// left of the effort.
func (f *Frozen) show(effort int, visit func(Element, int64)) (left int) {
	d := f.dict
	for n := f.kept.Len(); n > 0 && effort > 0; n-- {
		k := *f.kept.At(n - 1)
		f.kept.Shrink()
		e := d.At(k.ref)
		effort -= effortOf(&e)
		if visit != nil {
			visit(e, k.tag)
		}
		size := d.sizeOf(len(e.Text), len(e.Payload))
		f.count(-1, size)
		d.mem.Free(k.ref, size)
	}
	return effort
}

// count counts n kept elements of so many bytes.
func (f *Frozen) count(n int64, size int) {
	held := n * int64(f.dict.mem.Size(size))
	f.held += held
	*f.sum += held + n*keptBytes
}

func effortOf(e *Element) int { return 1 + (len(e.Text)+len(e.Payload))>>8 }

// Thaw ends it, when it has been walked to the end.
func (f *Frozen) Thaw() {
	f.kept.Close()
	f.dict.frozen = nil
}

// ahead reports whether the walk has yet to come to a hash.
func (f *Frozen) ahead(hash uint64) bool { return table.Position(hash) >= f.cursor }

// needs reports whether an element is to be kept before it changes. Its slot is
// known then.
func (f *Frozen) needs(e *Element) bool {
	e.slot = f.dict.slotOf(*e)
	return e.slot.Stamp()&noted == 0 && f.ahead(table.Hash(f.dict.seed, e.Text))
}

// take keeps an element whose so many bytes are the Dict's no more.
func (f *Frozen) take(e *Element, size int) {
	d := f.dict
	d.held -= int64(d.mem.Size(size))
	f.push(e, e.Ref, size)
}

// copy keeps a copy of an element, if need be.
func (f *Frozen) copy(e Element) {
	if !f.needs(&e) {
		return
	}
	d, size := f.dict, f.dict.sizeOf(len(e.Text), len(e.Payload))
	r := d.mem.Alloc(size)
	copy(d.mem.Bytes(r, size), d.mem.Bytes(e.Ref, size))
	f.push(&e, r, size)
}

// push keeps the so many bytes at r as those of an element, and notes it.
func (f *Frozen) push(e *Element, r slab.Ref, size int) {
	*f.kept.Grow() = kept{r, f.tag(*e)}
	f.count(1, size)
	e.slot.SetStamp(e.slot.Stamp() | noted)
}
