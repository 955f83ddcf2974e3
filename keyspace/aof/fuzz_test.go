package aof

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
)

// FuzzReader reads any bytes as a file: that ends, with no more memory than the
// bytes can stand for; read in small pieces the same is found; and what comes
// before a mistake is whole indeed.
func FuzzReader(f *testing.F) {
	set := written("SET", "k", "v")
	f.Add(set + written("MULTI") + set + "#TS:5\r\n" + set + written("EXEC") + written("SELECT", "3") + set)
	f.Add(snapshot("key", "value") + set)
	f.Add("*1\r\n$536870912\r\nabc")
	f.Add("*2147483647\r\n$1\r\na\r\n")
	f.Fuzz(func(t *testing.T, file string) {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		whole, mistake := tellAll(strings.NewReader(file))
		runtime.ReadMemStats(&after)
		if took := after.TotalAlloc - before.TotalAlloc; took > uint64(4<<20+len(file)*1000) {
			t.Fatalf("%d bytes took %d of memory", len(file), took)
		}
		slow, again := tellAll(smallReader{strings.NewReader(file)})
		if slow != whole || fmt.Sprint(again) != fmt.Sprint(mistake) {
			t.Fatalf("%s, %v; in small pieces %s, %v", whole, mistake, slow, again)
		}
		if mistake == nil || strings.HasPrefix(file, magic) {
			return
		}
		if kept, err := tellAll(strings.NewReader(file[:mistake.Begin])); kept != whole || err != nil {
			t.Fatalf("before %d there is %s, %v; not %s", mistake.Begin, kept, err, whole)
		}
	})
}

// tellAll tells what is in a file, and where it ends.
func tellAll(in io.Reader) (log string, mistake *FileError) {
	r := NewReader(in, "f")
	for {
		u, err := r.Next()
		if err == nil {
			log += fmt.Sprintf("%q %d %+v\n", shown(u), u.Item.Kind, u.Item.Meta)
			continue
		}
		errors.As(err, &mistake)
		return log, mistake
	}
}

// smallReader gives no more than some bytes at once.
type smallReader struct{ from io.Reader }

func (r smallReader) Read(b []byte) (int, error) { return r.from.Read(b[:min(len(b), 7)]) }

// FuzzManifest parses any text as a manifest.
func FuzzManifest(f *testing.F) {
	f.Add(manifestBoth)
	f.Add("# a remark\nfile \"a\\x41\" seq 1 type b\n")
	f.Fuzz(func(t *testing.T, text string) {
		m, err := ParseManifest([]byte(text))
		for _, part := range m.Parts() {
			if !isBase(part.Name) || err != nil {
				t.Fatalf("%+v, %v", part, err)
			}
		}
	})
}
