package aof

import (
	"errors"
	"io"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/troupedb/troupe/keyspace/rdb"
)

func TestReader(t *testing.T) {
	t.Parallel()
	f := func(file string, want ...string) {
		t.Helper()
		got, err := readAll(file)
		expect(t, file, got, err, want...)
		r := NewReader(iotest.OneByteReader(strings.NewReader(file)), "f")
		got, err = all(r.Next)
		expect(t, file, got, err, want...)
		if r.Offset() != int64(len(file)) || r.Err() != nil {
			t.Errorf("%q: %d bytes read, %v", file, r.Offset(), r.Err())
		}
		if _, err := r.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%q: behind the end comes %v", file, err)
		}
	}
	set, multi, exec, three := written("SET", "k", "v"), written("MULTI"), written("exec"), written("SELECT", "3")
	f("")
	f(set, "f@0 (0 SET k v)")
	f(written("SET", "", "a\r\n*1"), "f@0 (0 SET  a\r\n*1)")
	f(three+set+written("select", "0")+set, "f@23 (3 SET k v)", "f@73 (0 SET k v)")
	f(three)
	f(multi+set+three+set+exec+set, "f@0 {0 SET k v; 3 SET k v}", "f@106 (3 SET k v)")
	f(multi+exec+set, "f@29 (0 SET k v)")
	f(multi+three+exec+set, "f@52 (3 SET k v)")
	f("#TS:1700000000\r\n"+set+"# a remark\n"+set, "f@16 [1700000000] (0 SET k v)", "f@54 [1700000000] (0 SET k v)")
	f(multi+"#TS:5\r\n"+set+exec+"#TS:6\r\n", "f@0 [5] {0 SET k v}")
	base := snapshot("key", "value")
	f(base, "f@9 key = value")
	f(base+set, "f@9 key = value", "f@29 (0 SET k v)")
	f(base+"#TS:5\r\n"+multi+set+exec, "f@9 key = value", "f@36 [5] {0 SET k v}")
}

// What is cut off is told apart from what is damaged, and the begin of what is
// not whole is told.
func TestReaderMistakes(t *testing.T) {
	t.Parallel()
	f := func(want error, offset, begin int64, file string) {
		t.Helper()
		_, err := readAll(file)
		var mistake *FileError
		if !errors.As(err, &mistake) || !errors.Is(err, want) || mistake.Offset != offset || mistake.Begin != begin || mistake.File != "f" {
			t.Errorf("%q: %v, want %v at %d of what begins at %d", file, err, want, offset, begin)
		}
	}
	set := written("SET", "k", "v")
	multi := written("MULTI")
	n := int64(len(set))
	f(ErrCorrupt, 0, 0, "SET k v\r\n")
	f(ErrCorrupt, n, n, set+"\x00\x00\x00\x00")
	f(ErrCorrupt, n, n, set+"REDIS")
	f(ErrCorrupt, 4, 0, "*0\r\n")
	f(ErrCorrupt, 5, 0, "*-1\r\n")
	f(ErrCorrupt, 3, 0, "*1\n$4\r\nPING\r\n")
	f(ErrCorrupt, 8, 0, "*1\r\n:4\r\nPING\r\n")
	f(ErrCorrupt, 9, 0, "*1\r\n$-1\r\n")
	f(ErrCorrupt, 13, 0, "*1\r\n$3\r\nPING\r\n\r\n")
	f(ErrCorrupt, 20, 0, "*1\r\n$4000000000000\r\n")
	f(ErrCorrupt, 0, 0, "*"+strings.Repeat("1", 200))
	f(ErrCorrupt, n, n, set+"#"+strings.Repeat("x", 2000))
	f(ErrCorrupt, 9, 0, "#TS:now\r\n")
	f(ErrCorrupt, n+14, n, set+written("EXEC"))
	f(ErrCorrupt, n+15+15, n, set+multi+multi)
	f(ErrCorrupt, 23, 0, written("SELECT", "x"))
	f(ErrCorrupt, 16, 0, written("SELECT"))
	f(ErrTorn, 0, 0, "*")
	f(ErrTorn, 0, 0, "#TS:5")
	f(ErrTorn, n+15, n, set+multi)
	f(ErrTorn, n+15+n, n, set+multi+set)
	f(rdb.ErrShort, 9, 9, "REDIS0010")
	f(rdb.ErrVersion, 5, 0, "REDIS9999")
	f(ErrCorrupt, 29, 29, snapshot("key", "value")+"\n")
	f(ErrTorn, 29, 29, snapshot("key", "value")+"*1")

	_, err := readAll(set + "*1")
	if text := "f at offset 27 (whole up to 27): its end was not written whole"; err == nil || err.Error() != text {
		t.Errorf("%v, want %s", err, text)
	}
	broken := errors.New("a broken disk")
	for _, before := range []string{"", "*1\r\n", set, set[:10], "REDIS0010\x00"} {
		r := NewReader(io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken)), "f")
		if _, err := all(r.Next); !errors.Is(err, broken) || !errors.Is(r.Err(), broken) {
			t.Errorf("a disk that breaks behind %q: %v", before, err)
		}
	}
}

// A file cut anywhere gives whole units, and the rest is not whole, unless it is
// cut between them.
func TestReaderCut(t *testing.T) {
	t.Parallel()
	set := written("SET", "k", "v")
	file := set + written("MULTI") + set + "#TS:5\r\n" + set + written("EXEC") + set
	ends := map[int]int{0: 0, len(set): 1, len(file) - len(set): 2, len(file): 3}
	count := 0
	for end := range len(file) + 1 {
		got, err := readAll(file[:end])
		if n, between := ends[end]; between {
			if count = n; err != nil || len(got) != n {
				t.Errorf("cut at %d: %d units, %v", end, len(got), err)
			}
			continue
		}
		if !errors.Is(err, ErrTorn) || len(got) != count {
			t.Errorf("cut at %d: %d units, %v", end, len(got), err)
		}
	}
}

// Numbers that say more than there is take no memory.
func TestReaderNumbersThatLie(t *testing.T) {
	for _, file := range []string{"*2147483647\r\n$1\r\na\r\n", "*1\r\n$536870912\r\nabc", written("MULTI") + "*2147483647\r\n"} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := readAll(file); err == nil {
			t.Errorf("%q is read", file)
		}
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > 1<<20 {
			t.Errorf("%q takes %d bytes", file, took)
		}
	}
}

// Large words, and what was handed out before them, stay as they are.
func TestReaderUnitsStay(t *testing.T) {
	t.Parallel()
	var file strings.Builder
	for i := range 2000 {
		file.WriteString(written("SET", strings.Repeat("k", i%50), strings.Repeat(string(rune('a'+i%26)), i*7%300)))
	}
	file.WriteString(written("SET", "large", strings.Repeat("x", 3<<20)))
	r := NewReader(iotest.HalfReader(strings.NewReader(file.String())), "f")
	var units []Unit
	for {
		u, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		units = append(units, u)
	}
	again := ""
	for _, u := range units {
		var words []string
		for _, word := range u.Commands[0].Words {
			words = append(words, string(word))
		}
		again += written(words...)
	}
	if again != file.String() {
		t.Error("the commands are others afterwards")
	}
}
