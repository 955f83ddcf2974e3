package rdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/troupedb/troupe/keyspace"
)

// checked puts the checksum behind a file, as from version 5 on.
func checked(file string) []byte {
	return binary.LittleEndian.AppendUint64([]byte(file), Checksum(0, []byte(file)))
}

// blob is packed bytes as a text.
func blob(b []byte) string {
	e := NewEncoder(nil)
	e.Text(b)
	return string(e.Bytes())
}

// samples are files of each version, with what came with it, written down byte
// by byte.
func samples() map[int]struct {
	file []byte
	want []told
} {
	list := []member{{text: "a"}, {text: "7"}, {text: "a"}}
	pairs := []member{{text: "f", value: "v"}, {text: "1", value: "-300"}}
	scores := []member{{text: "m", score: 1}, {text: "5", score: -1.5}, {text: "n", score: math.Inf(1)}}
	zeros := strings.Repeat("\x00", 16)
	stream := "\x01\x10" + zeros[:15] + "\x05" + blob(listpack("1", "0", "1", "f", "0", "2", "0", "0", "v", "4"))
	in := func(db int, t told) told { t.db = db; return t }
	until := func(deadline int64, t told) told { t.meta.Deadline = deadline; return t }
	type sample = struct {
		file []byte
		want []told
	}
	entries := []member{{text: "{0 5}", value: `["f" "v"]`}}
	const code = "#!lua name=l\nredis.register_function('f', function() return 1 end)"
	group := groupMember(keyspace.StreamGroup{
		Name: []byte("g"), Last: keyspace.StreamID{Seq: 5}, Read: 1,
		Consumers: []keyspace.StreamConsumer{{Name: []byte("joe"), Seen: 0x3837363534333231}},
		Pending:   []keyspace.StreamDelivery{{ID: keyspace.StreamID{Seq: 5}, When: 0x3837363534333231, Count: 2}},
	})
	return map[int]sample{
		1: {[]byte("REDIS0001\xfe\x00\x00\x01k\x05hello\x00\xc0\x05\xc1\x39\x30\x00\x01z\xc3\x05\x1e\x00a\xe0\x14\x00" +
			"\x00\x80\x00\x00\x00\x01x\xc2\x00\x00\x00\x80\xfd\x00\x00\x00\x7f\x01\x01l\x03\x01a\xc0\x07\x01a" +
			"\xfe\x09\x02\x01s\x02\x01b\x01a\x03\x01Z\x03\x01m\x011\xc0\x05\x04-1.5\x01n\xfe\x04\x01h\x02\x01f\x01v\xc0\x01\xc1\xd4\xfe\xff"),
			[]told{keyOf("k", member{text: "hello"}), keyOf("5", member{text: "12345"}), keyOf("z", member{text: strings.Repeat("a", 30)}),
				keyOf("x", member{text: "-2147483648"}), until(0x7f000000*1000, keyOf("l", list...)),
				in(9, keyOf("s", member{text: "b"}, member{text: "a"})), in(9, keyOf("Z", scores...)), in(9, keyOf("h", pairs...))}},
		2: {[]byte("REDIS0002\x09\x01h" + blob(zipmap("f", "v", "1", "-300")) + "\x0a\x01l" + blob(ziplist("a", "7", "a")) +
			"\x0b\x01s" + blob(appendIntset(nil, []int64{7, -3, 40_000})) + "\xff"),
			[]told{keyOf("h", pairs...), keyOf("l", list...), keyOf("s", member{text: "-3"}, member{text: "7"}, member{text: "40000"})}},
		3: {[]byte("REDIS0003\xfe\x00\xfc\xe8\x03\x00\x00\x00\x7f\x00\x00\x0c\x01Z" + blob(ziplist("m", "1", "5", "-1.5", "n", "inf")) + "\xff"),
			[]told{until(0x7f00_000003e8, keyOf("Z", scores...))}},
		4: {[]byte("REDIS0004\x0d\x01h" + blob(ziplist("f", "v", "1", "-300")) + "\xff"), []told{keyOf("h", pairs...)}},
		5: {checked("REDIS0005\xfe\x03\x00\x01k\x01v\xff"), []told{in(3, keyOf("k", member{text: "v"}))}},
		6: {append([]byte("REDIS0006\xfe\x00\x00\x01k\x01v\xff"), zeros[:8]...), []told{keyOf("k", member{text: "v"})}},
		7: {checked("REDIS0007\xfa\x09redis-ver\x053.2.0\xfe\x00\xfb\x01\x00\x0e\x01l\x02" + blob(ziplist("a")) + blob(ziplist("7", "a")) + "\xff"),
			[]told{{kind: AuxItem, key: "redis-ver", meta: NoMeta, text: "3.2.0"}, {kind: SizeItem, meta: NoMeta, text: "1 0"}, keyOf("l", list...)}},
		8: {checked("REDIS0008\x05\x01Z\x02\x01m\x00\x00\x00\x00\x00\x00\xf0\x3f\xc0\x05\x00\x00\x00\x00\x00\x00\xf8\xbf\xff"), []told{keyOf("Z", scores[:2]...)}},
		9: {checked("REDIS0009\xf7" + "\x81\x46\x9c\x66\x6f\x02\x12\xc4\x01" + "\x02\x01\x05\x03any\x01\x07\x03abcd\x04abcdefgh\x00" +
			"\xf8\x40\x64\x00\x01k\x01v\xf9\x07\xfc\x00\x00\x00\x00\x7f\x00\x00\x00\x00\x01q\x01v\x0f\x01S" + stream + "\x01\x00\x05\x00\xff"),
			[]told{{kind: ModuleItem, meta: NoMeta, text: "RpxmbwISx"}, {kind: KeyItem, key: "k", meta: Meta{-1, 100, -1}, members: []member{{text: "v"}}},
				{kind: KeyItem, key: "q", meta: Meta{0x7f_00000000, -1, 7}, members: []member{{text: "v"}}}, keyOf("S", entries...)}},
		10: {checked("REDIS0010\xf5" + blob([]byte(code)) + "\xfe\x00\x10\x01h" + blob(listpack("f", "v", "1", "-300")) + "\x11\x01Z" + blob(listpack("m", "1", "5", "-1.5", "n", "inf")) +
			"\x12\x01l\x02\x01\x01a\x02" + blob(listpack("7", "a")) + "\x13\x01S" + stream + "\x01\x00\x05\x00\x05\x00\x00\x01\x00\xff"),
			[]told{{kind: FunctionItem, meta: NoMeta, text: code}, keyOf("h", pairs...), keyOf("Z", scores...), keyOf("l", list...), keyOf("S", entries...)}},
		11: {checked("REDIS0011\x14\x01s" + blob(listpack("b", "a")) + "\x15\x01S" + stream + "\x01\x00\x05\x00\x05\x00\x00\x01" +
			"\x01\x01g\x00\x05\x01\x01" + zeros[:15] + "\x05" + "12345678\x02" + "\x01\x03joe12345678ABCDEFGH\x01" + zeros[:15] + "\x05\xff"),
			[]told{keyOf("s", member{text: "b"}, member{text: "a"}), keyOf("S", append(entries, group)...)}},
		12: {checked("REDIS0012\xfe\x00\xfb\x02\x00\xf4\x05\x02\x00\x18\x01h\xe8\x03\x00\x00\x00\x00\x00\x00\x02\x01\x01f\x01v\x00\xc0\x01\xc1\xd4\xfe" +
			"\x19\x01i\xe8\x03\x00\x00\x00\x00\x00\x00" + blob(listpack("f", "v", "1000", "1", "-300", "0")) + "\x17\x01j" + blob(listpack("f", "v", "1000", "1", "-300", "0")) +
			"\x16\x01k\x02\x43\xe8\x01f\x01v\x00\xc0\x01\xc1\xd4\xfe\xff"),
			[]told{{kind: SizeItem, meta: NoMeta, text: "2 0"}, keyOf("h", timedPairs...), keyOf("i", timedPairs...), keyOf("j", timedPairs...), keyOf("k", timedPairs...)}},
	}
}

