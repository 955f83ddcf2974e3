package zset_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
)

// put makes z a value of the elements.
func put(w *shardtest.World, elements ...keyspace.Element) resp.Reply {
	return within(w, func(tx *keyspace.Tx) resp.Reply {
		mistake := zset.Kind.Put(tx, []byte("z"), slices.Values(elements), keyspace.NoDeadline, "restore")
		if mistake.IsError() {
			return mistake
		}
		return resp.OK
	})
}

func element(member string, score float64) keyspace.Element {
	return keyspace.Element{Text: []byte(member), Score: score}
}

// What Put has made, Each lists in order, Len counts and Find finds.
func TestKind(t *testing.T) {
	t.Parallel()
	zset.EachSeed(t, 5, func(t *testing.T, rng *rand.Rand) {
		for _, n := range []int{1, 5, 128, 129, 1000} {
			w := newWorld(t, 1)
			var elements []keyspace.Element
			for i := range n {
				elements = append(elements, element(fmt.Sprint("m", i), float64(rng.IntN(n))))
			}
			if got := put(w, elements...); got.IsError() {
				t.Fatal(resp.Format(got))
			}
			slices.SortFunc(elements, func(x, y keyspace.Element) int {
				if x.Score != y.Score {
					return int(x.Score - y.Score)
				}
				return strings.Compare(string(x.Text), string(y.Text))
			})
			within(w, func(tx *keyspace.Tx) resp.Reply {
				compareElements(t, tx, elements)
				return resp.OK
			})
			if want := map[bool]string{true: "listpack", false: "skiplist"}[n <= 128]; encoding(w, "z") != want {
				t.Errorf("%d members: %s", n, encoding(w, "z"))
			}
		}
	})
}

func compareElements(t *testing.T, tx *keyspace.Tx, want []keyspace.Element) {
	t.Helper()
	v := tx.Peek([]byte("z"))
	if got := zset.Kind.Len(v); got != len(want) {
		t.Errorf("%d members, want %d", got, len(want))
	}
	i := 0
	zset.Kind.Each(tx, v, func(e keyspace.Element) bool {
		if string(e.Text) != string(want[i].Text) || e.Score != want[i].Score {
			t.Fatalf("member %d is %q %v, want %q %v", i, e.Text, e.Score, want[i].Text, want[i].Score)
		}
		i++
		return true
	})
	if e, found := zset.Kind.Find(tx, v, want[0].Text); !found || e.Score != want[0].Score {
		t.Errorf("%q: found %v, %v", want[0].Text, found, e.Score)
	}
	if _, found := zset.Kind.Find(tx, v, []byte("nomember")); found {
		t.Error("found what is not there")
	}
}

// What is no sorted set changes nothing, and leaves nothing behind.
func TestKindRefuses(t *testing.T) {
	t.Parallel()
	f := func(elements ...keyspace.Element) {
		t.Helper()
		w := newWorld(t, 1)
		w.Do("ZADD z 5 before")
		held := w.Held()
		if got := put(w, elements...); !got.IsError() {
			t.Errorf("%v: %s", elements, resp.Format(got))
		}
		if got := w.Do("ZRANGE z 0 -1"); got != `["before"]` || w.Held() != held {
			t.Errorf("%v: afterwards %s, and %d bytes more", elements, got, w.Held()-held)
		}
	}
	f(element("a", 1), element("b", math.NaN()))
	f(element("a", 1), element("b", 2), element("a", 3))
	f(element("a", math.NaN()))
}

// Of no elements becomes no key.
func TestKindOfNothing(t *testing.T) {
	t.Parallel()
	w := newWorld(t, 1)
	w.Do("ZADD z 5 before")
	if got := put(w); got.IsError() || w.Do("ZCARD z") != ":0" || w.Held() != 0 {
		t.Errorf("%s, then %s and %d bytes", resp.Format(got), w.Do("ZCARD z"), w.Held())
	}
}
