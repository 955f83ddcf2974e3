package actors

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/pebble/v2/vfs"
	"github.com/troupedb/troupe/keyspace/tier"
)

// openCold opens a database whose memory holds little: most of what the tests
// put into it is cold soon.
func openCold(t *testing.T, o Options) *DB {
	t.Helper()
	if o.Tier.Dir == "" {
		o.Tier = tier.Config{Dir: "/tier", FS: vfs.NewMem()}
	}
	db, err := Open(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	})
	db.System().Node.SetLimit(4 << 20)
	return db
}

// valueOf is a value that is like no other key's.
func valueOf(n int) string { return strings.Repeat(fmt.Sprintf("value %d ", n), 60) }

// Values that do not fit into memory are on disk, and all are there.
func TestColdTexts(t *testing.T) {
	t.Parallel()
	db := openCold(t, Options{Shards: 2})
	const n = 12000
	for i := range n {
		if err := db.SetText(background, fmt.Sprintf("key:%d", i), valueOf(i)); err != nil {
			t.Fatal(err)
		}
	}
	for round := range 2 {
		for i := range n {
			got, err := db.GetText(background, fmt.Sprintf("key:%d", i))
			if err != nil || got != valueOf(i) {
				t.Fatalf("round %d, key %d: %.40q, %v", round, i, got, err)
			}
		}
	}
	if s := db.System().Tier.Status(); s.Writes == 0 || s.Reads == 0 {
		t.Errorf("nothing went to the tier and back: %+v", s)
	} else {
		t.Logf("%+v", s)
	}
}
