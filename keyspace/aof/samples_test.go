package aof

import (
	"errors"
	"os"
	"testing"

	"github.com/troupedb/troupe/keyspace/rdb"
)

// The files in testdata are what they are taken for, and hold so many keys and
// commands.
func TestSamples(t *testing.T) {
	t.Parallel()
	f := func(name string, kind Kind, keys, commands int, end error) {
		t.Helper()
		s, err := Open(os.DirFS("../../testdata"), name)
		if err != nil {
			t.Fatal(err)
		}
		defer s.Close()
		for {
			u, err := s.Next()
			if err != nil {
				break
			}
			if u.Item.Kind == rdb.KeyItem {
				keys--
			}
			commands -= len(u.Commands)
		}
		if !errors.Is(s.Err(), end) || s.Kind() != kind || keys != 0 || commands != 0 {
			t.Errorf("%s is a %v, %v, with %d keys and %d commands less than it should have", name, s.Kind(), s.Err(), keys, commands)
		}
	}
	f("aof/redis-7.0", MultiPart, 14, 4, nil)
	f("aof/redis-7.0/appendonly.aof.manifest", MultiPart, 14, 4, nil)
	f("aof/redis-6.aof", Snapshot, 14, 4, nil)
	f("aof/commands.aof", Commands, 0, 2, nil)
	f("aof/torn.aof", Commands, 0, 2, ErrTorn)
	f("rdb/redis-7.0.rdb", Snapshot, 14, 0, nil)
	f("rdb/version-1.rdb", Snapshot, 8, 0, nil)
}
