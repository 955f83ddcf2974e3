package rdb

import (
	"bytes"
	"errors"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/troupedb/troupe/keyspace"
)

// Each form, written down byte by byte.
func TestForms(t *testing.T) {
	t.Parallel()
	f := func(form Form, bytes string, want ...member) {
		t.Helper()
		d := NewDecoder([]byte(bytes))
		got := collect(d, form)
		if d.Err() != nil || d.Left() != 0 || !same(got, want) {
			t.Errorf("%s: %+v, %v, and %d bytes left; want %+v", form, got, d.Err(), d.Left(), want)
		}
	}
	texts := func(all ...string) (want []member) {
		for _, text := range all {
			want = append(want, member{text: text})
		}
		return want
	}
	pairs := []member{{text: "f", value: "v"}, {text: "1", value: "-300"}}
	scores := []member{{text: "m", score: 1}, {text: "5", score: -1.5}, {text: "n", score: math.Inf(1)}}
	timed := []member{{text: "f", value: "v", deadline: 1000}, {text: "g", value: "w", deadline: 1005}, {text: "1", value: "2"}}

	f(Text, "\x05hello", texts("hello")...)
	f(Text, "\x00", texts("")...)
	f(Text, "\xc0\xfb", texts("-5")...)
	f(Text, "\xc1\x39\x30", texts("12345")...)
	f(Text, "\xc2\x00\x00\x00\x80", texts("-2147483648")...)
	f(Text, "\xc3\x05\x1e\x00a\xe0\x14\x00", texts(strings.Repeat("a", 30))...)
	f(Text, "\x40\x40"+strings.Repeat("x", 64), texts(strings.Repeat("x", 64))...)
	f(Text, "\x80\x00\x00\x00\x01x", texts("x")...)
	f(Text, "\x81\x00\x00\x00\x00\x00\x00\x00\x01x", texts("x")...)

	f(List, "\x03\x01a\xc0\x07\x01a", texts("a", "7", "a")...)
	f(Set, "\x02\x01b\x01a", texts("b", "a")...)
	f(SortedSetDigits, "\x03\x01m\x011\xc0\x05\x04-1.5\x01n\xfe", scores...)
	f(SortedSetDigits, "\x01\x01m\xff", member{text: "m", score: math.Inf(-1)})
	f(SortedSet, "\x03\x01m\x00\x00\x00\x00\x00\x00\xf0\x3f\xc0\x05\x00\x00\x00\x00\x00\x00\xf8\xbf\x01n\x00\x00\x00\x00\x00\x00\xf0\x7f", scores...)
	f(Hash, "\x02\x01f\x01v\xc0\x01\xc1\xd4\xfe", pairs...)

	blob := func(b []byte) string {
		e := NewEncoder(nil)
		e.Text(b)
		return string(e.Bytes())
	}
	f(HashZipmap, blob(zipmap("f", "v", "1", "-300")), pairs...)
	f(ListZiplist, blob(ziplist("a", "7", "a")), texts("a", "7", "a")...)
	f(SetIntset, blob(appendIntset(nil, []int64{7, -3, 40_000})), texts("-3", "7", "40000")...)
	f(SortedSetZiplist, blob(ziplist("m", "1", "5", "-1.5", "n", "inf")), scores...)
	f(HashZiplist, blob(ziplist("f", "v", "1", "-300")), pairs...)
	f(Ziplists, "\x03"+blob(ziplist("a"))+blob(ziplist())+blob(ziplist("7", "a")), texts("a", "7", "a")...)
	f(HashListpack, blob(listpack("f", "v", "1", "-300")), pairs...)
	f(SortedSetListpack, blob(listpack("m", "1", "5", "-1.5", "n", "inf")), scores...)
	f(Listpacks, "\x03\x01\x01a\x02"+blob(listpack())+"\x02"+blob(listpack("7", "a")), texts("a", "7", "a")...)
	f(SetListpack, blob(listpack("b", "a")), texts("b", "a")...)

	earliest := "\xe8\x03\x00\x00\x00\x00\x00\x00"
	f(HashTimedOld, "\x03\x43\xe8\x01f\x01v\x43\xed\x01g\x01w\x00\xc0\x01\xc0\x02", timed...)
	f(HashTimed, earliest+"\x03\x01\x01f\x01v\x06\x01g\x01w\x00\xc0\x01\xc0\x02", timed...)
	triples := blob(listpack("f", "v", "1000", "g", "w", "1005", "1", "2", "0"))
	f(HashListpackOld, triples, timed...)
	f(HashListpackTimed, earliest+triples, timed...)
}

