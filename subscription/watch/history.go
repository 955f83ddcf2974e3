package watch

import (
	"slices"
	"sort"
	"sync/atomic"
)

// history is a query's newest states, the newest last, for those who have to be
// told what was between, or what is different. What is kept is replaced, never
// changed.
type history struct{ kept atomic.Pointer[kept] }

type kept struct {
	states []*State
	bytes  int64 // that they take
}

// budget is what all histories of a server take, and may.
type budget struct {
	// Entries is how many states a query keeps, and Bytes how much all of them
	// may take; above that, each keeps the newest alone.
	Entries, Bytes atomic.Int64
	// Used is what they take now.
	Used atomic.Int64
}

// stateBytes is about what a State takes beside its result, which it keeps in
// two forms at least.
const stateBytes = 600

func (st *State) cost() int64 { return stateBytes + 2*int64(len(st.v3)) }

// all are the states that are kept.
func (h *history) all() []*State {
	if k := h.kept.Load(); k != nil {
		return k.states
	}
	return nil
}

// add adds the newest state and lets go as many old ones as it takes.
func (h *history) add(st *State, b *budget) {
	k := &kept{states: []*State{st}, bytes: st.cost()}
	if before := h.kept.Load(); before != nil {
		k.states = append(append([]*State(nil), before.states...), st)
		k.bytes += before.bytes
	}
	b.Used.Add(st.cost())
	for len(k.states) > 1 && b.over(len(k.states)) {
		least := k.states[0].cost()
		k.bytes -= least
		b.Used.Add(-least)
		k.states = k.states[1:]
	}
	h.kept.Store(k)
}

// over reports whether so many states of a query are too many.
func (b *budget) over(entries int) bool {
	return int64(entries) > max(1, b.Entries.Load()) || b.Used.Load() > b.Bytes.Load()
}

// drop lets all states go.
func (h *history) drop(b *budget) {
	if k := h.kept.Load(); k != nil {
		b.Used.Add(-k.bytes)
		h.kept.Store(nil)
	}
}

// next is the first state after so many changes, and how many there are. If
// states between are missing, gone says so, and it is the newest.
func (h *history) next(total int64) (st *State, left int, gone bool) {
	states := h.all()
	i := sort.Search(len(states), func(i int) bool { return states[i].total > total })
	if i == len(states) {
		return nil, 0, false
	}
	// The one before was seen, or stood for as many changes.
	if i == 0 || slices.ContainsFunc(states[i:], func(st *State) bool { return st.gap }) {
		return states[len(states)-1], 1, true
	}
	return states[i], len(states) - i, false
}
