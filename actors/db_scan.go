package actors

import (
	"context"
	"iter"
)

// Range is a range of keys in the order of their bytes.
type Range struct {
	// Prefix is what the keys begin with.
	Prefix string
	// From is the first key that may be in the range, and To the first behind it;
	// "" is no bound.
	From, To string
	// Reverse goes from the last key to the first.
	Reverse bool
	// Limit is how many keys there may be; 0 is all.
	Limit int
	// KeysOnly leaves the values out.
	KeysOnly bool
}

// KeyValue is a key with the text that it holds.
type KeyValue struct {
	Key   string
	Value []byte
}

// Scan yields the strings of a range, in order. Keys of other types are passed
// over. After an error, which is yielded, it ends.
//
// The keys are read some at a time, each part at one moment of its own: what
// changes meanwhile behind the part that was read last is seen. The keyspace is a
// table without an order, so each part costs a look at every key (see KEYRANGE);
// parts double, so that there are few of them.
func (db *DB) Scan(ctx context.Context, r Range) iter.Seq2[KeyValue, error] {
	return func(yield func(KeyValue, error) bool) {
		limit, size := r.Limit, scanFirst
		for at := r.begin(); ; size = min(2*size, scanMost) {
			if limit > 0 {
				size = min(size, limit)
			}
			part, err := at.next(ctx, db, size)
			if err != nil {
				yield(KeyValue{}, err)
				return
			}
			for _, kv := range part {
				if !yield(kv, nil) {
					return
				}
			}
			if limit -= len(part); len(part) < size || limit == 0 {
				return
			}
			at.start = "(" + part[len(part)-1].Key
		}
	}
}

// The numbers of keys in the first part of a scan, and in the largest.
const (
	scanFirst = 1 << 10
	scanMost  = 1 << 16
)

// scan is where a scan of a range stands: the ends of what is left of it, as
// KEYRANGE reads them, in the order in which it wants them.
type scan struct {
	Range
	start, stop string
}

func (r Range) begin() scan {
	low, high := "-", "+"
	if r.From != "" {
		low = "[" + r.From
	}
	if r.To != "" {
		high = "(" + r.To
	}
	if r.Reverse {
		low, high = high, low
	}
	return scan{r, low, high}
}

// next reads at most so many keys.
func (s *scan) next(ctx context.Context, db *DB, size int) ([]KeyValue, error) {
	t := db.ask(ctx, kKeyRange).text(s.start).text(s.stop).text("TYPE").text("string").text("LIMIT").int(int64(size))
	if s.Prefix != "" {
		t = t.text("PREFIX").text(s.Prefix)
	}
	if s.Reverse {
		t = t.text("REV")
	}
	each := 1
	if !s.KeysOnly {
		t, each = t.text("WITHVALUES"), 2
	}
	list, err := t.asSlices()
	if err != nil {
		return nil, err
	}
	part := make([]KeyValue, len(list)/each)
	for i := range part {
		part[i].Key = string(list[each*i])
		if !s.KeysOnly {
			part[i].Value = list[each*i+1]
		}
	}
	return part, nil
}