var timedPairs = []member{{text: "f", value: "v", deadline: 1000}, {text: "1", value: "-300"}}

// Files of each version, also if they come byte by byte.
func TestFileVersions(t *testing.T) {
	t.Parallel()
	for version, sample := range samples() {
		for name, in := range map[string]io.Reader{
			"at once":      bytes.NewReader(sample.file),
			"byte by byte": iotest.OneByteReader(bytes.NewReader(sample.file)),
			"end at once":  iotest.DataErrReader(bytes.NewReader(sample.file)),
		} {
			r := NewFileReader(in, ReadOptions{})
			got, err := readFile(r)
			if err != nil || !sameTold(got, sample.want) {
				t.Errorf("version %d, %s: %v\n got %v\nwant %v", version, name, err, got, sample.want)
			}
			if r.Version() != version || r.Offset() != int64(len(sample.file)) || r.Err() != nil {
				t.Errorf("version %d, %s: it is told as %d, %d bytes of %d, %v", version, name, r.Version(), r.Offset(), len(sample.file), r.Err())
			}
			if _, err := r.Next(); !errors.Is(err, io.EOF) {
				t.Errorf("behind the end comes %v", err)
			}
		}
	}
}

// A file cut anywhere is refused, and what came before is read.
func TestFileCut(t *testing.T) {
	t.Parallel()
	for version, sample := range samples() {
		for end := range len(sample.file) {
			got, err := readBytes(sample.file[:end])
			var mistake *FileError
			if !errors.Is(err, ErrShort) || !errors.As(err, &mistake) {
				t.Fatalf("version %d, cut at %d: %v", version, end, err)
			}
			if mistake.Offset > int64(end) || mistake.Begin > mistake.Offset || len(got) > len(sample.want) || !sameTold(got, sample.want[:len(got)]) {
				t.Errorf("version %d, cut at %d: %v after %v", version, end, mistake, got)
			}
		}
	}
}

