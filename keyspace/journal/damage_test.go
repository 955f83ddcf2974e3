package journal_test

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/journal/faultfs"
)

// image is the files of a directory.
type image map[string][]byte

// read takes the files off a disk.
func readImage(t *testing.T, disk journal.FS) image {
	t.Helper()
	names, err := disk.ReadDir(dataDir)
	if err != nil {
		t.Fatal(err)
	}
	files := image{}
	for _, name := range names {
		file, err := disk.Open(dataDir + "/" + name)
		if err != nil {
			t.Fatal(err)
		}
		size, _ := file.Size()
		files[name] = make([]byte, size)
		if n, err := file.ReadAt(files[name], 0); n != len(files[name]) {
			t.Fatal(err)
		}
		file.Close()
	}
	return files
}

// disk makes a disk with the files, one of them changed.
func (files image) disk(t *testing.T, name string, changed []byte) *faultfs.Disk {
	t.Helper()
	disk := faultfs.New(1)
	if err := disk.MkdirAll(dataDir); err != nil {
		t.Fatal(err)
	}
	for other, text := range files {
		if other == name {
			text = changed
		}
		if text == nil {
			continue
		}
		file, err := disk.Create(dataDir + "/" + other)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := file.Write(text); err != nil {
			t.Fatal(err)
		}
		file.Close()
	}
	return disk
}

// smallLog writes ten records, each synced by itself or all at once, and ends by a kill or well.
func smallLog(t *testing.T, policy journal.Policy, closed bool) (files image) {
	synctest.Test(t, func(t *testing.T) {
		r := newRig(t, 1)
		r.config.Policy = policy
		if err := r.start(); err != nil {
			t.Fatal(err)
		}
		for i := range 10 {
			r.add(i * 3)
			if policy == journal.Always {
				r.wait(time.Millisecond)
			}
		}
		r.wait(time.Second)
		if closed {
			if err := r.log.Close(); err != nil {
				t.Fatal(err)
			}
			r.log = nil
		}
		r.crash(false)
		files = readImage(t, r.disk)
	})
	return files
}

// bounds gives where the records of a segment's file begin, and its end.
func bounds(text []byte) (at []int) {
	at = append(at, journal.SegmentHead)
	for last := at[0]; last < len(text); {
		length := int(text[last+4]) | int(text[last+5])<<8
		last += journal.RecordHead + length
		at = append(at, last)
	}
	return at
}

// verdict is what is made of a directory.
type verdict struct {
	records int
	damage  *journal.Damage
	tail    *journal.Tail
}

