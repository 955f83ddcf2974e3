package generic_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

func TestKeyrange(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 2, 16} {
		w := shardtest.New(t, shards, everyFamily...)
		w.Play(`
			> KEYRANGE - +
			[]
			> MSET a 1 b two "" empty "a\xff" ff c 3
			+OK
			> RPUSH ab x
			:1
			> KEYRANGE - +
			["", "a", "ab", "a\xff", "b", "c"]
			> KEYRANGE + - REV
			["c", "b", "a\xff", "ab", "a", ""]
			> KEYRANGE - + REV
			[]
			> KEYRANGE + -
			[]
			> KEYRANGE [a [b
			["a", "ab", "a\xff", "b"]
			> KEYRANGE (a (b
			["ab", "a\xff"]
			> KEYRANGE [b [a REV LIMIT 2
			["b", "a\xff"]
			> KEYRANGE (a (a
			[]
			> KEYRANGE [a [a
			["a"]
			> KEYRANGE [ (
			[]
			> KEYRANGE - + PREFIX a
			["a", "ab", "a\xff"]
			> KEYRANGE (ab + PREFIX a
			["a\xff"]
			> KEYRANGE - + type LIST
			["ab"]
			> KEYRANGE - + TYPE nonsense
			[]
			> KEYRANGE - + TYPE ""
			[]
			> KEYRANGE - + LIMIT 0
			[]
			> KEYRANGE - + limit 3 withvalues
			[["", "empty"], ["a", "1"], ["ab", _]]
			> KEYRANGE - + LIMIT 9223372036854775807 PREFIX b WITHVALUES
			[["b", "two"]]
			> PEXPIRE a 10
			:1
			! advance 10ms
			> KEYRANGE - [ab WITHVALUES
			[["", "empty"], ["ab", _]]
			> SELECT 1
			+OK
			> KEYRANGE - +
			[]
			> KEYRANGE a +
			-ERR min or max not valid string range item
			> KEYRANGE - ""
			-ERR min or max not valid string range item
			> KEYRANGE - + LIMIT -1
			-ERR value is out of range, must be positive
			> KEYRANGE - + LIMIT x
			-ERR value is out of range, must be positive
			> KEYRANGE - + LIMIT
			-ERR syntax error
			> KEYRANGE - + PREFIX
			-ERR syntax error
			> KEYRANGE - + NONSENSE
			-ERR syntax error
			> KEYRANGE -
			-ERR wrong number of arguments for 'keyrange' command
		`)
	}
}

// Ranges of many keys, walked through page by page, are those of all keys in
// order.
func TestKeyrangePages(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(*seedFlag, 79))
	t.Logf("-seed %d", *seedFlag)
	for range 10 {
		w := shardtest.New(t, 1+rng.IntN(4), everyFamily...)
		var all []string
		for range 1 + rng.IntN(1000) {
			key := fmt.Sprint("key:", rng.IntN(100_000))
			w.Run([][]byte{[]byte("SET"), []byte(key), []byte("v")})
			all = append(all, key)
		}
		slices.Sort(all)
		all = slices.Compact(all)
		page := 1 + rng.IntN(40)
		for _, reverse := range []bool{false, true} {
			got := pages(w, page, reverse)
			if reverse {
				slices.Reverse(got)
			}
			if !slices.Equal(got, all) {
				t.Fatalf("pages of %d, reverse %v: %d keys, want %d: %.300q, want %.300q", page, reverse, len(got), len(all), got, all)
			}
		}
	}
}

// pages walks through all keys, so many at a time.
func pages(w *shardtest.World, page int, reverse bool) (keys []string) {
	from, to, rev := "-", "+", ""
	if reverse {
		from, to, rev = "+", "-", " REV"
	}
	for {
		argv, _ := resp.SplitLine([]byte(strings.TrimSpace(fmt.Sprintf("KEYRANGE %s %s LIMIT %d%s", from, to, page, rev))))
		items := w.Run(argv).Items()
		for _, item := range items {
			keys = append(keys, item.Str())
		}
		if len(items) < page {
			return keys
		}
		from = "(" + keys[len(keys)-1]
	}
}
