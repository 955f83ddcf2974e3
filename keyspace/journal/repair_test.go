package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// TestRepairCrashes ends Repair at every call of the disk and runs it again: the outcome is the same, and
// no byte is gone.
func TestRepairCrashes(t *testing.T) {
	t.Parallel()
	files := fullDir(t)
	segment := files.names("journal-")[2]
	flipped := slices.Clone(files[segment])
	flipped[len(flipped)-journal.RecordHead] ^= 1
	f := func(name string, changed []byte, kept int) {
		t.Helper()
		for n := 1; ; n++ {
			for _, power := range []bool{false, true} {
				disk := files.disk(t, name, changed)
				syncAll(t, disk)
				before := readImage(t, disk)
				first := disk.Calls()
				disk.Fail(func(c faultfs.Call) error {
					if c.N == first+n {
						return faultfs.ErrCrash
					}
					return nil
				})
				_, err := journal.Repair(disk, dataDir)
				if err == nil {
					return
				}
				if !errors.Is(err, faultfs.ErrCrash) {
					t.Fatal(err)
				}
				if power {
					disk = disk.Crash()
				} else {
					disk = disk.Kill()
				}
				if _, err := journal.Repair(disk, dataDir); err != nil {
					t.Fatalf("%s, call %d: %v", name, n, err)
				}
				if got := replay(t, disk); got.damage != nil || got.records != kept {
					t.Fatalf("%s, call %d: %+v, want %d records", name, n, got, kept)
				}
				if lost := goneFrom(readImage(t, disk), before); lost != "" {
					t.Fatalf("%s, call %d: bytes of %s are gone", name, n, lost)
				}
			}
		}
	}
	f(segment, flipped, 5)
	f(segment, nil, 4)
	f("manifest", nil, 7)
	f("manifest", files["manifest"][:50], 7)
	f(files.names("snapshot-")[0], nil, 0)
}

// syncAll has all files on disk.
func syncAll(t *testing.T, disk journal.FS) {
	t.Helper()
	names, err := disk.ReadDir(dataDir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		file, err := disk.OpenAppend(dataDir + "/" + name)
		if err == nil {
			err = errors.Join(file.Sync(), file.Close())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := disk.SyncDir(dataDir); err != nil {
		t.Fatal(err)
	}
}

// goneFrom names a file some of whose bytes are in no file: the whole is in one, or its beginning is where
// it was and the end in another.
func goneFrom(files, before image) string {
	for name, text := range before {
		kept := name == "manifest" || name == "lock"
		for _, there := range files {
			kept = kept || string(there) == string(text) || string(files[name])+string(there) == string(text)
		}
		if !kept {
			return name
		}
	}
	return ""
}

// TestRepairWithoutManifest puts a directory together from files that say the same records twice, as after
// a sync that failed, and from some of another directory.
func TestRepairWithoutManifest(t *testing.T) {
	t.Parallel()
	files, other := fullDir(t), fullDir(t)
	segments := files.names("journal-")
	third := segments[2]
	twice := journal.Overlapping(files[third], 99)
	files["journal-000099.log"] = twice
	files["journal-000098.log"] = other[other.names("journal-")[0]]
	delete(files, segments[3])
	disk := files.disk(t, "manifest", nil)
	found, err := journal.Repair(disk, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	if got := replay(t, disk); got.damage != nil || got.records != 6 {
		t.Fatalf("repaired: %+v, %+v", got, found)
	}
	if m := found.Manifest; m.Next != 100 || m.Epoch != 2 || m.Snapshot.Name == "" {
		t.Errorf("the new manifest is %+v", m)
	}
}

// TestRepairCounts holds what Repair says of the records and bytes that it gives up.
func TestRepairCounts(t *testing.T) {
	t.Parallel()
	f := func(files image, name string, changed []byte, want ...journal.Moved) {
		t.Helper()
		found, err := journal.Repair(files.disk(t, name, changed), dataDir)
		if err != nil {
			t.Fatal(err)
		}
		slices.SortFunc(found.Moved, func(a, b journal.Moved) int { return strings.Compare(a.Name, b.Name) })
		if !slices.Equal(found.Moved, want) {
			t.Errorf("moved: %+v, want %+v", found.Moved, want)
		}
	}
	flip := func(text []byte, at int) []byte {
		text = slices.Clone(text)
		text[at] ^= 1
		return text
	}
	files := fullDir(t)
	names := files.names("journal-")
	third, size := files[names[2]], func(i int) int64 { return int64(len(files[names[i]])) }
	const head, record = journal.SegmentHead, journal.RecordHead
	second := head + record + 40 // where it begins, in each
	end := fmt.Sprintf("%s.at-%d.aside", names[2], second)
	last := journal.Moved{Name: names[3] + ".aside", Bytes: size(3), Records: 1}
	f(files, names[2], flip(third, second+5), journal.Moved{Name: end, Bytes: record + 50, Records: 1}, last)
	f(files, names[1], nil, journal.Moved{Name: names[2] + ".aside", Bytes: size(2), Records: 2}, last)
	f(files, names[2], flip(third, 20), journal.Moved{Name: names[2] + ".aside", Bytes: size(2), Records: 2}, last)
	f(files, "manifest", files["manifest"][:50], journal.Moved{Name: "manifest.aside", Bytes: 50})

	open := smallLog(t, journal.Always, false)
	const name = "journal-000001.log"
	at := bounds(open[name])
	f(open, name, flip(open[name], at[0]), journal.Moved{Name: name + ".aside", Bytes: int64(len(open[name])), Records: 10})
	for broken := 1; broken < 9; broken++ { // the tenth would be a tail
		end := fmt.Sprintf("%s.at-%d.aside", name, at[broken])
		f(open, name, flip(open[name], at[broken]), journal.Moved{Name: end, Bytes: int64(len(open[name]) - at[broken]), Records: int64(10 - broken)})
	}
}
