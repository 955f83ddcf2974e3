package rdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// The parts of a file, byte by byte.
func TestParts(t *testing.T) {
	t.Parallel()
	f := func(want string, write func(e *Encoder)) {
		t.Helper()
		e := NewEncoder(nil)
		write(e)
		if got := string(e.Bytes()); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	set := valueOf(keyspace.Set, keyspace.HashTable, []member{{text: "a"}})
	none := valueOf(keyspace.Hash, keyspace.HashTable, nil)
	f("\xfe\x10", func(e *Encoder) { e.SelectDB(16) })
	f("\xfb\x03\x41\x00", func(e *Encoder) { e.ResizeDB(3, 256) })
	f("\xfa\x04name\xc0\x05", func(e *Encoder) { e.Aux("name", "5") })
	f("\xf5\x04code", func(e *Encoder) { e.Function([]byte("code")) })
	f("\x02\x03key\x01\x01a", func(e *Encoder) { e.Key(NoMeta, []byte("key"), set) })
	f("\xfc\xe8\x03\x00\x00\x00\x00\x00\x00\x02\x03key\x01\x01a", func(e *Encoder) { e.Key(Meta{1000, -1, -1}, []byte("key"), set) })
	f("\xf8\x05\x02\x03key\x01\x01a", func(e *Encoder) { e.Key(Meta{-1, 5, -1}, []byte("key"), set) })
	f("\xf9\xff\x02\x03key\x01\x01a", func(e *Encoder) { e.Key(Meta{-1, -1, 255}, []byte("key"), set) })
	f("", func(e *Encoder) {
		if e.Key(Meta{1000, 1, 1}, []byte("key"), none) {
			t.Error("a hash of no fields is written")
		}
	})
	f("\xfa\x09redis-ver\x057.0.0\xfa\x0aredis-bits\xc0\x40\xfa\x05ctime\xc0\x07\xfa\x08used-mem\xc0\x08\xfa\x08aof-base\xc0\x01",
		func(e *Encoder) { e.Origin(Origin{"7.0.0", 7, 8, true}) })
}

// The least file, and what is made of parts in pieces.
func TestFileWriter(t *testing.T) {
	t.Parallel()
	f := func(o WriteOptions, want string, parts ...string) {
		t.Helper()
		var out bytes.Buffer
		w := NewFileWriter(&out, o)
		for _, part := range parts {
			if err := w.Parts([]byte(part), 10); err != nil {
				t.Fatal(err)
			}
		}
		err := w.End()
		whole := binary.LittleEndian.AppendUint64([]byte(want), Checksum(0, []byte(want)))
		if o.Unchecked {
			whole = append([]byte(want), make([]byte, 8)...)
		}
		if got := out.Bytes(); err != nil || !bytes.Equal(got, whole) || w.Size() != int64(len(got)) {
			t.Errorf("%q, %v, %d bytes, want %q", got, err, w.Size(), whole)
		}
		if _, err := readBytes(whole); err != nil {
			t.Error(err)
		}
	}
	f(WriteOptions{}, "REDIS0010\xff")
	f(WriteOptions{Version: 12}, "REDIS0012\xff")
	f(WriteOptions{Unchecked: true}, "REDIS0010\xff")
	f(WriteOptions{}, "REDIS0010\xfe\x01\x00\x01k\x01v\xff", "\xfe", "", "\x01\x00\x01k", "\x01v")
}

// A file that turns out to need a later version gets another head, and its
// checksum is right.
func TestFileWriterChangesTheVersion(t *testing.T) {
	t.Parallel()
	timed := NewEncoder(nil)
	timed.Key(NoMeta, []byte("h"), valueOf(keyspace.Hash, keyspace.HashTable, []member{{text: "f", value: "v", deadline: 1e12}}))
	if timed.Version() != 12 || NewEncoder(nil).Version() != 10 {
		t.Fatal("the version does not follow from what was written")
	}
	plain := NewEncoder(nil)
	plain.Key(NoMeta, []byte("k"), valueOf(keyspace.String, keyspace.Raw, []member{{text: "v"}}))
	for range 3 {
		plain.Key(NoMeta, []byte("l"), valueOf(keyspace.List, keyspace.Quicklist, []member{{text: "v"}, {text: "w"}}))
	}
	var out memoryFile
	w := NewFileWriter(&out, WriteOptions{})
	for _, e := range []*Encoder{plain, timed, plain} {
		if err := w.Parts(e.Bytes(), e.Version()); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(); err != nil || w.Version() != 12 || !bytes.HasPrefix(out.bytes, []byte("REDIS0012")) {
		t.Fatalf("%v, version %d, %.9q", err, w.Version(), out.bytes)
	}
	if all := mustRead(t, out.bytes); len(all) != 9 {
		t.Errorf("%d keys", len(all))
	}

	w = NewFileWriter(io.Discard, WriteOptions{})
	if err := w.Parts(timed.Bytes(), timed.Version()); !errors.Is(err, ErrVersion) || !errors.Is(w.End(), ErrVersion) {
		t.Errorf("a stream that has begun with version 10 goes on with hashes of version 12: %v", err)
	}
}

// What can't be written is told, also at the end.
func TestFileWriterFails(t *testing.T) {
	t.Parallel()
	broken := errors.New("no room")
	for most := range 20 {
		w := NewFileWriter(&failingFile{left: most, err: broken}, WriteOptions{})
		w.Parts([]byte("\xfe\x00"), 10)
		if err := w.End(); !errors.Is(err, broken) || w.Size() != int64(most) {
			t.Errorf("with room for %d bytes: %v, %d written", most, err, w.Size())
		}
	}
	w := NewFileWriter(&failingFile{left: 1000, err: broken}, WriteOptions{})
	w.Parts(nil, 12)
	if err := w.End(); !errors.Is(err, broken) {
		t.Errorf("the head can't be written again: %v", err)
	}
}

// failingFile takes some bytes, and never any in another place.
type failingFile struct {
	left int
	err  error
}

func (f *failingFile) Write(b []byte) (int, error) {
	if len(b) > f.left {
		n := f.left
		f.left = 0
		return n, f.err
	}
	f.left -= len(b)
	return len(b), nil
}

func (f *failingFile) WriteAt([]byte, int64) (int, error) { return 0, f.err }

// Checksums of parts make that of the whole.
func TestJoinChecksums(t *testing.T) {
	t.Parallel()
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		for range 100 {
			whole := drawText(rng, 10_000)
			cut := rng.IntN(len(whole) + 1)
			first, second := Checksum(0, whole[:cut]), Checksum(0, whole[cut:])
			if got, want := joinChecksums(first, second, int64(len(whole)-cut)), Checksum(0, whole); got != want {
				t.Fatalf("%q cut at %d: %x, want %x", whole, cut, got, want)
			}
		}
	})
}

