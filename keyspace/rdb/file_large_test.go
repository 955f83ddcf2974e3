package rdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/troupedb/troupe/keyspace"
)

// numbered are so many members with a text each that compression leaves alone.
func numbered(count int) (members []member) {
	for i := range count {
		members = append(members, member{text: fmt.Sprintf("the field %d", i), value: fmt.Sprintf("%x", uint64(i)*0x9e3779b97f4a7c15)})
	}
	return members
}

// Values above the bound come element by element, those below it raw, however
// the file is read; and what follows them is found.
func TestLargeValues(t *testing.T) {
	t.Parallel()
	large, text := numbered(80_000), strings.Repeat("0123456789", largeAbove/10+1)
	e := NewEncoder(nil)
	e.Compress(false)
	e.Key(NoMeta, []byte("below"), valueOf(keyspace.Hash, keyspace.HashTable, large[:20_000]))
	e.Key(Meta{99, -1, -1}, []byte("hash"), valueOf(keyspace.Hash, keyspace.HashTable, large))
	e.Key(NoMeta, []byte("list"), valueOf(keyspace.List, keyspace.Quicklist, large))
	e.Key(NoMeta, []byte("string"), valueOf(keyspace.String, keyspace.Raw, []member{{text: text}}))
	e.Key(NoMeta, []byte("packed"), valueOf(keyspace.Hash, keyspace.Listpack, large))
	e.Key(NoMeta, []byte("stream"), Value{Type: keyspace.Stream, Stream: manyEntries(60_000)})
	e.Key(NoMeta, []byte("small"), valueOf(keyspace.Set, keyspace.HashTable, []member{{text: "a"}}))
	file := fileOf(t, e)
	list := make([]member, len(large))
	for i := range large {
		list[i].text = large[i].text
	}
	f := func(in io.Reader) {
		t.Helper()
		r := NewFileReader(in, ReadOptions{})
		all, err := readFile(r)
		if err != nil || len(all) != 7 {
			t.Fatalf("%d keys, %v", len(all), err)
		}
		for i, want := range []told{keyOf("below", large[:20_000]...), {key: "hash", meta: Meta{99, -1, -1}, members: large, large: true},
			{key: "list", members: list, large: true}, {key: "string", members: []member{{text: text}}, large: true},
			{key: "packed", members: large, large: true}} {
			if got := all[i]; got.key != want.key || got.large != want.large || !same(got.members, want.members) {
				t.Errorf("%v, want %v", got, want)
			}
		}
		if got := all[5]; got.large || len(got.members) != 60_000 {
			t.Errorf("%v", got)
		}
		if got := all[6]; !sameTold([]told{got}, []told{keyOf("small", member{text: "a"})}) {
			t.Errorf("%v", got)
		}
	}
	f(bytes.NewReader(file))
	f(iotest.HalfReader(bytes.NewReader(file)))
	f(&smallReader{bytes.NewReader(file), 1460})
}

// manyEntries is a stream of so many entries.
func manyEntries(count uint64) *keyspace.StreamParts {
	return &keyspace.StreamParts{
		Length: count, Added: count, First: keyspace.StreamID{Time: 1}, Last: keyspace.StreamID{Time: count},
		Entries: func(yield func(keyspace.StreamID, [][]byte) bool) {
			for i := range count {
				if !yield(keyspace.StreamID{Time: i + 1}, [][]byte{[]byte("the name"), fmt.Appendf(nil, "%x", i*0x9e3779b97f4a7c15)}) {
					return
				}
			}
		},
	}
}

// smallReader gives no more than some bytes at once.
type smallReader struct {
	from io.Reader
	most int
}

func (r *smallReader) Read(b []byte) (int, error) { return r.from.Read(b[:min(len(b), r.most)]) }

