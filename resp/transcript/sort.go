package transcript

import (
	"cmp"
	"slices"

	"github.com/troupedb/troupe/resp"
)

// sorting is how the elements of a reply are put in order.
type sorting struct {
	on    bool
	pairs bool // flat arrays in twos
}

// apply puts the elements of r in order, at every level of it.
func (s sorting) apply(r resp.Reply) resp.Reply {
	if !s.on || len(r.Items()) == 0 {
		return r
	}
	items := make([]resp.Reply, len(r.Items()))
	for i, item := range r.Items() {
		items[i] = s.apply(item)
	}
	step := 1
	if r.Kind() == resp.Pairs || s.pairs && !slices.ContainsFunc(items, isAggregate) {
		step = 2
	}
	return withItems(r, sortBy(items, step))
}

func isAggregate(r resp.Reply) bool {
	switch r.Kind() {
	case resp.List, resp.Unordered, resp.Pairs, resp.Out:
		return true
	}
	return false
}

// sortBy sorts groups of step items by the first of each. What is no aggregate
// goes first, so that a cursor stays before what it has found.
func sortBy(items []resp.Reply, step int) []resp.Reply {
	groups := slices.Collect(slices.Chunk(items, step))
	slices.SortStableFunc(groups, func(a, b []resp.Reply) int {
		switch isAggregate(a[0]) {
		case isAggregate(b[0]):
			return cmp.Compare(resp.Format(a[0]), resp.Format(b[0]))
		case true:
			return 1
		}
		return -1
	})
	return slices.Concat(groups...)
}