// open gives the verdict on a directory, and holds that Check and Repair agree with it: what is damaged
// they say so of, and a repaired directory has all that is sound.
func open(t *testing.T, disk *faultfs.Disk) (v verdict) {
	t.Helper()
	before := readImage(t, disk)
	found, err := journal.Check(disk, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	v = replay(t, disk)
	if found.OK() != (v.damage == nil) {
		t.Fatalf("Check says %v, Replay %v", found.List, v.damage)
	}
	if v.damage == nil {
		return v
	}
	if after := readImage(t, disk); !sameBut(before, after, "lock") {
		t.Fatalf("%v, and files were changed", v.damage)
	}
	if _, err := journal.Repair(disk, dataDir); err != nil {
		t.Fatalf("repairing %v: %v", v.damage, err)
	}
	if again := replay(t, disk); again.damage != nil || again.records < v.records {
		t.Fatalf("repaired %v: %v, %d records and not %d", v.damage, again.damage, again.records, v.records)
	}
	if lost := missingFrom(readImage(t, disk), before); lost != "" {
		t.Fatalf("repairing %v removed bytes of %s", v.damage, lost)
	}
	return v
}

// replay opens and reads a directory.
func replay(t *testing.T, disk *faultfs.Disk) (v verdict) {
	t.Helper()
	d, err := journal.OpenDir(disk, dataDir)
	if errors.As(err, &v.damage) {
		return v
	}
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	report, err := d.Replay(d.Manifest().Snapshot.Version, func(journal.Record) error { return nil }, nil)
	if err != nil && !errors.As(err, &v.damage) {
		t.Fatal(err)
	}
	v.records, v.tail = int(report.Records), report.Tail
	return v
}

func sameBut(a, b image, except string) bool {
	for name := range b {
		if name != except && string(a[name]) != string(b[name]) {
			return false
		}
	}
	return true
}

// missingFrom names a file whose bytes are not all in some files: as it was, or in two parts.
func missingFrom(files, before image) string {
	for name, text := range before {
		kept := slices.ContainsFunc([]string{name, name + ".aside", "manifest"}, func(as string) bool {
			return string(files[as]) == string(text) || as == name && name == "manifest"
		})
		for other, tail := range files {
			if strings.HasPrefix(other, name+".at-") {
				kept = kept || string(files[name])+string(tail) == string(text)
			}
		}
		if !kept {
			return name
		}
	}
	return ""
}

// TestTail cuts, zeroes, overwrites and flips at every offset of a log that a kill ended.
func TestTail(t *testing.T) {
	t.Parallel()
	for _, policy := range []journal.Policy{journal.Always, journal.EverySecond} {
		files := smallLog(t, policy, false)
		const name = "journal-000001.log"
		text := files[name]
		at := bounds(text)
		if len(at) != 11 {
			t.Fatalf("a log of %d records", len(at)-1)
		}
		for offset := range text {
			testTailAt(t, files, offset, at)
		}
	}
}

func testTailAt(t *testing.T, files image, offset int, at []int) {
	const name = "journal-000001.log"
	text := files[name]
	// behind tells how many records are still whole at the end, wherever that is now.
	f := func(what string, changed []byte, behind int) {
		t.Helper()
		got := open(t, files.disk(t, name, changed))
		sound := 0
		for sound < 10 && at[sound+1] <= len(changed) && string(changed[:at[sound+1]]) == string(text[:at[sound+1]]) {
			sound++
		}
		isHead := len(changed) < journal.SegmentHead || string(changed[:journal.SegmentHead]) != string(text[:journal.SegmentHead])
		if damaged := isHead || behind > 0; damaged != (got.damage != nil) {
			t.Fatalf("%s at %d: %v, want damage %v", what, offset, got.damage, damaged)
		}
		if got.damage != nil {
			if !isHead && got.damage.Offset != int64(at[sound]) {
				t.Fatalf("%s at %d: %v, want offset %d", what, offset, got.damage, at[sound])
			}
			return
		}
		if got.records != sound {
			t.Fatalf("%s at %d: %d records, want %d", what, offset, got.records, sound)
		}
		if cut := len(changed) > at[sound]; cut != (got.tail != nil) {
			t.Fatalf("%s at %d: tail %v, want one %v", what, offset, got.tail, cut)
		}
	}
	fill := func(b byte, size int) []byte {
		changed := slices.Clone(text[:offset])
		for len(changed) < size {
			changed = append(changed, b+byte(len(changed))*(b&1))
		}
		return changed
	}
	f("cut", text[:offset], 0)
	f("zeros", fill(0, len(text)), 0)
	f("more zeros", fill(0, len(text)+5000), 0)
	f("garbage", fill(0xA5, len(text)), 0)
	f("twos", fill(2, len(text)+1000), 0)
	behind := func(offset int) int {
		next, _ := slices.BinarySearch(at, offset+1)
		return len(at) - 1 - next
	}
	flipped := slices.Clone(text)
	flipped[offset] ^= 1 << (offset % 8)
	f("flip", flipped, behind(offset))
	// Of equal bytes the last one may as well be the one that is missing; and an x
	// behind another may as well be before it. Checksums make that happen where a
	// record begins.
	last := offset
	for last+1 < len(text) && text[last+1] == text[offset] {
		last++
	}
	f("missing byte", slices.Delete(slices.Clone(text), offset, offset+1), behind(last))
	first := offset
	for text[first-min(first, 1)] == 'x' {
		first--
	}
	left := behind(first)
	if slices.Contains(at, first) {
		left++ // the record that begins here stands one further
	}
	f("byte too much", slices.Insert(slices.Clone(text), offset, 'x'), left)
}

// TestClosedTail changes every byte of a log that was ended well: all of it was promised, so all is damage
// but what was put behind it.
func TestClosedTail(t *testing.T) {
	t.Parallel()
	files := smallLog(t, journal.EverySecond, true)
	const name = "journal-000001.log"
	text := files[name]
	for offset := range text {
		flipped := slices.Clone(text)
		flipped[offset] ^= 0x40
		if got := open(t, files.disk(t, name, flipped)); got.damage == nil {
			t.Fatalf("flipped at %d and not found", offset)
		}
		if got := open(t, files.disk(t, name, text[:offset])); got.damage == nil {
			t.Fatalf("cut at %d and not found", offset)
		}
	}
	got := open(t, files.disk(t, name, append(slices.Clone(text), "behind"...)))
	if got.damage != nil || got.records != 10 || got.tail == nil || got.tail.Size != 6 {
		t.Fatalf("bytes behind the end: %+v", got)
	}
}

// TestTailIsSetAside looks at what is left of a tail that was cut.
func TestTailIsSetAside(t *testing.T) {
	t.Parallel()
	files := smallLog(t, journal.Always, false)
	const name = "journal-000001.log"
	disk := files.disk(t, name, append(slices.Clone(files[name]), "torn"...))
	got := replay(t, disk)
	aside := fmt.Sprintf("%s.at-%d.aside", name, len(files[name]))
	if got.tail == nil || got.tail.Aside != dataDir+"/"+aside || got.tail.Size != 4 {
		t.Fatalf("tail %+v, want it in %s", got.tail, aside)
	}
	after := readImage(t, disk)
	if string(after[aside]) != "torn" || string(after[name]) != string(files[name]) {
		t.Errorf("set aside %q, left %d bytes of %d", after[aside], len(after[name]), len(files[name]))
	}
	if again := replay(t, disk); again.tail != nil || again.records != 10 {
		t.Errorf("read again: %+v", again)
	}
}

// TestLostPage: a power cut may keep a later page of what was not synced and lose an earlier one. That is a
// tail. If the page had been synced, it is damage.
func TestLostPage(t *testing.T) {
	t.Parallel()
	f := func(policy journal.Policy, damaged bool) {
		t.Helper()
		var files image
		synctest.Test(t, func(t *testing.T) {
			r := newRig(t, 1)
			r.config.Policy = policy
			if err := r.start(); err != nil {
				t.Fatal(err)
			}
			r.add(2)
			r.wait(10 * time.Millisecond)
			for range 100 {
				r.add(200)
				if policy == journal.Always {
					r.wait(time.Millisecond)
				}
			}
			r.wait(10 * time.Millisecond)
			r.crash(false)
			files = readImage(t, r.disk)
		})
		text := slices.Clone(files["journal-000001.log"])
		clear(text[4096:8192])
		if got := open(t, files.disk(t, "journal-000001.log", text)); (got.damage != nil) != damaged {
			t.Errorf("policy %d, a page of zeros: %v", policy, got.damage)
		}
	}
	f(journal.EverySecond, false)
	f(journal.Always, true)
}

// TestManifestDamage changes, cuts and removes the manifest: it is never taken for another one, and Repair
// makes one with all records from what the files say.
func TestManifestDamage(t *testing.T) {
	t.Parallel()
	files := smallLog(t, journal.Always, false)
	text := files["manifest"]
	f := func(what string, changed []byte) {
		t.Helper()
		disk := files.disk(t, "manifest", changed)
		got := replay(t, disk)
		if got.damage == nil || got.damage.File != "manifest" {
			t.Fatalf("%s: %v", what, got.damage)
		}
		if got.damage.Fatal {
			return // another format
		}
		if _, err := journal.Repair(disk, dataDir); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
		if got := replay(t, disk); got.damage != nil || got.records != 10 {
			t.Fatalf("%s, repaired: %+v", what, got)
		}
	}
	for offset := range text {
		changed := slices.Clone(text)
		changed[offset] ^= 1
		f("flipped", changed)
		f("cut", text[:offset])
		f("byte too much", slices.Insert(slices.Clone(text), offset, '0'))
	}
	f("removed", nil)
	f("longer", append(slices.Clone(text), '\n'))
}
