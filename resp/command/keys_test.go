package command

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
)

// sampleSpec is a command of these keys, declared as in a family.
func sampleSpec(flags Flag, keys ...Keys) *Spec[int] {
	var table Table[int]
	return table.Add(Spec[int]{
		Meta: Meta{Name: "SAMPLE", Arity: -1, Group: "generic", Summary: "A sample.", Since: "0.1.0", Flags: flags, Keys: keys},
		Run:  func(int, *Args) resp.Reply { return resp.OK },
	})
}

// Keys are found wherever their specifications say. A keyword that is not
// there has none behind it, and is no mistake.
func TestAppendKeys(t *testing.T) {
	t.Parallel()
	f := func(keys []Keys, line, want string, wantOK bool) {
		t.Helper()
		argv := bytes.Fields([]byte(line))
		places, ok := sampleSpec(0, keys...).AppendKeys(nil, argv)
		var found []string
		for _, k := range places {
			found = append(found, fmt.Sprint(k.Pos, " ", string(argv[k.Pos])))
		}
		if got := strings.Join(found, ", "); got != want || ok != wantOK {
			t.Errorf("%q: %q, %v, want %q, %v", line, got, ok, want, wantOK)
		}
	}
	store := []Keys{{First: 1}, {Keyword: "STORE", First: 2}}
	f(store, "SORT k", "1 k", true)
	f(store, "SORT k store d", "1 k, 3 d", true)
	f(store, "SORT k LIMIT 0 1 STORE d", "1 k, 6 d", true)
	f(store, "SORT k STORE", "1 k", true)
	counted := []Keys{{First: 1, Counted: true}}
	f(counted, "X 2 a b c", "2 a, 3 b", true)
	f(counted, "X 3 a b", "", false)
	f(counted, "X two a b", "", false)
	f(counted, "X", "", false)
	f([]Keys{{First: 1, Last: -1, Step: 2}}, "MSET a 1 b 2", "1 a, 3 b", true)
	f([]Keys{{First: 1, Last: -2}}, "BLPOP a b 0", "1 a, 2 b", true)
	f([]Keys{{Keyword: "STREAMS", First: 1, Last: -1, Limit: 2}}, "XREAD COUNT 2 STREAMS a b 0 0", "4 a, 5 b", true)
	f([]Keys{{Keyword: "STREAMS", First: 1, Last: -1, Limit: 2}}, "XREAD COUNT 2", "", true)
	f([]Keys{{Keyword: "KEYS", First: -2, Last: -1}}, "MIGRATE h p x KEYS a", "5 a", true)
	last := func(argv [][]byte) int { return len(argv) - 1 }
	f([]Keys{{First: 1}, {Search: Nowhere}, {Search: last}}, "X a b c", "1 a, 3 c", true)
}

// A command's only key is known without looking, unless it has to be searched.
func TestSingleKey(t *testing.T) {
	t.Parallel()
	f := func(want int, keys ...Keys) {
		t.Helper()
		if got := sampleSpec(0, keys...).SingleKey(); got != want {
			t.Errorf("%+v: the only key is at %d, want %d", keys, got, want)
		}
	}
	f(1, Keys{First: 1})
	f(0, Keys{First: 1, Last: -1})
	f(0, Keys{First: 1, Counted: true})
	f(0, Keys{First: 1}, Keys{First: 2})
	f(0, Keys{First: 1, Search: Nowhere})
	f(0)
}

// All shards are needed by a command that says so, or that reaches keys which
// are not among its words.
func TestNeedsAll(t *testing.T) {
	t.Parallel()
	f := func(spec *Spec[int], line string, want bool) {
		t.Helper()
		if got := spec.NeedsAll(bytes.Fields([]byte(line))); got != want {
			t.Errorf("%q: %v, want %v", line, got, want)
		}
	}
	f(sampleSpec(AllShards), "KEYS a", true)
	f(sampleSpec(0), "GET a", false)
	reaching := sampleSpec(0, Keys{First: 1})
	reaching.Reaches = func(argv [][]byte) bool { return len(argv) > 2 }
	f(reaching, "SORT l", false)
	f(reaching, "SORT l BY w_*", true)
}

// A command has the categories of its group and flags, those that it names,
// and not those that it takes away.
func TestCategories(t *testing.T) {
	t.Parallel()
	m := Meta{Group: "generic", Flags: ReadOnly, Categories: []string{"-keyspace", "set", "dangerous"}}
	if got, want := strings.Join(m.ACL(), " "), "read set slow dangerous"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}
