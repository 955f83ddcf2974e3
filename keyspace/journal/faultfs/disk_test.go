package faultfs_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"slices"
	"syscall"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// write makes a file.
func write(t *testing.T, disk journal.FS, name, text string) journal.File {
	t.Helper()
	file, err := disk.Create(name)
	must(t, err)
	_, err = file.Write([]byte(text))
	must(t, err)
	return file
}

// read gives a file's text, or "-" if there is none.
func read(t *testing.T, disk journal.FS, name string) string {
	t.Helper()
	file, err := disk.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return "-"
	}
	must(t, err)
	defer file.Close()
	text, err := io.ReadAll(file)
	must(t, err)
	return string(text)
}

func newDisk(t *testing.T, seed uint64) *faultfs.Disk {
	t.Helper()
	disk := faultfs.New(seed)
	must(t, disk.MkdirAll("/d"))
	return disk
}

// TestDisks holds that the disk in memory and the one behind a Trap do what the real one does.
func TestDisks(t *testing.T) {
	t.Parallel()
	asked := 0
	trap := faultfs.Trap(journal.Disk, func(faultfs.Call) error { asked++; return nil })
	testDisk(t, journal.Disk, t.TempDir()+"/a/b")
	testDisk(t, trap, t.TempDir()+"/a/b")
	testDisk(t, faultfs.New(1), "/a/b")
	if asked < 20 {
		t.Errorf("the trap asked %d times", asked)
	}
}

func testDisk(t *testing.T, disk journal.FS, dir string) {
	t.Helper()
	if _, err := disk.ReadDir(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a directory that is not there: %v", err)
	}
	must(t, disk.MkdirAll(dir))
	must(t, disk.MkdirAll(dir))
	file := write(t, disk, dir+"/one", "first")
	must(t, file.Truncate(2))
	_, err := file.Write([]byte("nished"))
	must(t, err)
	must(t, file.Sync())
	must(t, file.Close())
	if _, err := file.Write([]byte("x")); err == nil {
		t.Error("wrote to a closed file")
	}
	must(t, disk.Rename(dir+"/one", dir+"/two"))
	must(t, disk.SyncDir(dir))
	if one, two := read(t, disk, dir+"/one"), read(t, disk, dir+"/two"); one != "-" || two != "finished" {
		t.Errorf("after a rename %q and %q", one, two)
	}
	more, err := disk.OpenAppend(dir + "/two")
	must(t, err)
	_, err = more.Write([]byte(" it"))
	must(t, err)
	part := make([]byte, 20)
	if n, err := more.ReadAt(part, 9); string(part[:n]) != "it" || !errors.Is(err, io.EOF) {
		t.Errorf("read %q, %v", part[:n], err)
	}
	if size, err := more.Size(); size != 11 || err != nil {
		t.Errorf("size %d, %v", size, err)
	}
	must(t, more.Close())
	if size, err := disk.Stat(dir + "/two"); size != 11 || err != nil {
		t.Errorf("stat says %d, %v", size, err)
	}
	testNames(t, disk, dir)
}

func testNames(t *testing.T, disk journal.FS, dir string) {
	t.Helper()
	lock, err := disk.Lock(dir + "/lock")
	must(t, err)
	if _, err := disk.Lock(dir + "/lock"); !errors.Is(err, journal.ErrLocked) {
		t.Errorf("a second lock: %v", err)
	}
	must(t, lock.Close())
	must(t, write(t, disk, dir+"/a", "").Close())
	names, err := disk.ReadDir(dir)
	must(t, err)
	if names = slices.DeleteFunc(names, func(s string) bool { return s == "lock" }); !slices.Equal(names, []string{"a", "two"}) {
		t.Errorf("the directory has %q", names)
	}
	must(t, disk.Remove(dir+"/a"))
	for _, err := range []error{disk.Remove(dir + "/a"), disk.Rename(dir+"/a", dir+"/b")} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of a file that is not there: %v", err)
		}
	}
	if _, err := disk.OpenAppend(dir + "/a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opening a file that is not there: %v", err)
	}
}

// TestCrash: what was synced is there after a power cut, for certain; the rest by chance.
func TestCrash(t *testing.T) {
	t.Parallel()
	lost, kept, torn := 0, 0, 0
	for seed := range uint64(200) {
		disk := newDisk(t, seed)
		file := write(t, disk, "/d/a", "safe")
		must(t, file.Sync())
		must(t, disk.SyncDir("/d"))
		_, err := file.Write(bytes.Repeat([]byte("x"), 3000))
		must(t, err)
		write(t, disk, "/d/b", "new")
		after := disk.Crash()
		text := read(t, after, "/d/a")
		if text[:4] != "safe" {
			t.Fatalf("seed %d: what was synced reads %q", seed, text[:4])
		}
		switch whole := "safe" + string(bytes.Repeat([]byte("x"), 3000)); {
		case text == "safe":
			lost++
		case text == whole:
			kept++
		default:
			torn++
		}
		if _, err := disk.Open("/d/a"); !errors.Is(err, faultfs.ErrCrash) {
			t.Fatalf("after the crash the disk says %v", err)
		}
	}
	if lost == 0 || kept == 0 || torn == 0 {
		t.Errorf("lost %d, kept %d, torn %d of 200", lost, kept, torn)
	}
}

// TestKill: what was written is there after the program's end, and still not on disk.
func TestKill(t *testing.T) {
	t.Parallel()
	lost := 0
	for seed := range uint64(100) {
		disk := newDisk(t, seed)
		write(t, disk, "/d/a", "text")
		disk = disk.Kill()
		if text := read(t, disk, "/d/a"); text != "text" {
			t.Fatalf("seed %d: %q", seed, text)
		}
		if read(t, disk.Crash(), "/d/a") != "text" {
			lost++
		}
	}
	if lost == 0 {
		t.Error("nothing was ever lost")
	}
}

// TestFailedSync: what a failed sync lost, a later one does not bring back.
func TestFailedSync(t *testing.T) {
	t.Parallel()
	lost := 0
	for seed := range uint64(100) {
		disk := newDisk(t, seed)
		file := write(t, disk, "/d/a", "")
		must(t, disk.SyncDir("/d"))
		_, err := file.Write([]byte("text"))
		must(t, err)
		disk.Fail(faultfs.Nth(1, syscall.EIO, func(c faultfs.Call) bool { return c.Op == faultfs.Sync }))
		if err := file.Sync(); !errors.Is(err, syscall.EIO) {
			t.Fatal(err)
		}
		if text := read(t, disk, "/d/a"); text != "text" {
			t.Fatalf("before the crash %q", text)
		}
		must(t, file.Sync())
		if read(t, disk.Crash(), "/d/a") != "text" {
			lost++
		}
	}
	if lost == 0 || lost == 100 {
		t.Errorf("lost %d times of 100", lost)
	}
}

// TestCapacity: a full disk writes what it can.
func TestCapacity(t *testing.T) {
	t.Parallel()
	disk := newDisk(t, 1)
	file := write(t, disk, "/d/a", "12345")
	disk.SetCapacity(8)
	if n, err := file.Write([]byte("67890")); n != 3 || !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("wrote %d, %v", n, err)
	}
	if text := read(t, disk, "/d/a"); text != "12345678" || disk.Used() != 8 {
		t.Errorf("the file reads %q, %d bytes are used", text, disk.Used())
	}
}
