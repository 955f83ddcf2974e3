package set_test

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// BenchmarkCommand runs a command in a turn of its own on sets of so many
// members, and encodes its reply: a and b have half of them in common.
func BenchmarkCommand(b *testing.B) {
	f := func(form string, members int, words ...string) {
		b.Run(fmt.Sprintf("%s/%s/%d", words[0], form, members), func(b *testing.B) {
			w := shardtest.New(b, 1, &set.Commands)
			prefix := ""
			if form == "texts" {
				prefix = "member:"
			}
			for i := range members {
				w.Do(fmt.Sprintf("SADD a %s%d", prefix, i))
				w.Do(fmt.Sprintf("SADD b %s%d", prefix, i+members/2))
			}
			var argv [][]byte
			for _, word := range words {
				argv = append(argv, []byte(word))
			}
			measure(b, w, argv)
		})
	}
	for _, form := range []string{"ints", "texts"} {
		for _, members := range []int{10, 100, 100_000} {
			f(form, members, "SISMEMBER", "a", "5")
			f(form, members, "SADD", "a", "7")
			f(form, members, "SMEMBERS", "a")
			f(form, members, "SRANDMEMBER", "a", "5")
			f(form, members, "SINTER", "a", "b")
			f(form, members, "SUNION", "a", "b")
			f(form, members, "SDIFF", "a", "b")
			f(form, members, "SUNIONSTORE", "c", "a", "b")
		}
	}
}

func measure(b *testing.B, w *shardtest.World, argv [][]byte) {
	var spec = set.Commands.Specs()[0]
	for _, spec = range set.Commands.Specs() {
		if spec.Name == string(argv[0]) {
			break
		}
	}
	settings := *w.Settings
	settings.Events = false
	turn := &keyspace.Turn{
		Now: w.Now, Settings: &settings,
		Nanos:    func() int64 { return 0 },
		Versions: func(int) uint64 { return 0 },
	}
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Spec: spec, Argv: argv}}}
	b.ReportAllocs()
	for b.Loop() {
		tx := keyspace.Begin(turn, w.Shards, 1)
		x.Out = x.Out[:0]
		tx.Run(turn, x)
		tx.End(turn)
	}
}
