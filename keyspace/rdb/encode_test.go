package rdb

import (
	"bytes"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// kept are the ways in which values are kept, and the forms that follow.
var kept = []struct {
	typ  keyspace.Type
	enc  keyspace.Encoding
	form Form
}{
	{keyspace.String, keyspace.Raw, Text},
	{keyspace.String, keyspace.Int, Text},
	{keyspace.List, keyspace.Listpack, Listpacks},
	{keyspace.List, keyspace.Quicklist, Listpacks},
	{keyspace.Set, keyspace.Intset, SetIntset},
	{keyspace.Set, keyspace.Listpack, Set},
	{keyspace.Set, keyspace.HashTable, Set},
	{keyspace.SortedSet, keyspace.Listpack, SortedSetListpack},
	{keyspace.SortedSet, keyspace.Skiplist, SortedSet},
	{keyspace.Hash, keyspace.Listpack, HashListpack},
	{keyspace.Hash, keyspace.HashTable, Hash},
}

// drawMembers draws the elements of a value that is kept in some way.
func drawMembers(rng *rand.Rand, typ keyspace.Type, enc keyspace.Encoding) (members []member) {
	count := 1 + rng.IntN(1<<rng.IntN(10))
	switch {
	case typ == keyspace.String:
		count = 1
	case enc == keyspace.Intset:
		return drawNumbers(rng, count)
	}
	most := 1 << rng.IntN(14)
	if enc == keyspace.Listpack {
		most = min(most, 64)
	}
	for range count {
		m := member{text: string(drawText(rng, most))}
		switch typ {
		case keyspace.SortedSet:
			m.score = drawScore(rng)
		case keyspace.Hash:
			m.value = string(drawText(rng, most))
		}
		members = append(members, m)
	}
	return members
}

// drawNumbers draws different numbers, in order.
func drawNumbers(rng *rand.Rand, count int) (members []member) {
	width := rng.IntN(64)
	var all []int64
	for range count {
		n := int64(rng.Uint64() >> width)
		if rng.IntN(2) == 0 {
			n = -n
		}
		all = append(all, n)
	}
	slices.Sort(all)
	for _, n := range slices.Compact(all) {
		members = append(members, member{text: string(NewDecoder(nil).digits(n))})
	}
	return members
}

// What was written is read again, from memory and from a stream of pieces.
func TestValuesComeBack(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		memory, pieces := NewEncoder(nil), &pieces{}
		stream := NewWriter(pieces)
		var want [][]member
		var forms []Form
		for range 20 {
			for _, k := range kept {
				members := drawMembers(rng, k.typ, k.enc)
				v := valueOf(k.typ, k.enc, members)
				for _, e := range []*Encoder{memory, stream} {
					if form, written := e.Value(v); form != k.form || !written {
						t.Fatalf("a %s kept as %s is written as %s", k.typ, k.enc, form)
					}
				}
				want, forms = append(want, members), append(forms, k.form)
			}
		}
		if err := stream.Flush(); err != nil || !bytes.Equal(pieces.all, memory.Bytes()) {
			t.Fatalf("the stream got %d bytes, memory %d: %v", len(pieces.all), len(memory.Bytes()), err)
		}
		if pieces.largest > piece+1<<16 {
			t.Errorf("the largest of the pieces has %d bytes", pieces.largest)
		}
		for _, d := range []*Decoder{NewDecoder(memory.Bytes()), NewReader(bytes.NewReader(pieces.all))} {
			for i, members := range want {
				if form := Form(d.Byte()); form != forms[i] {
					t.Fatalf("value %d is a %s, want %s", i, form, forms[i])
				}
				if got := collect(d, forms[i]); d.Err() != nil || !same(got, members) {
					t.Fatalf("value %d, a %s of %d elements, comes back with %d, %v", i, forms[i], len(members), len(got), d.Err())
				}
			}
		}
	})
}

// pieces is a stream that counts.
type pieces struct {
	all     []byte
	largest int
}

func (p *pieces) Write(b []byte) (int, error) {
	p.all = append(p.all, b...)
	p.largest = max(p.largest, len(b))
	return len(b), nil
}

