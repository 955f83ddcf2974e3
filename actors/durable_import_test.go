package actors_test

import (
	"errors"
	"sync/atomic"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// saved is a disk with an RDB file of a server without a journal.
func saved(t *testing.T, seed uint64) *faultfs.Disk {
	t.Helper()
	disk := newDisk(t, seed)
	db := keep(t, disk, "appendonly", "no")
	db.do("SET", "text", "value")
	db.do("RPUSH", "list", "a", "b")
	db.do("FUNCTION", "LOAD", "#!lua name=lib\nredis.register_function('f', function() return 7 end)")
	db.do("SAVE")
	db.Close()
	return disk
}

// wantSaved holds that a server has what saved says.
func (k *kept) wantSaved() {
	k.t.Helper()
	k.want(`"value"`, "GET", "text")
	k.want(`["a", "b"]`, "LRANGE", "list", "0", "-1")
	k.want(":7", "FCALL", "f", "0")
}

// An RDB file that a server with a journal begins with is there at every start
// from then on, with and without writes, also if the server is killed at once.
func TestImportIsKept(t *testing.T) {
	t.Parallel()
	disk := saved(t, 1)
	keep(t, disk).wantSaved()
	for range 3 {
		disk = disk.Kill()
		keep(t, disk, "shards", "3").wantSaved()
	}
	disk = disk.Kill()
	db := keep(t, disk, "appendfsync", "always")
	db.do("DEL", "text")
	disk = disk.Crash()
	db = keep(t, disk)
	db.want("_", "GET", "text")
	db.want(`["a", "b"]`, "LRANGE", "list", "0", "-1")
}

// The power may be cut at any call of the disk while a server begins with an RDB
// file, and the disk may fail.
func TestImportOutlivesCrashes(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	f := func(fate error, n int) bool {
		var reached atomic.Bool
		disk := saved(t, seed+uint64(n))
		before := disk.Calls()
		disk.Fail(func(c faultfs.Call) error {
			if c.N == before+n {
				reached.Store(true)
				return fate
			}
			return nil
		})
		db, err := openOn(disk, "appendfsync", "always")
		if err == nil {
			defer db.Close()
		}
		disk.Fail(nil)
		if errors.Is(fate, faultfs.ErrCrash) {
			disk = disk.Crash()
		} else {
			disk = disk.Kill()
		}
		again := keep(t, disk)
		again.wantSaved()
		if t.Failed() {
			t.Logf("call %d of the start, %v", n, fate)
		}
		again.Close()
		return reached.Load()
	}
	for _, fate := range []error{faultfs.ErrCrash, errDisk} {
		for n := 1; f(fate, n) && !t.Failed(); n++ {
		}
	}
}

// A directory without a journal belongs to whoever has written to it first.
func TestPlainDirectoryIsLocked(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	first, second := keep(t, disk, "appendonly", "no"), keep(t, disk, "appendonly", "no")
	first.do("SET", "a", "1")
	first.do("SAVE")
	if _, err := second.ask("SAVE"); err == nil {
		t.Error("two servers save to one directory")
	}
	if _, err := openOn(disk); err == nil {
		t.Error("a third one keeps its journal there")
	}
	first.Close()
	second.do("SET", "a", "2")
	second.do("SAVE")
}

// The power may be cut at any call of the disk while an RDB file is written: it is
// the old one then or the new one, whole.
func TestSaveOutlivesCrashes(t *testing.T) {
	t.Parallel()
	seed := drawDurableSeed(t)
	f := func(n int) bool {
		var reached atomic.Bool
		disk := saved(t, seed+uint64(n))
		db := keep(t, disk, "appendonly", "no")
		db.do("SET", "text", "new")
		db.do("RPUSH", "list", "new")
		before := disk.Calls()
		disk.Fail(func(c faultfs.Call) error {
			if c.N == before+n {
				reached.Store(true)
				return faultfs.ErrCrash
			}
			return nil
		})
		_, err := db.ask("SAVE")
		db.Close()
		disk.Fail(nil)
		again := keep(t, disk.Crash(), "appendonly", "no")
		defer again.Close()
		text, list := again.do("GET", "text").Text(), again.do("LRANGE", "list", "0", "-1").Strings()
		switch isNew := text == "new"; {
		case err == nil && !isNew, isNew != (len(list) == 3):
			t.Errorf("after call %d of SAVE (%v) there are %q and %q", n, err, text, list)
		case !isNew:
			again.wantSaved()
		}
		return reached.Load()
	}
	for n := 1; f(n); n++ {
	}
}
