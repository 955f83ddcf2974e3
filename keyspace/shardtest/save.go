package shardtest

import (
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// Save is a save of all shards of a World, in slices, between which the World
// goes on. What is saved has to be what there was when it began.
type Save struct {
	w       *World
	now     int64
	cut     map[place][]string
	images  []*image // by shard
	done    []bool   // by shard: all but large values is saved
	givenUp bool
}

// place is a key of a database.
type place struct {
	db  int
	key string
}

// StartSave begins a save.
func (w *World) StartSave() *Save {
	s := &Save{w: w, now: w.Now, done: make([]bool, len(w.Shards))}
	w.within(w.all(), func(tx *keyspace.Tx) {
		s.cut = s.describeAll(tx)
		tx.StartSave(func() keyspace.Image {
			i := &image{save: s, keys: map[place][]string{}}
			s.images = append(s.images, i)
			return i
		})
	})
	return s
}

// describeAll is what each key holds.
func (s *Save) describeAll(tx *keyspace.Tx) map[place][]string {
	all := map[place][]string{}
	for db := range databases {
		tx.DB = db
		tx.Each(func(v keyspace.Value) bool {
			if lines := s.describe(tx, v); lines != nil {
				all[place{db, string(v.Key())}] = lines
			}
			return true
		})
	}
	return all
}

// Same demands that another World, at the same time, holds the same.
func (w *World) Same(other *World) {
	w.tb.Helper()
	var both [2]map[place][]string
	for i, one := range []*World{w, other} {
		s := &Save{w: one, now: one.Now}
		one.within(one.all(), func(tx *keyspace.Tx) { both[i] = s.describeAll(tx) })
	}
	if len(both[0]) != len(both[1]) {
		w.tb.Errorf("%d keys, and %d in the other", len(both[0]), len(both[1]))
	}
	for at, want := range both[1] {
		if !slices.Equal(both[0][at], want) {
			w.tb.Errorf("%v is %s", at, difference(both[0][at], want))
		}
	}
}

// within runs a function in a turn of its own.
func (w *World) within(shards []int, run func(tx *keyspace.Tx)) {
	w.tb.Helper()
	w.Execute(&keyspace.Execute{Encoder: resp.V3, Requests: []keyspace.Request{{DB: w.DB, Do: func(tx *keyspace.Tx) resp.Reply {
		run(tx)
		return resp.OK
	}}}}, shards)
}

// Step saves a slice of one of the shards, and reports whether everything is
// saved.
func (s *Save) Step(rng *rand.Rand) (done bool) {
	at := rng.IntN(len(s.w.Shards))
	s.w.within([]int{at}, func(tx *keyspace.Tx) {
		var out []byte
		if !s.done[at] {
			_, s.done[at] = tx.SaveSome(out, rng.IntN(2000))
		} else {
			tx.SaveLarge(out, 1+rng.IntN(2000))
		}
	})
	left := 0
	s.w.within(s.w.all(), func(tx *keyspace.Tx) { left = tx.LargeLeft() })
	return left == 0 && !slices.Contains(s.done, false)
}

// GiveUp gives the save up: it has to be stepped to its end nevertheless.
func (s *Save) GiveUp() {
	s.givenUp = true
	s.w.within(s.w.all(), func(tx *keyspace.Tx) { tx.GiveUpSave() })
}

// End ends a save that is done, and compares what was saved with what there was.
func (s *Save) End() {
	s.w.tb.Helper()
	s.w.within(s.w.all(), func(tx *keyspace.Tx) {
		if _, err := tx.EndSave(); err != nil {
			s.w.tb.Error(err)
		}
	})
	for _, sh := range s.w.Shards {
		if n := sh.EarlyBytes(); n != 0 {
			s.w.tb.Errorf("%d bytes are kept after the save", n)
		}
	}
	if s.givenUp {
		return
	}
	got := map[place][]string{}
	for _, i := range s.images {
		for at, lines := range i.keys {
			if got[at] != nil {
				s.w.tb.Errorf("%v is saved by two shards", at)
			}
			got[at] = lines
		}
	}
	for at, want := range s.cut {
		if !slices.Equal(got[at], want) {
			s.w.tb.Errorf("%v is saved as %s", at, difference(got[at], want))
		}
	}
	for at := range got {
		if s.cut[at] == nil {
			s.w.tb.Errorf("%v is saved and was not there: %.1000q", at, got[at])
		}
	}
}

// difference says where two lists part.
func difference(got, want []string) string {
	at := 0
	for at < len(got) && at < len(want) && got[at] == want[at] {
		at++
	}
	around := func(lines []string) []string { return lines[min(max(0, at-1), len(lines)):min(at+2, len(lines))] }
	return fmt.Sprintf("%d lines, want %d; line %d: %.300q, want %.300q", len(got), len(want), at, around(got), around(want))
}

// head is what is told of a key beside its elements.
func head(t keyspace.Type, e keyspace.Encoding, deadline int64) string {
	return fmt.Sprintf("%v %v until %d", t, e, deadline)
}

// describe is all that a key holds, in lines; nil if it is past its deadline.
func (s *Save) describe(tx *keyspace.Tx, v keyspace.Value) []string {
	kind, lines := s.w.Settings.Kinds[v.Type()], []string(nil)
	if kind.Parts != nil {
		lines = StreamLines(kind.Parts(tx, v))
	} else {
		kind.Each(tx, v, func(e keyspace.Element) bool {
			lines = s.appendElement(lines, e)
			return true
		})
	}
	return s.finish(lines, v.Type(), head(v.Type(), v.Encoding(), tx.Deadline(v)), tx.Deadline(v))
}

// finish puts the lines of a key in order.
func (s *Save) finish(lines []string, t keyspace.Type, head string, deadline int64) []string {
	if deadline >= 0 && deadline <= s.now || len(lines) == 0 {
		return nil
	}
	if t != keyspace.List && t != keyspace.Stream {
		slices.Sort(lines)
	}
	return append([]string{head}, lines...)
}

// appendElement appends a line for an element, unless it is past its deadline.
func (s *Save) appendElement(lines []string, e keyspace.Element) []string {
	if e.Deadline != 0 && e.Deadline <= s.now {
		return lines
	}
	return append(lines, fmt.Sprintf("%.100q %.100q %v %d", e.Text, e.Value, e.Score, e.Deadline))
}

// image is a keyspace.StreamImage that keeps lines.
type image struct {
	save  *Save
	keys  map[place][]string
	db    int
	lines []string // of the large value begun last
	count int      // elements of it
}

// Database implements keyspace.Image.
func (i *image) Database(dst []byte, db int) []byte {
	i.db = db
	return dst
}

// Entry implements keyspace.Image.
func (i *image) Entry(dst []byte, tx *keyspace.Tx, v keyspace.Value) []byte {
	return i.add(dst, string(v.Key()), i.save.describe(tx, v))
}

// add notes what is saved of a key. As many bytes stand for it.
func (i *image) add(dst []byte, key string, lines []string) []byte {
	at := place{i.db, key}
	if i.keys[at] != nil {
		i.save.w.tb.Errorf("%v is saved twice", at)
	}
	if lines != nil {
		i.keys[at] = lines
	}
	return append(dst, make([]byte, 10*len(lines))...)
}

// Begin implements keyspace.Image.
func (i *image) Begin(dst []byte, _ keyspace.Large) []byte {
	i.lines, i.count = nil, 0
	return dst
}

// Element implements keyspace.Image.
func (i *image) Element(dst []byte, _ keyspace.Large, e keyspace.Element) []byte {
	i.count++
	i.lines = i.save.appendElement(i.lines, e)
	return append(dst, make([]byte, 10)...)
}

// Part implements keyspace.StreamImage.
func (i *image) Part(dst []byte, _ keyspace.Large, p keyspace.StreamPart) []byte {
	before := len(i.lines)
	i.lines = AppendPart(i.lines, p)
	if run, is := p.(keyspace.StreamRun); is {
		for range run.Entries {
			i.count++
		}
	}
	return append(dst, make([]byte, 10*(len(i.lines)-before))...)
}

// End implements keyspace.Image.
func (i *image) End(dst []byte, l keyspace.Large) []byte {
	if i.count != l.Frozen.Len() {
		i.save.w.tb.Errorf("%s has %d elements, %d were told", l.Key, i.count, l.Frozen.Len())
	}
	return i.add(dst, string(l.Key), i.save.finish(i.lines, l.Type, head(l.Type, l.Encoding, l.Deadline), l.Deadline))
}