// Deadlines of fields make another form, and come back.
func TestDeadlinesComeBack(t *testing.T) {
	t.Parallel()
	f := func(members ...member) {
		t.Helper()
		v := valueOf(keyspace.Hash, keyspace.Listpack, members)
		payload := Dump(v)
		if payload[0] != byte(HashTimed) || payload[len(payload)-footer] != versionTimed {
			t.Errorf("it is dumped as %q", payload)
		}
		p, err := Open(payload)
		if err != nil || p.Check() != nil || p.Type() != keyspace.Hash {
			t.Fatalf("%v, %v", err, p.Check())
		}
		for range 2 { // each walk begins anew
			var got []member
			for e := range p.Elements() {
				got = append(got, keep(e))
			}
			if !same(got, members) {
				t.Errorf("%+v came back as %+v", members, got)
			}
		}
	}
	f(member{text: "f", value: "v", deadline: 1})
	f(member{text: "a"}, member{text: "f", value: "v", deadline: lastDeadline}, member{text: "g", deadline: 1_700_000_000_000})
}

// Fields that have ended are counted by Len, and are not among the elements.
func TestEndedFields(t *testing.T) {
	t.Parallel()
	for _, enc := range []keyspace.Encoding{keyspace.Listpack, keyspace.HashTable} {
		v := valueOf(keyspace.Hash, enc, []member{{text: "f", value: "v"}})
		v.Len = 3
		p, err := Open(Dump(v))
		if err != nil || p.Check() != nil {
			t.Errorf("%v, %v", err, p.Check())
		}
		v = valueOf(keyspace.Hash, enc, nil)
		v.Len = 2
		if payload := Dump(v); payload != nil {
			t.Errorf("a hash of nothing is %q", payload)
		}
	}
}

// Texts that may be numbers, and their nearest neighbours that may not.
func TestTextsOfNumbers(t *testing.T) {
	t.Parallel()
	f := func(text string, size int) {
		t.Helper()
		e := NewEncoder(nil)
		e.Text([]byte(text))
		if got := NewDecoder(e.Bytes()).Text(); string(got) != text || len(e.Bytes()) != size {
			t.Errorf("%q takes %d bytes, want %d, and comes back as %q", text, len(e.Bytes()), size, got)
		}
	}
	f("0", 2)
	f("127", 2)
	f("-128", 2)
	f("128", 3)
	f("-129", 3)
	f("32767", 3)
	f("32768", 5)
	f("-2147483648", 5)
	f("2147483647", 5)
	f("2147483648", 11)
	f("-2147483649", 12)
	f("-0", 3)
	f("00", 3)
	f("+1", 3)
	f("", 1)
	f(strings.Repeat("a", compressAbove), compressAbove+1)
	f(strings.Repeat("a", compressAbove+1), 8)
}

// Lists are cut into blocks as redis-server cuts them; an element that is huge
// is a block as it is.
func TestBlocksOfLists(t *testing.T) {
	t.Parallel()
	f := func(want []int, sizes ...int) {
		t.Helper()
		var members []member
		for _, size := range sizes {
			members = append(members, member{text: strings.Repeat("x", size)})
		}
		e := NewEncoder(nil)
		e.Value(valueOf(keyspace.List, keyspace.Quicklist, members))
		d := NewDecoder(e.Bytes()[1:])
		var got []int
		for range d.Length() {
			if container := d.Length(); container == containerPlain {
				got = append(got, -1)
				d.Text()
				continue
			}
			n, _ := d.walk(d.Text(), eachInListpack, singles(), func(keyspace.Element) bool { return true })
			got = append(got, n)
		}
		if d.Err() != nil || !slices.Equal(got, want) {
			t.Errorf("elements of %d bytes are in blocks of %d, want %d", sizes, got, want)
		}
	}
	f([]int{1}, 1)
	f([]int{2, 1}, 4000, 4000, 4000)
	f([]int{1, 1, 1}, 10, 100_000, 10)
	f([]int{2, -1, 1, -1, -1}, 10, 10, plainAbove+1, plainAbove, plainAbove+1, plainAbove+1)
	f([]int{-1, 2}, plainAbove+1, 1, 2)
}

// The first error of a stream sticks.
func TestEncoderOfBrokenStream(t *testing.T) {
	t.Parallel()
	broken := errors.New("the disk is full")
	e := NewWriter(brokenWriter{broken})
	for range 10 {
		e.Text(bytes.Repeat([]byte("text"), piece))
		e.Text([]byte(strings.Repeat("x", 10)))
	}
	if len(e.Bytes()) > 2*piece {
		t.Errorf("%d bytes wait for what will not take them", len(e.Bytes()))
	}
	if err := e.Flush(); !errors.Is(err, broken) || e.Err() != err {
		t.Errorf("%v, %v", err, e.Err())
	}
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }
