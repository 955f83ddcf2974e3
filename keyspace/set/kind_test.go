package set_test

import (
	"fmt"
	"iter"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/resp"
)

// elements are the members given, as a Kind takes them.
func elements(members []string) iter.Seq[keyspace.Element] {
	return func(yield func(keyspace.Element) bool) {
		for _, member := range members {
			if !yield(keyspace.Element{Text: []byte(member)}) {
				return
			}
		}
	}
}

// What is put is what is listed then, in the form that it calls for.
func TestKind(t *testing.T) {
	t.Parallel()
	f := func(form string, members ...string) {
		t.Helper()
		w := newWorld(t)
		w.Do("SET s before EX 100")
		within(w, func(tx *keyspace.Tx) resp.Reply {
			if mistake := set.Kind.Put(tx, []byte("s"), elements(members), w.Now+500, "restore"); mistake.IsError() {
				t.Error(mistake.Str())
			}
			return resp.OK
		})
		if got := encoding(w, "s"); got != form {
			t.Errorf("%.50q: %s, want %s", members, got, form)
		}
		var listed []resp.Reply
		within(w, func(tx *keyspace.Tx) resp.Reply {
			v := tx.Peek([]byte("s"))
			if form == "" {
				return resp.OK
			}
			if when := tx.Deadline(v); when != w.Now+500 {
				t.Errorf("the deadline is %d", when)
			}
			set.Kind.Each(tx, v, func(e keyspace.Element) bool {
				listed = append(listed, resp.BulkString(string(e.Text)))
				return true
			})
			return resp.OK
		})
		if got, want := sorted(resp.Array(listed...)), sorted(resp.Strings(members...)); strings.Join(got, " ") != strings.Join(want, " ") {
			t.Errorf("%.50q: %.50q", want, got)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("m", i))
	}
	f("intset", "5", "-1", "70000")
	f("listpack", "5", "a", "")
	f("hashtable", many...)
	f("")
}

// A member that comes twice is a mistake, which leaves everything as it was.
func TestKindMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do("SET s before")
	held := w.Held()
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprint("m", i%999))
	}
	within(w, func(tx *keyspace.Tx) resp.Reply {
		if mistake := set.Kind.Put(tx, []byte("s"), elements(many), keyspace.NoDeadline, "restore"); !mistake.IsError() {
			t.Error("no mistake")
		}
		return resp.OK
	})
	w.Sweep()
	if got := w.Do("GET s"); got != `"before"` || w.Held() != held {
		t.Errorf("%s, %d bytes held, were %d", got, w.Held(), held)
	}
}
