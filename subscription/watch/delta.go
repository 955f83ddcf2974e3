package watch

import (
	"slices"
	"sort"
	"sync"

	"github.com/troupedb/troupe/resp"
)

// delta is what is different between two states, as a reply of its own:
//
//	of a map    {"set": {field: value, …}, "removed": [field, …]}
//	of a set    {"added": [member, …], "removed": [member, …]}
//	of a list   {"removed": [from, …], "moved": [from, to, …], "added": [to, element, …]}
//
// from counts in the list before and to in the list after, both from 0. Who
// applies it takes the elements that were removed or moved out of the list
// before; then the moved and the added ones have their places in the list after,
// and what is left fills the others in its order. Of pairs, such as members with
// scores, each counts as one element. Parts without content are left out.
type delta struct {
	reply  resp.Reply
	v2, v3 []byte

	once sync.Once
	json []byte
}

func (d *delta) in(proto int) []byte {
	if proto == 2 {
		return d.v2
	}
	return d.v3
}

func (d *delta) inJSON(version uint64) []byte {
	d.once.Do(func() { d.json = appendVersionJSON(resp.AppendJSON(nil, d.reply), version) })
	return d.json
}

// deltas are those to one state that somebody has asked for. The watchers of a
// query mostly come from the same state, so each is made once.
type deltas struct {
	mu   sync.Mutex
	list []deltaFrom
}

type deltaFrom struct {
	version uint64
	delta   *delta // nil: the whole state is shorter
}

// deltasMax is how many deltas to a state are kept.
const deltasMax = 8

// since is the delta from an earlier state to this one, nil if there is none that
// is shorter than the state.
func (st *State) since(from *State) *delta {
	if st.shared == nil {
		return newDelta(from, st)
	}
	d := &st.shared.deltas
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, have := range d.list {
		if have.version == from.Version {
			return have.delta
		}
	}
	one := newDelta(from, st)
	if len(d.list) == deltasMax {
		d.list = d.list[:copy(d.list, d.list[1:])]
	}
	d.list = append(d.list, deltaFrom{from.Version, one})
	return one
}

func newDelta(from, to *State) *delta {
	if from.Kind != Current || to.Kind != Current || from.Result.Kind() != to.Result.Kind() {
		return nil
	}
	var reply resp.Reply
	switch to.Result.Kind() {
	case resp.Pairs:
		reply = mapDelta(elements(from.Result), elements(to.Result))
	case resp.Unordered:
		reply = setDelta(elements(from.Result), elements(to.Result))
	case resp.List, resp.Couples:
		reply = listDelta(elements(from.Result), elements(to.Result))
	default:
		return nil
	}
	d := &delta{reply: reply, v3: resp.V3.Append(nil, reply)}
	if len(d.v3) >= len(to.v3) {
		return nil
	}
	d.v2 = resp.V2.Append(nil, reply)
	return d
}

// element is one of a collection: of maps and pairs two replies.
type element struct {
	key   string // what tells it from others: its encoding
	reply []resp.Reply
}

// elements takes a collection apart.
func elements(r resp.Reply) []element {
	step := 1
	if k := r.Kind(); k == resp.Pairs || k == resp.Couples {
		step = 2
	}
	items := r.Items()
	all := make([]element, 0, len(items)/step)
	var text []byte
	for i := 0; i+step <= len(items); i += step {
		text = text[:0]
		for _, item := range items[i : i+step] {
			text = resp.V3.Append(text, item)
		}
		all = append(all, element{string(text), items[i : i+step]})
	}
	return all
}

// as is the element where it stands in a delta of a list.
func (e element) as() resp.Reply {
	if len(e.reply) == 1 {
		return e.reply[0]
	}
	return resp.Array(e.reply...)
}

// part adds a part to a delta unless it is empty.
func part(parts []resp.Reply, name string, content resp.Reply) []resp.Reply {
	if len(content.Items()) == 0 {
		return parts
	}
	return append(parts, resp.BulkString(name), content)
}

func mapDelta(from, to []element) resp.Reply {
	field := func(e element) string { return string(resp.V3.Append(nil, e.reply[0])) }
	before := make(map[string]string, len(from))
	for _, e := range from {
		before[field(e)] = e.key
	}
	var set, removed []resp.Reply
	for _, e := range to {
		if name := field(e); before[name] != e.key {
			set = append(set, e.reply...)
		}
		delete(before, field(e))
	}
	for _, e := range from {
		if _, gone := before[field(e)]; gone {
			removed = append(removed, e.reply[0])
		}
	}
	return resp.Map(part(part(nil, "set", resp.Map(set...)), "removed", resp.Array(removed...))...)
}

func setDelta(from, to []element) resp.Reply {
	less := func(all, than []element) (rest []resp.Reply) {
		have := make(map[string]bool, len(than))
		for _, e := range than {
			have[e.key] = true
		}
		for _, e := range all {
			if !have[e.key] {
				rest = append(rest, e.reply[0])
			}
		}
		return rest
	}
	parts := part(nil, "added", resp.Array(less(to, from)...))
	return resp.Map(part(parts, "removed", resp.Array(less(from, to)...))...)
}

func listDelta(from, to []element) resp.Reply {
	came := origins(from, to)
	stays := longestRise(came)
	left := make([]bool, len(from))
	var removed, moved, added []resp.Reply
	for j, i := range came {
		switch {
		case i < 0:
			added = append(added, resp.Int(int64(j)), to[j].as())
		case !stays[j]:
			moved = append(moved, resp.Int(int64(i)), resp.Int(int64(j)))
		}
		if i >= 0 {
			left[i] = true
		}
	}
	for i, has := range left {
		if !has {
			removed = append(removed, resp.Int(int64(i)))
		}
	}
	parts := part(nil, "removed", resp.Array(removed...))
	parts = part(parts, "moved", resp.Array(moved...))
	return resp.Map(part(parts, "added", resp.Array(added...))...)
}

// origins says of each element of a list where it was before, -1 if it is new.
// Of equal elements the first was the first.
func origins(from, to []element) []int {
	where := make(map[string][]int, len(from))
	for i, e := range from {
		where[e.key] = append(where[e.key], i)
	}
	came := make([]int, len(to))
	for j, e := range to {
		came[j] = -1
		if have := where[e.key]; len(have) > 0 {
			came[j], where[e.key] = have[0], have[1:]
		}
	}
	return came
}

// longestRise marks the members of a longest rising subsequence of those numbers
// that are not negative: by patience sorting (Schensted, 1961).
func longestRise(numbers []int) (member []bool) {
	var tops []int // places of the smallest last members, by length
	before := make([]int, len(numbers))
	for at, n := range numbers {
		if n < 0 {
			continue
		}
		length := sort.Search(len(tops), func(k int) bool { return numbers[tops[k]] > n })
		before[at] = -1
		if length > 0 {
			before[at] = tops[length-1]
		}
		tops = slices.Replace(tops, length, min(length+1, len(tops)), at)
	}
	member = make([]bool, len(numbers))
	if len(tops) > 0 {
		for at := tops[len(tops)-1]; at >= 0; at = before[at] {
			member[at] = true
		}
	}
	return member
}
