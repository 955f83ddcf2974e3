package set

import (
	"cmp"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// lookupAll finds the sets of several keys, which may be missing. If ok is
// false, one of the keys holds something else.
func lookupAll(tx *keyspace.Tx, keys [][]byte) (sets []members, ok bool) {
	sets = make([]members, len(keys))
	for i, key := range keys {
		if sets[i], ok = lookup(tx, key); !ok {
			return nil, false
		}
	}
	return sets, true
}

// collection is what sets are brought together in: the items of a reply, or a
// new set.
type collection interface {
	// put adds a text that is new, and of which add and remove are never asked.
	put(text []byte)
	// add adds a text and reports whether it is new.
	add(text []byte) (added bool)
	// remove takes a text out and reports whether it was there.
	remove(text []byte) bool
}

// intersect calls visit for every text that is in all of the sets until it
// returns false. It changes their order.
func intersect(sets []members, visit func(text []byte) bool) {
	// The smallest first: no more than its members can be in all. What others
	// don't have shows soonest in small ones.
	slices.SortStableFunc(sets, func(a, b members) int { return cmp.Compare(a.len(), b.len()) })
	var d digits
	sets[0].each(&d, func(text []byte) bool {
		for i := range sets[1:] {
			if !sets[1+i].has(text) {
				return true
			}
		}
		return visit(text)
	})
}

// unite adds the members of all the sets.
func unite(sets []members, to collection) {
	var d digits
	for i := range sets {
		sets[i].each(&d, func(text []byte) bool {
			to.add(text)
			return true
		})
	}
}

// subtract adds the members of the first set that are in none of the others.
// Of the two ways to do so it takes the one that promises less work: to look
// for each member in all others, or to take the others' members out. The first
// is preferred a little, since a member that is found is looked for no longer.
func subtract(sets []members, to collection) {
	first, others := sets[0], sets[1:]
	if looking := first.len() * len(sets) / 2; looking > sum(sets) {
		unite(sets[:1], to)
		takeOut(others, to)
		return
	}
	slices.SortStableFunc(others, func(a, b members) int { return cmp.Compare(b.len(), a.len()) })
	var d digits
	first.each(&d, func(text []byte) bool {
		for i := range others {
			if others[i].has(text) {
				return true
			}
		}
		to.put(text)
		return true
	})
}

// sum is the number of members of all the sets.
func sum(sets []members) (n int) {
	for i := range sets {
		n += sets[i].len()
	}
	return n
}

// takeOut removes the members of the sets.
func takeOut(sets []members, from collection) {
	for i := range sets {
		var d digits
		sets[i].each(&d, func(text []byte) bool {
			from.remove(text)
			return true
		})
	}
}

// reply answers with what an operation makes of the sets of the keys that are
// left to read.
func reply(tx *keyspace.Tx, a *command.Args, operate func(sets []members, to collection)) resp.Reply {
	sets, ok := lookupAll(tx, a.Rest())
	if !ok {
		return resp.ErrWrongType
	}
	g := newGathering(tx, sum(sets))
	defer g.close()
	operate(sets, g)
	return resp.Set(g.list()...)
}

// store makes a key what an operation makes of the sets of the keys after it,
// whatever it held before, and answers how many members that has.
func store(tx *keyspace.Tx, a *command.Args, operate func(sets []members, to collection)) resp.Reply {
	key := a.Key()
	sets, ok := lookupAll(tx, a.Rest())
	if !ok {
		return resp.ErrWrongType
	}
	e := begin(tx, key)
	operate(sets, &e)
	n := e.len()
	e.replace(keyspace.NoDeadline, command.Lower([]byte(a.Meta().Name)))
	return resp.Int(int64(n))
}
