package actors

import (
	"context"
	"iter"
	"slices"
	"strings"
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
// The keyspace is a table without an order. So first all keys are looked at, in
// steps of a tenth of a millisecond between which others are served, and those of
// the range are put in order; then their values are read, some at a time. A string
// that is there from the begin to the end is yielded, with a value of its time; of
// what comes and goes meanwhile some is. If the range has more than 262,144 keys,
// these two stages take turns, so that no more are in memory than twice as many.
// Who needs the keys of one moment uses KEYRANGE, which holds up all others while
// it lasts.
func (db *DB) Scan(ctx context.Context, r Range) iter.Seq2[KeyValue, error] {
	return func(yield func(KeyValue, error) bool) {
		left := r.Limit
		for at := newScan(r); ; {
			size := scanKeys
			if r.Limit > 0 {
				size = min(size, left)
			}
			keys, err := at.gather(ctx, db, size)
			for part := range slices.Chunk(keys, scanPart) {
				var some []KeyValue
				if some, err = at.read(ctx, db, part); err != nil {
					break
				}
				for _, kv := range some {
					if !yield(kv, nil) {
						return
					}
				}
				left -= len(some)
			}
			if err != nil {
				yield(KeyValue{}, err)
				return
			}
			if len(keys) < size || r.Limit > 0 && left == 0 {
				return
			}
			at.last, at.begun = keys[len(keys)-1], true
		}
	}
}

const (
	scanKeys = 1 << 18 // that are put in order at once
	scanStep = 512     // that are looked at in one turn of a shard
	scanPart = 256     // whose values are read in one
)

// scan is where a scan of a range stands.
type scan struct {
	Range
	step  []any  // the words of a SCAN behind its cursor
	last  string // the last key that was gathered
	begun bool   // there is one
}

func newScan(r Range) *scan {
	s := &scan{Range: r, step: []any{"COUNT", scanStep, "TYPE", "string"}}
	if r.Prefix != "" {
		s.step = append(s.step, "MATCH", literally.Replace(r.Prefix)+"*")
	}
	return s
}

// literally makes a text a pattern that only it matches.
var literally = strings.NewReplacer(`\`, `\\`, "*", `\*`, "?", `\?`, "[", `\[`)

// compare is the order in which keys are wanted.
func (s *scan) compare(a, b string) int {
	if s.Reverse {
		a, b = b, a
	}
	return strings.Compare(a, b)
}

// wants reports whether a key is in what is left of the range.
func (s *scan) wants(key string) bool {
	return key >= s.From && (s.To == "" || key < s.To) && (!s.begun || s.compare(key, s.last) > 0)
}

// gather gives the next keys of the range in order, so many or, at its end, fewer.
func (s *scan) gather(ctx context.Context, db *DB, size int) (keys []string, err error) {
	full := false
	for cursor := "0"; ; {
		reply, err := db.Do(ctx, "SCAN", append([]any{cursor}, s.step...)...)
		if err != nil {
			return nil, err
		}
		for _, key := range reply.Items()[1].Strings() {
			if s.wants(key) && (!full || s.compare(key, keys[size-1]) < 0) {
				keys = append(keys, key)
			}
		}
		cursor = reply.Items()[0].Text()
		if cursor != "0" && len(keys)/2 < size {
			continue
		}
		slices.SortFunc(keys, s.compare)
		keys = slices.Compact(keys) // SCAN may meet a key twice
		if full = len(keys) >= size; full {
			keys = keys[:size]
		}
		if cursor == "0" {
			return keys, nil
		}
	}
}

// read gives the keys with their values, less those that are no strings any more.
func (s *scan) read(ctx context.Context, db *DB, keys []string) ([]KeyValue, error) {
	some := make([]KeyValue, 0, len(keys))
	if s.KeysOnly {
		for _, key := range keys {
			some = append(some, KeyValue{Key: key})
		}
		return some, nil
	}
	values, err := db.MGet(ctx, keys...)
	for i, value := range values {
		if value != nil {
			some = append(some, KeyValue{keys[i], value})
		}
	}
	return some, err
}
