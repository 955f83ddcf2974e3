package watch

import (
	"slices"
	"sort"
	"sync/atomic"
)

// history is a query's newest states, the newest last, for those who have to be
// told what was between, or what is different. It is replaced, never changed.
type history struct {
	states atomic.Pointer[[]*State]
	bytes  int64 // of those; belongs to the Subscription
	budget *budget
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
	if states := h.states.Load(); states != nil {
		return *states
	}
	return nil
}

// add adds the newest state and lets go as many old ones as it takes.
func (h *history) add(st *State) {
	states := append(append([]*State(nil), h.all()...), st)
	h.grow(st.cost())
	for len(states) > 1 && h.over(len(states)) {
		h.grow(-states[0].cost())
		states = states[1:]
	}
	h.states.Store(&states)
}

func (h *history) over(entries int) bool {
	return int64(entries) > max(1, h.budget.Entries.Load()) || h.budget.Used.Load() > h.budget.Bytes.Load()
}

func (h *history) grow(bytes int64) {
	h.bytes += bytes
	h.budget.Used.Add(bytes)
}

// drop lets all states go.
func (h *history) drop() {
	h.grow(-h.bytes)
	h.states.Store(nil)
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