// Elements that nobody asks for, or not all of them, are passed over.
func TestLargeValuesLeft(t *testing.T) {
	t.Parallel()
	e := NewEncoder(nil)
	for i := range 3 {
		e.Key(NoMeta, fmt.Append(nil, i), valueOf(keyspace.Hash, keyspace.HashTable, numbered(50_000)))
	}
	file := fileOf(t, e)
	r := NewFileReader(bytes.NewReader(file), ReadOptions{})
	count := 0
	for i := range 3 {
		it, err := r.Next()
		if err != nil || string(it.Key) != fmt.Sprint(i) || it.Elements == nil {
			t.Fatalf("%v, %v", it, err)
		}
		for range it.Elements {
			if count++; i == 0 || i == 1 && count > 25_000 {
				break
			}
		}
		for range it.Elements {
			t.Fatal("elements are given twice")
		}
	}
	if _, err := r.Next(); !errors.Is(err, io.EOF) || count != 25_001+50_000 {
		t.Errorf("%v, %d elements", err, count)
	}

	r = NewFileReader(bytes.NewReader(file[:len(file)*3/5]), ReadOptions{})
	r.Next()
	it, _ := r.Next()
	count = 0
	for range it.Elements {
		count++
	}
	_, err := r.Next()
	var mistake *FileError
	if !errors.As(err, &mistake) || !errors.Is(r.Err(), ErrShort) || mistake.Begin != it.Offset || string(mistake.Key) != "1" || count == 0 {
		t.Errorf("cut in the middle: %v after %d elements", err, count)
	}
	r = NewFileReader(bytes.NewReader(file[:len(file)*3/5]), ReadOptions{})
	r.Next()
	r.Next()
	if _, err := r.Next(); !errors.Is(err, ErrShort) {
		t.Errorf("cut in the middle of what is passed over: %v", err)
	}
}

// hashReader is a file of one hash of so many fields, made as it is read.
type hashReader struct {
	fields, made int
	rest         []byte
}

func (h *hashReader) Read(b []byte) (int, error) {
	for len(h.rest) == 0 {
		switch {
		case h.made > h.fields:
			return 0, io.EOF
		case h.made == 0:
			h.rest = binary.BigEndian.AppendUint32([]byte("REDIS0010\x04\x01h\x80"), uint32(h.fields))
		}
		for end := min(h.made+1000, h.fields); h.made < end; h.made++ {
			h.rest = fmt.Appendf(h.rest, "\x0cfield %06d\x40\x80%0128d", h.made, h.made)
		}
		if h.made == h.fields {
			h.rest = append(h.rest, "\xff00000000"...)
			h.made++
		}
	}
	n := copy(b, h.rest)
	h.rest = h.rest[n:]
	return n, nil
}

// A hash of many megabytes is read in a few.
func TestLargeValueInLittleMemory(t *testing.T) {
	const fields = 300_000
	r := NewFileReader(&hashReader{fields: fields}, ReadOptions{Unchecked: true})
	it, err := r.Next()
	if err != nil {
		t.Fatal(err)
	}
	count, peak := 0, uint64(0)
	for range it.Elements {
		if count++; count%20_000 == 0 {
			peak = max(peak, inUse())
		}
	}
	if r.Err() != nil || count != fields || r.Offset() < 40<<20 {
		t.Errorf("%d fields, %d bytes, %v", count, r.Offset(), r.Err())
	}
	if peak > 16<<20 {
		t.Errorf("%d bytes of memory for %d of a file", peak, r.Offset())
	}
}

// inUse is how many bytes are in use.
func inUse() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// Lengths that say more than there is take no memory.
func TestFileLengthsThatLie(t *testing.T) {
	const huge = "\x81\x7f\xff\xff\xff\xff\xff\xff\xff"
	f := func(file string) {
		t.Helper()
		before := allocated()
		if _, err := readBytes([]byte(file)); err == nil {
			t.Errorf("%q is read", file)
		}
		if took := allocated() - before; took > 4<<20 {
			t.Errorf("%q takes %d bytes", file, took)
		}
	}
	const head = "REDIS0010"
	f(head + "\x00\x80\x1f\xff\xff\xffkey")
	f(head + "\x00\x01k\x80\x1f\xff\xff\xffvalue")
	f(head + "\x00\x01k\xc3\x05\x80\x1f\xff\xff\xff\x00a\xe0\x14\x00")
	f(head + "\xfa\x80\x1f\xff\xff\xffname")
	f(head + "\xfb" + huge + huge)
	for form := range Form(30) {
		f(head + string(rune(form)) + "\x01k" + huge + "\x01a\x01a")
		f(head + string(rune(form)) + "\x01k" + strings.Repeat("\x01", 9) + huge + huge + huge)
	}
}
