package aof

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/troupedb/troupe/keyspace/rdb"
)

// disk is a file system of texts.
func disk(files ...string) fstest.MapFS {
	m := fstest.MapFS{}
	for i := 0; i < len(files); i += 2 {
		m[files[i]] = &fstest.MapFile{Data: []byte(files[i+1])}
	}
	return m
}

const (
	manifestBoth = "file a.1.base.rdb seq 1 type b\nfile a.1.incr.aof seq 1 type i\nfile a.2.incr.aof seq 2 type i\nfile a.0.incr.aof seq 0 type h\n"
)

func TestSource(t *testing.T) {
	t.Parallel()
	f := func(name string, disk fs.FS, kind Kind, want ...string) {
		t.Helper()
		s, err := Open(disk, name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			return
		}
		defer s.Close()
		got, err := all(s.Next)
		expect(t, name, got, err, want...)
		read, total := s.Progress()
		if s.Kind() != kind || read != total || s.Err() != nil {
			t.Errorf("%s is a %v, want a %v, %d bytes of %d, %v", name, s.Kind(), kind, read, total, s.Err())
		}
	}
	set, three, base := written("SET", "k", "v"), written("SELECT", "3"), snapshot("key", "value")
	manifest := strings.ReplaceAll(manifestBoth, "seq 0", "seq 1")
	parts := []string{"d/a.1.base.rdb", base, "d/a.1.incr.aof", three + set, "d/a.2.incr.aof", set}
	f("dump.rdb", disk("dump.rdb", base), Snapshot, "dump.rdb@9 key = value")
	f("dir/appendonly.aof", disk("dir/appendonly.aof", base+set), Snapshot, "dir/appendonly.aof@9 key = value", "dir/appendonly.aof@29 (0 SET k v)")
	f("a", disk("a", set), Commands, "a@0 (0 SET k v)")
	f("a", disk("a", "#TS:5\r\n"+set), Commands, "a@7 [5] (0 SET k v)")
	f("a", disk("a", ""), Commands)
	whole := []string{"d/a.1.base.rdb@9 key = value", "d/a.1.incr.aof@23 (3 SET k v)", "d/a.2.incr.aof@0 (0 SET k v)"}
	f("d", disk(append(parts, "d/a.manifest", manifest, "d/temp-a.manifest", "file")...), MultiPart, whole...)
	f("d/a.manifest", disk(append(parts, "d/a.manifest", manifest)...), MultiPart, whole...)
	f(".", disk("dump.rdb", "", "appendonlydir/appendonly.aof.manifest", "file b seq 1 type b\n", "appendonlydir/b", set), MultiPart, "appendonlydir/b@0 (0 SET k v)")
}

func TestSourceMistakes(t *testing.T) {
	t.Parallel()
	f := func(want error, text, name string, disk fs.FS) {
		t.Helper()
		s, err := Open(disk, name)
		if err == nil {
			defer s.Close()
			if _, err = all(s.Next); err == nil || fmt.Sprint(s.Err()) != err.Error() {
				t.Errorf("%s: %v is told as %v", name, err, s.Err())
			}
		}
		if err == nil || want != nil && !errors.Is(err, want) || !strings.Contains(err.Error(), text) {
			t.Errorf("%s: %v, want %v: %s", name, err, want, text)
		}
	}
	set, base := written("SET", "k", "v"), snapshot("key", "value")
	manifest := strings.ReplaceAll(manifestBoth, "seq 0", "seq 1")
	f(fs.ErrNotExist, "nothing", "nothing", disk())
	f(ErrNoSource, "text", "text", disk("text", "hello"))
	f(ErrNoSource, "d", "d", disk("d/text", "hello"))
	f(nil, "x.manifest, d/y.manifest", "d", disk("d/x.manifest", "", "d/y.manifest", ""))
	f(ErrCorrupt, "d/a.manifest at offset 0", "d", disk("d/a.manifest", "hello\n"))
	f(fs.ErrNotExist, "a.2.incr.aof", "d", disk("d/a.manifest", manifest, "d/a.1.base.rdb", base, "d/a.1.incr.aof", set))
	f(ErrCorrupt, "d/a.1.incr.aof at offset 24", "d", disk("d/a.manifest", manifest, "d/a.1.base.rdb", base, "d/a.1.incr.aof", set[:26], "d/a.2.incr.aof", set))
	f(ErrTorn, "d/a.2.incr.aof at offset 51", "d", disk("d/a.manifest", manifest, "d/a.1.base.rdb", base, "d/a.1.incr.aof", set, "d/a.2.incr.aof", set+set[:26]))
	f(rdb.ErrShort, "d/a.1.base.rdb at offset 20", "d", disk("d/a.manifest", manifest, "d/a.1.base.rdb", base[:20], "d/a.1.incr.aof", set, "d/a.2.incr.aof", set))
}

// A source that is closed has ended.
func TestSourceClosed(t *testing.T) {
	t.Parallel()
	s, err := Open(disk("a", written("SET", "k", "v")), "a")
	if err != nil {
		t.Fatal(err)
	}
	s.Close()
	if got, err := all(s.Next); len(got) > 0 || err != nil {
		t.Errorf("%v, %v", got, err)
	}
}
