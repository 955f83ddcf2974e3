package str_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
)

// A string is put and read back as one element, whatever it replaces.
func TestKind(t *testing.T) {
	t.Parallel()
	w := shardtest.New(t, 1, &str.Commands)
	f := func(want string, encoding string, texts ...string) {
		t.Helper()
		var elements []keyspace.Element
		for _, text := range texts {
			elements = append(elements, keyspace.Element{Text: []byte(text)})
		}
		var got []string
		x := &keyspace.Execute{Encoder: resp.V3, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
			mistake := str.Kind.Put(tx, []byte("k"), slices.Values(elements), keyspace.NoDeadline, "made")
			if v := tx.Peek([]byte("k")); !v.Missing() {
				got = append(got, v.Encoding().String())
				str.Kind.Each(tx, v, func(e keyspace.Element) bool {
					got = append(got, string(e.Text))
					return true
				})
				if _, found := str.Kind.Find(tx, v, []byte(got[1])); !found || str.Kind.Len(v) != 1 {
					t.Errorf("%q is not found in itself", got[1])
				}
				if _, found := str.Kind.Find(tx, v, []byte(got[1]+".")); found {
					t.Errorf("%q is found with a dot", got[1])
				}
			}
			return mistake
		}}}}
		w.Execute(x, []int{0})
		if strings.Join(got, " ") != encoding || string(x.Out) != want {
			t.Errorf("%q: %q, %q", texts, got, x.Out)
		}
	}
	long := strings.Repeat("x", 100)
	f("", "embstr hello", "hello")
	f("", "int -12", "-12")
	f("", "raw "+long, long)
	f("-ERR a string has one text\r\n", "raw "+long, "a", "b")
	f("", "")
	f("", "embstr ", "")
}