// A bit that is another one is noticed: every third is tried.
func TestFileFlipped(t *testing.T) {
	t.Parallel()
	for version, sample := range samples() {
		if version < checksumedFrom || version == 6 {
			continue
		}
		for at := version % 3; at < len(sample.file)*8; at += 3 {
			file := bytes.Clone(sample.file)
			file[at/8] ^= 1 << (at % 8)
			if old := string(file[len(magic):headSize]); old >= "0001" && old < "0005" {
				continue // those have no checksum
			}
			if _, err := readBytes(file); err == nil {
				t.Errorf("version %d: bit %d flipped is not noticed", version, at)
			}
		}
	}
}

// Files that are none, and where that is noticed.
func TestFileMistakes(t *testing.T) {
	t.Parallel()
	f := func(want error, offset, begin int64, file string) {
		t.Helper()
		_, err := readBytes([]byte(file))
		var mistake *FileError
		if !errors.As(err, &mistake) || !errors.Is(err, want) || mistake.Offset != offset || mistake.Begin != begin {
			t.Errorf("%q: %v (%+v), want %v at %d in what begins at %d", file, err, mistake, want, offset, begin)
		}
	}
	f(ErrShort, 0, 0, "")
	f(ErrShort, 0, 0, "REDIS")
	f(ErrNotRDB, 0, 0, "*1")
	f(ErrNotRDB, 0, 0, "REDIT0010\xff")
	f(ErrVersion, 5, 0, "REDIS0000\xff")
	f(ErrVersion, 5, 0, "REDIS0013\xff")
	f(ErrVersion, 5, 0, "REDIS+010\xff")
	f(ErrVersion, 5, 0, "REDIS1e10\xff")
	f(ErrUnknown, 10, 9, "REDIS0010\x08")
	f(ErrUnknown, 10, 9, "REDIS0010\xc8")
	f(ErrUnknown, 10, 9, "REDIS0010\xf6")
	f(ErrUnknown, 15, 14, "REDIS0010\x00\x01k\x01v\x06")
	f(ErrShort, 18, 16, "REDIS0010\xfe\x00\x00\x01k\x01v\xfe\x02")
	f(ErrCorrupt, 19, 9, "REDIS0010\xfe\x81\x00\x00\x00\x00\x80\x00\x00\x00")
	f(ErrCorrupt, 11, 9, "REDIS0010\xfe\xc0")
	f(ErrCorrupt, 13, 9, "REDIS0010\x00\x01k\xc4")
	f(ErrCorrupt, 17, 9, "REDIS0010\x00\x01k\x80\x7f\xff\xff\xff")
	f(ErrShort, 17, 9, "REDIS0010\x00\x01k\x80\x00\xff\xff\xffabc")
	f(ErrChecksum, 18, 9, "REDIS0010\xffabcdefgh")
	f(ErrShort, 10, 9, "REDIS0005\xff1234567")

	_, err := readBytes([]byte("REDIS0010\x00\x03joe\x04vi"))
	if text := `RDB at offset 15, in the key "joe" which begins at 9: it ends too early`; err == nil || err.Error() != text {
		t.Errorf("%v, want %s", err, text)
	}
	all, err := readFile(NewFileReader(strings.NewReader("REDIS0010\x00\x01k\x01v\xffabcdefgh"), ReadOptions{Unchecked: true}))
	if err != nil || len(all) != 1 {
		t.Errorf("a wrong checksum that is not looked at: %v", err)
	}
	broken := errors.New("a broken disk")
	r := NewFileReader(io.MultiReader(strings.NewReader("REDIS0010\x00\x01k"), iotest.ErrReader(broken)), ReadOptions{})
	if _, err := r.Next(); !errors.Is(err, broken) || !errors.Is(r.Err(), broken) {
		t.Errorf("%v", err)
	}
}

