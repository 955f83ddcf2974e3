package persist

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/journal"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp/command"
)

// specOf finds a command of a few families.
func specOf(words [][]byte) *command.Spec[*keyspace.Tx] {
	for _, s := range slices.Concat(str.Commands.Specs(), list.Commands.Specs(), generic.Commands.Specs()) {
		if s.Name == string(words[0]) {
			return s
		}
	}
	return nil
}

func lookFor(keys ...string) *past {
	p := &past{store: &Store{Config: Config{Spec: specOf}}, keys: map[string]bool{}}
	for _, key := range keys {
		p.keys[key] = true
	}
	return p
}

// recordOf is a record of commands of several databases.
func recordOf(commands ...string) (r journal.Record) {
	for db, line := range commands {
		var words [][]byte
		for word := range strings.FieldsSeq(line) {
			words = append(words, []byte(word))
		}
		r.Body = keyspace.AppendEffect(r.Body, db, 0, words)
	}
	return r
}

// A record has changed a key if one of its effects names it among the keys, or may
// reach any.
func TestPastOfKeys(t *testing.T) {
	t.Parallel()
	f := func(want bool, commands ...string) {
		t.Helper()
		p := lookFor("a", "b")
		err := p.record(recordOf(commands...))
		if p.changed != want || want != errors.Is(err, errEnough) {
			t.Errorf("%q: changed %v, %v, want %v", commands, p.changed, err, want)
		}
	}
	f(true, "SET a v")
	f(true, "SET c v", "DEL x y b")
	f(true, "MSET x 1 b 2")
	f(true, "LMOVE x a LEFT LEFT")
	f(true, "RENAME b x")
	f(true, "FLUSHALL")
	f(true, "SWAPDB 0 1")
	f(false, "SET c a")
	f(false, "MSET x a y b")
	f(false, "RPUSH c a b", "DEL c")
	f(false, "FUNCTION LOAD a")
	f(false)
}

// A look ends after so many records, and then nothing is known.
func TestPastIsBounded(t *testing.T) {
	t.Parallel()
	p, other := lookFor("a"), recordOf("SET c v")
	p.records = pastRecords - 3
	for range 3 {
		if err := p.record(other); err != nil {
			t.Fatal(err)
		}
	}
	if err := p.record(other); !errors.Is(err, errEnough) || p.changed {
		t.Errorf("after %d records: %v, changed %v", pastRecords+1, err, p.changed)
	}
}

// A version leads on to records if it is that of the snapshot, of a record, or the
// one before a segment or before its first record; one that a crash has lost does not.
func TestPastReaches(t *testing.T) {
	t.Parallel()
	const epoch = 1 << journal.EpochShift
	m := journal.Manifest{Snapshot: journal.Snapshot{Version: epoch + 10}, Segments: []journal.Segment{
		{Number: 1, After: epoch + 10, First: epoch + 11, Last: epoch + 20, Size: 100},
		{Number: 2, After: epoch + 20, First: 2*epoch + 1, Last: 2*epoch + 5, Size: 100},
	}}
	f := func(version uint64, want bool) {
		t.Helper()
		if got := reaches(m, version); got != want {
			t.Errorf("version %d of epoch %d: %v, want %v", version%epoch, version/epoch, got, want)
		}
	}
	f(0, false)
	f(epoch+9, false) // in the snapshot, so what has changed since is not known
	f(epoch+10, true)
	f(epoch+11, true)
	f(epoch+20, true)
	f(epoch+21, false) // lost by a crash
	f(2*epoch-1, false)
	f(2*epoch, true) // nothing has changed yet
	f(2*epoch+1, true)
	f(2*epoch+5, true)
	f(2*epoch+6, false)
	f(3*epoch+1, false)
}