// Values whose elements come in pieces, through several Encoders.
func TestValueWriter(t *testing.T) {
	t.Parallel()
	f := func(want Form, s Shape, members ...member) {
		t.Helper()
		e := NewEncoder(nil)
		w := e.BeginValue(Meta{77, 3, -1}, []byte("key"), s)
		file := NewEncoder(bytes.Clone(e.Bytes()))
		for i, m := range members {
			piece := NewEncoder(nil)
			w.Append(piece, m.element())
			file.out = append(file.out, piece.Bytes()...)
			file.hasTimed = file.hasTimed || e.hasTimed
			if s.Type != keyspace.String && w.Left() != len(members)-i-1 {
				t.Errorf("%d elements left of %d after %d", w.Left(), len(members), i+1)
			}
		}
		if s.Type == keyspace.String {
			members = []member{{text: "some text"}}
		}
		r := NewFileReader(bytes.NewReader(fileOf(t, file)), ReadOptions{})
		it, err := r.Next()
		if err != nil || it.Form != want {
			t.Fatalf("%v: %v, %v", s, it.Form, err)
		}
		got, err := tell(r, it)
		if err != nil || !same(got.members, members) || got.meta != (Meta{77, 3, -1}) || w.Left() != 0 {
			t.Errorf("%v: %v, %v, %d left", s, got, err, w.Left())
		}
	}
	a, b := member{text: "a", value: "1"}, member{text: "123", value: "x"}
	f(Text, Shape{Type: keyspace.String, Count: 9}, member{text: "some "}, member{text: ""}, member{text: "text"})
	f(List, Shape{Type: keyspace.List, Count: 2}, member{text: "a"}, member{text: "123"})
	f(Set, Shape{Type: keyspace.Set, Count: 2}, member{text: "a"}, member{text: "123"})
	f(SortedSet, Shape{Type: keyspace.SortedSet, Count: 2}, member{text: "a", score: -1.5}, member{text: "123", score: math.Inf(1)})
	f(Hash, Shape{Type: keyspace.Hash, Count: 2}, a, b)
	b.deadline = 2000
	f(HashTimed, Shape{Type: keyspace.Hash, Count: 3, Earliest: 1000}, a, b, member{text: "c", value: "d", deadline: 1000})

	panics := func(what string, s Shape, el keyspace.Element) {
		t.Helper()
		defer func() {
			if recover() == nil {
				t.Errorf("%s is written", what)
			}
		}()
		e := NewEncoder(nil)
		w := e.BeginValue(NoMeta, []byte("key"), s)
		w.Append(e, el)
	}
	panics("more than was announced", Shape{Type: keyspace.Set}, keyspace.Element{Text: []byte("a")})
	panics("a deadline before the earliest", Shape{keyspace.Hash, 1, 1000}, keyspace.Element{Deadline: 999})
}

// Without compression texts stand as they are.
func TestCompressionOff(t *testing.T) {
	t.Parallel()
	text := bytes.Repeat([]byte("a"), 100)
	f := func(on bool, want int) {
		t.Helper()
		e := NewEncoder(nil)
		e.Compress(on)
		e.Text(text)
		if got := NewDecoder(e.Bytes()).Text(); len(e.Bytes()) != want || !bytes.Equal(got, text) {
			t.Errorf("compression %v: %d bytes, want %d: %q", on, len(e.Bytes()), want, got)
		}
	}
	f(false, 102)
	f(true, 9)
}
