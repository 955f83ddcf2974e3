package journal_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/journal"
)

// Who only reads sees what a start would, changes nothing, and begins nothing.
func TestOpenToRead(t *testing.T) {
	t.Parallel()
	files := smallLog(t, journal.Always, false)
	name := files.names("journal-")[0]
	whole := files[name]
	disk := files.disk(t, name, whole[:len(whole)-3])
	before := readImage(t, disk)
	d, err := journal.OpenToRead(disk, dataDir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	report, err := d.Replay(d.Manifest().Snapshot.Version, func(journal.Record) error { return nil }, nil)
	if err != nil || report.Tail == nil || report.Tail.Aside != "" {
		t.Fatalf("%v, %v", report, err)
	}
	if after := readImage(t, disk); !sameBut(before, after, "lock") {
		t.Error("the directory was changed")
	}
	if _, err := d.Begin(journal.Config{}); err == nil {
		t.Error("a log has begun")
	}
	if _, err := journal.OpenDir(disk, dataDir); err == nil {
		t.Error("a server takes a directory that is being read")
	}
	if _, err := journal.OpenToRead(disk, dataDir+"2"); err == nil {
		t.Error("there is no such directory")
	}
}
