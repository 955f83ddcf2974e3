package rdb

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// FuzzValue reads any bytes as a value of any form: that ends, in an error or
// in elements, of which those of a whole value can be written and read again.
// What is handed out is never more than the input can stand for.
func FuzzValue(f *testing.F) {
	for _, k := range kept {
		e := NewEncoder(nil)
		e.Value(valueOf(k.typ, k.enc, []member{{text: "12", value: "value", score: 1.5}}))
		f.Add(e.Bytes())
	}
	for form, packed := range map[Form][]byte{
		HashZipmap: zipmap("f", "v"), ListZiplist: ziplist("a", "12", "-70000"), SetIntset: appendIntset(nil, []int64{1, 70000}),
		SetListpack: listpack("a", "12", "-70000"), HashListpackOld: listpack("f", "v", "1000", "g", "w", "0"),
	} {
		payload := wrapped(form, packed)
		f.Add(payload[:len(payload)-footer])
	}
	f.Add([]byte("\x18\xe8\x03\x00\x00\x00\x00\x00\x00\x02\x01\x01f\x01v\x00\x01g\x01w"))
	f.Add([]byte("\x0e\x02\x11\x11\x00\x00\x00\x0e\x00\x00\x00\x02\x00\x00\x02ab\x04\xf5\xff\x0f\x0f\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x02cd\xff"))
	f.Add([]byte("\x00\xc3\x05\x1e\x00a\xe0\x14\x00"))
	f.Fuzz(func(t *testing.T, value []byte) {
		p := Payload{value}
		members, size := []member(nil), 0
		for e := range p.Elements() {
			members = append(members, keep(e))
			size += len(e.Text) + len(e.Value)
		}
		if size > len(value)*matchMax/2 {
			t.Fatalf("%d bytes gave texts of %d", len(value), size)
		}
		if p.Check() != nil {
			return
		}
		fromStream := NewReader(bytes.NewReader(value))
		if got := collect(fromStream, Form(fromStream.Byte())); !same(got, members) {
			t.Fatal("from a stream it is another value")
		}
		writeAgain(t, p.Type(), members)
	})
}

// writeAgain writes a value that was read, and reads that.
func writeAgain(t *testing.T, typ keyspace.Type, members []member) {
	t.Helper()
	for _, k := range kept {
		if k.typ != typ || k.enc == keyspace.Intset {
			continue
		}
		again, err := Open(Dump(valueOf(typ, k.enc, members)))
		if err != nil || again.Check() != nil {
			t.Fatalf("written again: %v, %v", err, again.Check())
		}
		var got []member
		for e := range again.Elements() {
			got = append(got, keep(e))
		}
		if !same(got, members) {
			t.Fatalf("%+v comes back as %+v", members, got)
		}
	}
}

// FuzzCompression compresses any text, and takes any bytes for a compressed one.
func FuzzCompression(f *testing.F) {
	f.Add([]byte("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"))
	f.Add([]byte("\x00a\xe0\x14\x00"))
	f.Add([]byte("\x02abc\x20\x02\x40\x00"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var c compressor
		for range 2 {
			out, ok := c.compress(nil, text, math.MaxInt32)
			if back, good := decompress(out, len(text)); !ok || !good || !bytes.Equal(back, text) {
				t.Fatalf("%q comes back as %q", text, back)
			}
		}
		if size, ok := decompressedSize(text); ok {
			if back, good := decompress(text, size); good && len(back) != size {
				t.Fatalf("%q is %d bytes, not %d", text, len(back), size)
			}
		}
	})
}

// FuzzFile reads any bytes as a file: that ends, with no more memory than the
// bytes can stand for, and a value that is found in it is as long as it is
// when it is decoded.
func FuzzFile(f *testing.F) {
	for _, sample := range samples() {
		f.Add(sample.file)
	}
	f.Add([]byte("REDIS0001\x00\x010\x800000"))
	f.Add([]byte("REDIS0009\x07\x01k\x81\x46\x9c\x66\x6f\x02\x12\xc4\x01\x05\x03any\x00\x00\x01k\x01v\xff00000000"))
	f.Fuzz(func(t *testing.T, file []byte) {
		before := allocated()
		whole := readAsFuzzed(t, NewFileReader(bytes.NewReader(file), ReadOptions{Unchecked: true}))
		if took := allocated() - before; took > uint64(4<<20+len(file)*1000) {
			t.Fatalf("%d bytes took %d of memory", len(file), took)
		}
		slow := readAsFuzzed(t, NewFileReader(&smallReader{bytes.NewReader(file), 7}, ReadOptions{Unchecked: true}))
		if slow != whole {
			t.Fatalf("read in small pieces it is %s, not %s", slow, whole)
		}
	})
}

// readAsFuzzed reads a file and tells what is in it.
func readAsFuzzed(t *testing.T, r *FileReader) (log string) {
	for {
		it, err := r.Next()
		if err != nil {
			return fmt.Sprint(log, err)
		}
		i, err := tell(r, it)
		if err != nil && strings.Contains(err.Error(), "left behind") {
			t.Fatalf("the value of %q is shorter than it was found to be", it.Key)
		}
		if errors.Is(err, ErrShort) && it.Raw != nil && it.Form != Module {
			t.Fatalf("the value of %q is longer than it was found to be", it.Key)
		}
		log += fmt.Sprintln(i, err)
	}
}