// Texts of every width pass through each of the packed forms.
func TestPackedTexts(t *testing.T) {
	t.Parallel()
	f := func(name string, each packing, b []byte, want []string) {
		t.Helper()
		var got []string
		d := NewDecoder(nil)
		d.walk(b, each, singles(), func(e keyspace.Element) bool {
			got = append(got, string(e.Text))
			return true
		})
		if d.Err() != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %d texts came back of %d, %v", name, len(got), len(want), d.Err())
		}
	}
	texts := manyTexts()
	f("ziplist", eachInZiplist, ziplist(texts...), texts)
	f("listpack", eachInListpack, listpack(texts...), texts)
	if len(texts)%2 == 1 {
		texts = texts[1:]
	}
	f("zipmap", eachInZipmap, zipmap(texts...), texts)
	long := slices.Repeat([]string{"one", "2"}, 50_000)
	f("long ziplist", eachInZiplist, ziplist(long...), long)
	f("long listpack", eachInListpack, listpack(long...), long)
	f("long zipmap", eachInZipmap, zipmap(long...), long)
}

// What is no value is refused, and the error says of which kind it is.
func TestDecoderRefuses(t *testing.T) {
	t.Parallel()
	f := func(want error, form Form, bytes string) {
		t.Helper()
		d := NewDecoder([]byte(bytes))
		if got := collect(d, form); !errors.Is(d.Err(), want) {
			t.Errorf("%s %.40q is %+v, %v; want %v", form, bytes, got, d.Err(), want)
		}
	}
	blob := func(b []byte) string {
		e := NewEncoder(nil)
		e.Text(b)
		return string(e.Bytes())
	}
	for form := range Form(255) {
		switch {
		case !form.Readable():
			f(ErrUnknown, form, "\x01\x01a")
		case form == HashTimed || form == HashListpackTimed:
			f(ErrShort, form, "1234567")
		default:
			f(ErrShort, form, "")
		}
	}
	for _, form := range []Form{List, Set, SortedSet, SortedSetDigits, Hash, HashTimedOld, Ziplists, Listpacks} {
		f(ErrEmpty, form, "\x00")
		f(ErrShort, form, "\x81\xff\xff\xff\xff\xff\xff\xff\xff")
	}
	f(ErrEmpty, HashZipmap, blob(zipmap()))
	f(ErrEmpty, SetIntset, "\x08\x02\x00\x00\x00\x00\x00\x00\x00")
	f(ErrEmpty, ListZiplist, blob(ziplist()))
	f(ErrEmpty, SetListpack, blob(listpack()))
	f(ErrEmpty, Listpacks, "\x01\x02"+blob(listpack()))
	f(ErrEmpty, Ziplists, "\x01"+blob(ziplist()))

	f(ErrShort, Text, "\x05hell")
	f(ErrShort, Text, "\x40")
	f(ErrShort, Text, "\x80\x00\x00\x00")
	f(ErrShort, Text, "\xc2\x00\x00\x00")
	f(ErrShort, Text, "\xc3\x05\x1e\x00a\xe0\x14")
	f(ErrShort, Text, "\x80\x3f\xff\xff\xffx")
	f(ErrCorrupt, Text, "\x80\x7f\xff\xff\xffx")
	f(ErrCorrupt, Text, "\x81\xff\xff\xff\xff\xff\xff\xff\xffx")
	f(ErrCorrupt, Text, "\x82\x00\x00\x00\x01x")
	f(ErrCorrupt, Text, "\xc4\x00")
	f(ErrCorrupt, Text, "\xc3\x05\x80\x3f\xff\xff\xff\x00a\xe0\x14\x00")
	f(ErrCorrupt, Text, "\xc3\xc0\x01")
	f(ErrCorrupt, List, "\xc0\x01")

	f(ErrCorrupt, SortedSet, "\x01\x01m\x00\x00\x00\x00\x00\x00\xf8\x7f")
	f(ErrCorrupt, SortedSetDigits, "\x01\x01m\xfd")
	f(ErrCorrupt, SortedSetDigits, "\x01\x01m\x03one")
	f(ErrCorrupt, SortedSetListpack, blob(listpack("m", "one")))
	f(ErrCorrupt, SortedSetListpack, blob(listpack("m", "nan")))
	f(ErrCorrupt, SortedSetListpack, blob(listpack("m")))
	f(ErrCorrupt, HashZiplist, blob(ziplist("f", "v", "g")))
	f(ErrCorrupt, Listpacks, "\x01\x03\x01a")
	f(ErrCorrupt, Listpacks, "\x01\x01\x00")
	f(ErrCorrupt, Listpacks, "\x01\x02\x00")
	f(ErrCorrupt, Ziplists, "\x01\x00")

	f(ErrCorrupt, HashListpackOld, blob(listpack("f", "v", "soon")))
	f(ErrCorrupt, HashListpackOld, blob(listpack("f", "v", "-1")))
	f(ErrCorrupt, HashListpackOld, blob(listpack("f", "v", "281474976710655")))
	f(ErrCorrupt, HashListpackOld, blob(listpack("f", "v", "2", "g", "v", "1")))
	f(ErrCorrupt, HashListpackOld, blob(listpack("f", "v", "0", "g", "v", "1")))
	f(ErrCorrupt, HashTimed, "\xff\xff\xff\xff\xff\xff\xff\xff\x01\x01\x01f\x01v")
	f(ErrCorrupt, HashTimed, "\xfe\xff\xff\xff\xff\xff\x00\x00\x01\x02\x01f\x01v")
	f(ErrCorrupt, HashTimedOld, "\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff\x01f\x01v")
}

