package keyspace

// Warmer is an Object that can look ahead for elements.
type Warmer interface {
	Object
	// Warm touches the places of the elements of texts, a few of which may be
	// none. It returns something that depends on what it has read.
	Warm(texts [][]byte) (touched byte)
}

// warmElements looks ahead, for commands in a row on one large value, for the
// elements that these are probably about. What it returns is for warm.
func (sh *Shard) warmElements(part []Request) (touched byte) {
	for from := 0; from+warmMin <= len(part); {
		first, to := &part[from], from+1
		for to < len(part) && part[to].keys == first.keys && part[to].slot == first.slot {
			to++
		}
		if first.keys != nil && first.slot != nil && to-from >= warmMin {
			touched += sh.warmValue(part[from:to])
		}
		from = to
	}
	return touched
}

// warmValue is warmElements for requests on one value.
func (sh *Shard) warmValue(run []Request) (touched byte) {
	q := &run[0]
	head, same := sh.holds(q.slot.Ref(), q.Argv[q.Spec.SingleKey()])
	if !same || !head.object() || head.cold {
		return 0
	}
	value := Value{home: home{sh, &sh.dbs[q.DB]}, slot: q.slot, head: head}
	object, ok := value.Object().(Warmer)
	if !ok {
		return 0
	}
	var texts [warmPart][]byte
	n := 0
	for i := range run {
		if words := run[i].Argv; len(words) > 2 {
			texts[n] = words[elementAt(object.Type(), len(words))]
			n++
		}
	}
	return object.Warm(texts[:n])
}

// elementAt is where the first element, or for a sorted set the last one, stands
// in most commands of so many words.
func elementAt(t Type, words int) int {
	if t == SortedSet {
		return words - 1
	}
	return 2
}