// Keys of modules are handed out as they are, and whoever decodes them learns
// which module's they are.
func TestFileModules(t *testing.T) {
	t.Parallel()
	r := NewFileReader(strings.NewReader("REDIS0009\x07\x01k\x81\x46\x9c\x66\x6f\x02\x12\xc4\x01\x05\x03any\x00\x00\x01k\x01v\xff00000000"), ReadOptions{Unchecked: true})
	it, err := r.Next()
	if err != nil || it.Form != Module || it.Form.Type() != keyspace.None {
		t.Fatalf("%v, %v", it, err)
	}
	d := NewDecoder(it.Raw)
	if all := collect(d, it.Form); all != nil || !errors.Is(d.Err(), ErrUnknown) || !strings.Contains(d.Err().Error(), "RpxmbwISx") {
		t.Errorf("%v, %v", all, d.Err())
	}
	if mistake := it.Error(d.Err()); mistake.Offset != 9 || !errors.Is(mistake, ErrUnknown) {
		t.Errorf("%v", mistake)
	}
	if it, err = r.Next(); err != nil || string(it.Key) != "k" {
		t.Errorf("behind it comes %v, %v", it, err)
	}
}

// What follows the end of a file is left to be read, all of it.
func TestFileRest(t *testing.T) {
	t.Parallel()
	file := checked("REDIS0010\x00\x01k\x01v\xff")
	f := func(in io.Reader) {
		t.Helper()
		r := NewFileReader(in, ReadOptions{})
		if _, err := readFile(r); err != nil {
			t.Fatal(err)
		}
		d := r.Rest()
		if got := d.Bytes(5); string(got) != "*1\r\n$" || d.Offset() != int64(len(file)+5) {
			t.Errorf("%q, at %d, %v", got, d.Offset(), d.Err())
		}
		if d.Bytes(1); !errors.Is(d.Err(), ErrShort) {
			t.Errorf("%v", d.Err())
		}
	}
	whole := append(slices.Clone(file), "*1\r\n$"...)
	f(bytes.NewReader(whole))
	f(iotest.OneByteReader(bytes.NewReader(whole)))
}

// What was handed out stays as it is, whatever is read later.
func TestFileItemsStay(t *testing.T) {
	t.Parallel()
	e := NewEncoder(nil)
	const keys = 30_000
	for i := range keys {
		e.Key(NoMeta, fmt.Appendf(nil, "the key %d", i), valueOf(keyspace.Hash, keyspace.HashTable, []member{{text: fmt.Sprint(i), value: fmt.Sprint("a value ", i)}}))
	}
	r := NewFileReader(iotest.HalfReader(bytes.NewReader(fileOf(t, e))), ReadOptions{})
	var items []Item
	for {
		it, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		items = append(items, it)
	}
	for i, it := range items {
		want := keyOf(fmt.Sprint("the key ", i), member{text: fmt.Sprint(i), value: fmt.Sprint("a value ", i)})
		if got, err := tell(r, it); err != nil || !sameTold([]told{got}, []told{want}) {
			t.Fatalf("%v, %v, want %v", got, err, want)
		}
	}
	if len(items) != keys {
		t.Errorf("%d keys", len(items))
	}
}