// Packed bytes that are wrong in one place.
func TestPackedBytesRefused(t *testing.T) {
	t.Parallel()
	f := func(name string, each packing, b []byte, change func(b []byte)) {
		t.Helper()
		change(b)
		if err := each(b, func(entry) bool { return true }); !errors.Is(err, ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	set := func(at int, to byte) func([]byte) { return func(b []byte) { b[at] = to } }
	lp := func() []byte { return listpack("abc", "1000", "x") }
	f("listpack with another length", eachInListpack, lp(), set(0, 7))
	f("listpack with another count", eachInListpack, lp(), set(listpackCount, 2))
	f("listpack without its end", eachInListpack, lp(), set(len(lp())-1, 0))
	f("listpack with an early end", eachInListpack, lp(), set(listpackHead, listpackEnd))
	f("listpack with a longer text", eachInListpack, lp(), set(listpackHead, 0x80|4))
	f("listpack with a far text", eachInListpack, lp(), set(listpackHead, 0x80|60))
	f("listpack with another back length", eachInListpack, lp(), set(listpackHead+4, 5))
	f("listpack with a kind that is none", eachInListpack, lp(), set(listpackHead, 0xf7))
	f("listpack without a head", eachInListpack, lp()[:6], set(0, 6))

	zl := func() []byte { return ziplist("abc", "1000", "x") }
	f("ziplist with another length", eachInZiplist, zl(), set(0, 7))
	f("ziplist with another count", eachInZiplist, zl(), set(ziplistCount, 2))
	f("ziplist with another last entry", eachInZiplist, zl(), set(ziplistLast, ziplistHead))
	f("ziplist with a last entry outside", eachInZiplist, zl(), set(ziplistLast+1, 1))
	f("ziplist without its end", eachInZiplist, zl(), set(len(zl())-1, 0))
	f("ziplist with an early end", eachInZiplist, zl(), set(ziplistHead, ziplistEnd))
	f("ziplist with a first entry behind one", eachInZiplist, zl(), set(ziplistHead, 1))
	f("ziplist with another entry before", eachInZiplist, zl(), set(ziplistHead+5, 4))
	f("ziplist with a far text", eachInZiplist, zl(), set(ziplistHead+1, 60))
	f("ziplist with a kind that is none", eachInZiplist, zl(), set(ziplistHead+1, 0xc1))

	is := func() []byte { return appendIntset(nil, []int64{1, 2, 3}) }
	f("intset of another width", eachInIntset, is(), set(0, 3))
	f("intset with another count", eachInIntset, is(), set(4, 2))
	f("intset with a number twice", eachInIntset, is(), set(intsetHead, 2))
	f("intset out of order", eachInIntset, is(), set(intsetHead, 9))
	f("intset without a head", eachInIntset, is()[:7], set(0, 2))

	zm := func() []byte { return zipmap("f", "v", "g", "w") }
	f("zipmap with another count", eachInZipmap, zm(), set(0, 3))
	f("zipmap without its end", eachInZipmap, zm(), set(len(zm())-1, 0))
	f("zipmap with an early end", eachInZipmap, zm(), set(1, zipmapEnd))
	f("zipmap with a far field", eachInZipmap, zm(), set(1, 40))
	f("zipmap with a far value", eachInZipmap, zm(), set(3, 40))
	f("zipmap with far free bytes", eachInZipmap, zm(), set(4, 40))
}

// A stream gives the same as memory, however it comes, and its own errors are
// told.
func TestDecoderOfStream(t *testing.T) {
	t.Parallel()
	texts := manyTexts()
	var want []member
	for _, text := range texts {
		want = append(want, member{text: text})
	}
	e := NewEncoder(nil)
	v := valueOf(keyspace.List, keyspace.Quicklist, want)
	e.Value(v)
	e.Value(v)
	f := func(name string, r io.Reader) {
		t.Helper()
		d := NewReader(r)
		var elements []keyspace.Element
		for range 2 {
			elements = elements[:0]
			d.Byte()
			for el := range d.Elements(Listpacks) {
				elements = append(elements, el) // good for ever
			}
		}
		var got []member
		for _, el := range elements {
			got = append(got, keep(el))
		}
		if d.Err() != nil || !same(got, want) {
			t.Errorf("%s: %d elements, %v", name, len(got), d.Err())
		}
		if d.Byte(); !errors.Is(d.Err(), ErrShort) {
			t.Errorf("%s: behind the end: %v", name, d.Err())
		}
	}
	f("at once", bytes.NewReader(e.Bytes()))
	f("in single bytes", iotest.OneByteReader(bytes.NewReader(e.Bytes())))
	f("with its end", iotest.DataErrReader(bytes.NewReader(e.Bytes())))

	broken := errors.New("the disk is broken")
	d := NewReader(iotest.ErrReader(broken))
	if d.Text(); !errors.Is(d.Err(), broken) {
		t.Errorf("of a broken stream: %v", d.Err())
	}
}

// A length that lies takes no memory beyond what is there. (Not parallel, as it
// measures what all tests allocate.)
func TestLyingLengths(t *testing.T) {
	f := func(bytes string) {
		t.Helper()
		before := allocated()
		d := NewReader(strings.NewReader(bytes))
		if d.Text(); d.Err() == nil {
			t.Error("it is a text")
		}
		if took := allocated() - before; took > 4*chunk {
			t.Errorf("%.20q took %d bytes", bytes, took)
		}
	}
	f("\x80\x3f\xff\xff\xffabc")
	f("\xc3\x80\x3f\xff\xff\xff\x80\x3f\xff\xff\xffabc")
	f("\xc3\x03\x80\x3f\xff\xff\xff\x00a\x20\x00")
	f("\x81\x00\x00\x00\x00\x3f\xff\xff\xffabc")
}

// A Decoder that is used again has no mistakes, and leaves what it gave.
func TestReset(t *testing.T) {
	t.Parallel()
	d := NewDecoder([]byte("\xc0\x05\x05"))
	first := d.Text()
	d.Text()
	if d.Err() == nil {
		t.Fatal("a text is read that is not there")
	}
	d.Reset([]byte("\xc0\x07"))
	if got := string(d.Text()); got != "7" || d.Err() != nil || d.Left() != 0 || string(first) != "5" {
		t.Errorf("%q, %v, and before it %q", got, d.Err(), first)
	}
}
