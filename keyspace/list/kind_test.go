package list_test

import (
	"fmt"
	"iter"
	"slices"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// elements are those given, as a Kind takes them.
func elements(texts []string) iter.Seq[keyspace.Element] {
	return func(yield func(keyspace.Element) bool) {
		for _, text := range texts {
			if !yield(keyspace.Element{Text: []byte(text)}) {
				return
			}
		}
	}
}

// read is all elements of a list as its Kind lists them, and how many it says
// there are.
func read(w *shardtest.World, key string) (texts []string, length int) {
	within(w, func(tx *keyspace.Tx) resp.Reply {
		v := tx.Peek([]byte(key))
		list.Kind.Each(tx, v, func(e keyspace.Element) bool {
			texts = append(texts, string(e.Text))
			return true
		})
		length = list.Kind.Len(v)
		return resp.OK
	})
	return texts, length
}

// What is put is what is listed then, in its order and in the form that it
// calls for, and nothing is left of it when it goes.
func TestKind(t *testing.T) {
	t.Parallel()
	f := func(form string, texts ...string) {
		t.Helper()
		w := newWorld(t)
		w.Do("SET l before EX 100")
		within(w, func(tx *keyspace.Tx) resp.Reply {
			if mistake := list.Kind.Put(tx, []byte("l"), elements(texts), w.Now+500, "restore"); mistake.IsError() {
				t.Error(mistake.Str())
			}
			return resp.OK
		})
		if got := encoding(w, "l"); got != form {
			t.Errorf("%.50q: %s, want %s", texts, got, form)
		}
		got, length := read(w, "l")
		if !slices.Equal(got, texts) || length != len(texts) {
			t.Errorf("%.50q: %.50q, of %d", texts, got, length)
		}
		within(w, func(tx *keyspace.Tx) resp.Reply {
			if v := tx.Peek([]byte("l")); form != "" && tx.Deadline(v) != w.Now+500 {
				t.Errorf("the deadline is %d", tx.Deadline(v))
			}
			tx.Delete([]byte("l"), "del")
			return resp.OK
		})
		w.Sweep()
		if held := w.Held(); held != 0 {
			t.Errorf("%.50q: %d bytes are held after it was deleted", texts, held)
		}
	}
	var many []string
	for i := range 10_000 {
		many = append(many, fmt.Sprint("element ", i))
	}
	f("listpack", "b", "", "a", "a")
	f("quicklist", many...)
	f("")
}

// An element that is too long leaves everything as it was.
func TestKindMistake(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.Do("RPUSH l before")
	held := w.Held()
	within(w, func(tx *keyspace.Tx) resp.Reply {
		long := make([]byte, keyspace.TextMax+1) // never touched, so no memory
		mistake := list.Kind.Put(tx, []byte("l"), func(yield func(keyspace.Element) bool) {
			_ = yield(keyspace.Element{Text: []byte("a")}) && yield(keyspace.Element{Text: long})
		}, keyspace.NoDeadline, "restore")
		if mistake.Str() != resp.ErrStringSize.Str() {
			t.Errorf("%q", mistake.Str())
		}
		return resp.OK
	})
	if got, _ := read(w, "l"); !slices.Equal(got, []string{"before"}) || w.Held() != held {
		t.Errorf("%q, and %d bytes are held, %d were", got, w.Held(), held)
	}
}
