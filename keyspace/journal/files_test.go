package journal_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
)

// fullDir is a directory with a snapshot at the third record, segments before and after it that were
// closed, and an open one.
func fullDir(t *testing.T) (files image) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 1)
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		r.add(10, 20, 30)
		if err := r.save(); err != nil {
			t.Fatal(err)
		}
		for range 3 {
			r.add(40, 50)
			r.wait(time.Second)
			if err := r.log.Rotate(); err != nil {
				t.Fatal(err)
			}
		}
		r.add(60)
		r.wait(time.Second)
		r.crash(false)
		files = readImage(t, r.disk)
	})
	return files
}

// names gives the files with a prefix, in order.
func (files image) names(prefix string) (names []string) {
	for name := range files {
		if strings.HasPrefix(name, prefix) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// TestFullDir is the control of the tests below: nothing is changed, nothing is found.
func TestFullDir(t *testing.T) {
	t.Parallel()
	files := fullDir(t)
	got := open(t, files.disk(t, "", nil))
	if got.damage != nil || got.tail != nil || got.records != 7 {
		t.Fatalf("got %+v", got)
	}
	if segments := files.names("journal-"); len(segments) != 4 {
		t.Fatalf("segments %v", segments)
	}
	found, err := journal.Check(files.disk(t, "", nil), dataDir)
	if err != nil || len(found.List) > 0 || found.Records != 7 {
		t.Fatalf("found %+v, %v", found, err)
	}
}

// TestMissingFiles takes away each file but the manifest in turn.
func TestMissingFiles(t *testing.T) {
	t.Parallel()
	files := fullDir(t)
	segments := files.names("journal-")
	f := func(name string, kept int) {
		t.Helper()
		disk := files.disk(t, name, nil)
		got := replay(t, disk)
		if got.damage == nil || got.damage.File != name || !strings.Contains(got.damage.Error(), "troupe check /data --repair") {
			t.Fatalf("without %s: %v", name, got.damage)
		}
		found, err := journal.Repair(disk, dataDir)
		if err != nil || found.OK() || len(found.Moved) == 0 && kept < 6 {
			t.Fatalf("without %s: repair found %+v, %v", name, found, err)
		}
		if got := replay(t, disk); got.damage != nil || got.records != kept {
			t.Fatalf("without %s, repaired: %+v, want %d records", name, got, kept)
		}
		if lost := missingFrom(readImage(t, disk), without(files, name)); lost != "" {
			t.Fatalf("without %s, repair removed bytes of %s", name, lost)
		}
	}
	f(files.names("snapshot-")[0], 0)
	for i, name := range segments {
		f(name, 2*i)
	}
}

func without(files image, name string) image {
	rest := image{}
	for other, text := range files {
		if other != name {
			rest[other] = text
		}
	}
	return rest
}

// TestSnapshotDamage changes the snapshot's bytes and its length.
func TestSnapshotDamage(t *testing.T) {
	t.Parallel()
	files := fullDir(t)
	name := files.names("snapshot-")[0]
	text := files[name]
	f := func(changed []byte) {
		t.Helper()
		disk := files.disk(t, name, changed)
		found, err := journal.Check(disk, dataDir)
		if err != nil || found.OK() || found.List[0].File != name {
			t.Fatalf("found %+v, %v", found, err)
		}
		if err := readSnapshot(disk); err == nil {
			t.Fatal("a damaged snapshot was read")
		}
		if _, err := journal.Repair(disk, dataDir); err != nil {
			t.Fatal(err)
		}
		if got := replay(t, disk); got.damage != nil || got.records != 0 {
			t.Fatalf("repaired: %+v", got)
		}
	}
	for offset := range text {
		changed := slices.Clone(text)
		changed[offset] ^= 4
		f(changed)
	}
	f(text[:10])
	f(append(slices.Clone(text), 'x'))
	f([]byte{})
	if err := readSnapshot(files.disk(t, "", nil)); err != nil {
		t.Fatal(err)
	}
}

// readSnapshot reads the snapshot as a server does.
func readSnapshot(disk journal.FS) error {
	d, err := journal.OpenDir(disk, dataDir)
	if err != nil {
		return err
	}
	defer d.Close()
	reader, err := d.OpenSnapshot()
	if err != nil {
		return err
	}
	defer reader.Close()
	b := make([]byte, 7)
	for err == nil {
		_, err = reader.Read(b)
	}
	if err.Error() == "EOF" {
		return nil
	}
	return err
}

// TestForeignFiles puts files into the directory. What is named like ours and is not is refused; what a
// crash explains is taken away; the rest is left alone.
func TestForeignFiles(t *testing.T) {
	t.Parallel()
	files, other := fullDir(t), fullDir(t)
	ours, theirs := files.names("journal-"), other.names("journal-")
	open := ours[len(ours)-1]
	f := func(name string, text []byte, refused bool) {
		t.Helper()
		files := without(files, "")
		files[name] = text
		got := replay(t, files.disk(t, "", nil))
		if (got.damage != nil) != refused {
			t.Fatalf("%s of %d bytes: %v", name, len(text), got.damage)
		}
		found, err := journal.Check(files.disk(t, "", nil), dataDir)
		if err != nil || found.OK() == refused {
			t.Fatalf("%s of %d bytes: found %+v, %v", name, len(text), found.List, err)
		}
		if !refused {
			return
		}
		disk := files.disk(t, "", nil)
		if _, err := journal.Repair(disk, dataDir); err != nil {
			t.Fatal(err)
		}
		if got := replay(t, disk); got.damage != nil || got.records != 7 && name != open {
			t.Fatalf("%s of %d bytes, repaired: %+v", name, len(text), got)
		}
	}
	f("dump.rdb", []byte("REDIS0011"), false)
	f("journal-7.log", []byte("not our way to write numbers"), false)
	f("journal-000001.log.bak", files[ours[0]], false)
	f("journal-000099.log", []byte(strings.Repeat("some text ", 20)), true)
	f("journal-000099.log", files[ours[0]], true)
	f("journal-000001.log", files[ours[0]], true)     // has another number inside
	f("journal-000001.log", other[theirs[0]], true)   // of another directory
	f(open, other[theirs[len(theirs)-1]], true)       // in place of ours
	f("journal-000007.log", files[open][:20], false)  // a crash while it was made
	f("journal-000008.log", files[open][:20], true)   // two ahead: no crash does that
	f("snapshot-000099-7.rdb", []byte("REDIS"), true) // newer than the manifest
	f("snapshot-000001-1.rdb", []byte("REDIS"), false)
	f("snapshot.tmp", []byte("REDIS"), false)
	f("manifest.tmp", []byte("half"), false)
}

// TestUnknownFormat: what a newer program wrote is refused, and not repaired.
func TestUnknownFormat(t *testing.T) {
	t.Parallel()
	files := fullDir(t)
	f := func(name string, changed []byte) {
		t.Helper()
		disk := files.disk(t, name, changed)
		got := replay(t, disk)
		if got.damage == nil || !got.damage.Fatal || strings.Contains(got.damage.Error(), "--repair") {
			t.Fatalf("%s: %v", name, got.damage)
		}
		if _, err := journal.Repair(disk, dataDir); err == nil {
			t.Fatalf("%s was repaired", name)
		}
		if !sameBut(files, readImage(t, disk), name) {
			t.Fatalf("%s: repair changed files", name)
		}
	}
	f("manifest", journal.ManifestOfFormat(2))
	segment := files.names("journal-")[1]
	f(segment, append(journal.HeadOfFormat(2, files[segment]), files[segment][journal.SegmentHead:]...))
}

// TestLeftovers: what crashes left is gone after a start, and the rest is as it was.
func TestLeftovers(t *testing.T) {
	t.Parallel()
	files := fullDir(t)
	files["snapshot.tmp"] = []byte("half a snapshot")
	files["manifest.tmp"] = []byte("half a manifest")
	files["journal-000007.log"] = []byte("half a head")
	files["snapshot-000007-9.rdb"] = []byte("not adopted")
	files["snapshot-000001-0.rdb"] = []byte("superseded")
	files["notes.txt"] = []byte("the user's")
	disk := files.disk(t, "", nil)
	d, err := journal.OpenDir(disk, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Begin(journal.Config{}); err == nil {
		t.Fatal("a log began before the old one was replayed")
	}
	if _, err := d.Replay(0, func(journal.Record) error { return nil }, nil); err != nil {
		t.Fatal(err)
	}
	l, err := d.Begin(journal.Config{})
	if err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	after := readImage(t, disk)
	for _, name := range []string{"snapshot.tmp", "manifest.tmp", "snapshot-000007-9.rdb", "snapshot-000001-0.rdb"} {
		if after[name] != nil {
			t.Errorf("%s is still there", name)
		}
	}
	if after["notes.txt"] == nil || len(after.names("snapshot-")) != 1 {
		t.Errorf("left are %v", after.names(""))
	}
	if got := replay(t, disk); got.damage != nil || got.records != 7 {
		t.Errorf("read again: %+v", got)
	}
}

// TestLock: a directory is for one process.
func TestLock(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	d, err := journal.OpenDir(journal.Disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	refused := func(err error) {
		t.Helper()
		if !errors.Is(err, journal.ErrLocked) || !strings.Contains(err.Error(), dir) {
			t.Errorf("got %v", err)
		}
	}
	_, err = journal.OpenDir(journal.Disk, dir)
	refused(err)
	_, err = journal.Check(journal.Disk, dir)
	refused(err)
	_, err = journal.Repair(journal.Disk, dir)
	refused(err)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	d, err = journal.OpenDir(journal.Disk, dir)
	if err != nil {
		t.Fatal(err)
	}
	if !d.IsNew() || d.Close() != nil {
		t.Error("an empty directory is not new")
	}
}
