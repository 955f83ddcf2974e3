package hash_test

import (
	"fmt"
	"iter"
	"sort"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/resp"
)

// elements are fields with their values and ends, "f=v" or "f=v@end", as a Kind
// takes them.
func elements(fields []string) iter.Seq[keyspace.Element] {
	return func(yield func(keyspace.Element) bool) {
		for _, f := range fields {
			var e keyspace.Element
			name, rest, _ := strings.Cut(f, "=")
			text, end, ends := strings.Cut(rest, "@")
			if ends {
				fmt.Sscan(end, &e.Deadline)
			}
			e.Text, e.Value = []byte(name), []byte(text)
			if !yield(e) {
				return
			}
		}
	}
}

// What is put is what is listed then, in the form that it calls for, but for
// fields that have ended.
func TestKind(t *testing.T) {
	t.Parallel()
	f := func(form string, fields ...string) {
		t.Helper()
		w := newWorld(t)
		w.Now = 1000
		w.Do("SET h before EX 100")
		var listed []string
		within(w, func(tx *keyspace.Tx) resp.Reply {
			if mistake := hash.Kind.Put(tx, []byte("h"), elements(fields), w.Now+500, "restore"); mistake.IsError() {
				t.Error(mistake.Str())
			}
			v := tx.Peek([]byte("h"))
			if v.Missing() {
				return resp.OK
			}
			if when := tx.Deadline(v); when != w.Now+500 {
				t.Errorf("the deadline is %d", when)
			}
			hash.Kind.Each(tx, v, func(e keyspace.Element) bool {
				text := string(e.Text) + "=" + string(e.Value)
				if e.Deadline != 0 {
					text += fmt.Sprint("@", e.Deadline)
				}
				listed = append(listed, text)
				if found, ok := hash.Kind.Find(tx, v, e.Text); !ok || string(found.Value) != string(e.Value) || found.Deadline != e.Deadline {
					t.Errorf("%s is found as %q@%d", text, found.Value, found.Deadline)
				}
				return true
			})
			if n := hash.Kind.Len(v); n != len(listed) {
				t.Errorf("%d fields, %d are listed", n, len(listed))
			}
			return resp.OK
		})
		if got := encoding(w, "h"); got != form {
			t.Errorf("%.50q: %s, want %s", fields, got, form)
		}
		var want []string
		for _, field := range fields {
			if !strings.HasSuffix(field, "@1000") {
				want = append(want, field)
			}
		}
		sort.Strings(want)
		sort.Strings(listed)
		if strings.Join(listed, " ") != strings.Join(want, " ") {
			t.Errorf("%.100q, want %.100q", listed, want)
		}
	}
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("f%d=v@%d", i, 1000+i))
	}
	f("listpack", "a=1", "b=")
	f("listpackex", "a=1", "b=@1500", "c=x@1000", "d=y@1001")
	f("hashtable", many...)
	f("", "a=1@1000")
	f("")
}

// A field that comes twice is a mistake, which leaves everything as it was.
func TestKindMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do("SET h before")
	held := w.Held()
	var many []string
	for i := range 1000 {
		many = append(many, fmt.Sprintf("f%d=v", i%999))
	}
	within(w, func(tx *keyspace.Tx) resp.Reply {
		if mistake := hash.Kind.Put(tx, []byte("h"), elements(many), keyspace.NoDeadline, "restore"); !mistake.IsError() {
			t.Error("no mistake")
		}
		return resp.OK
	})
	w.Sweep()
	if got := w.Do("GET h"); got != `"before"` || w.Held() != held {
		t.Errorf("%s, %d bytes held, were %d", got, w.Held(), held)
	}
}
