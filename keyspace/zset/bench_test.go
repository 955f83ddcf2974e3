package zset_test

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/resp"
)

// BenchmarkCommand runs a command in a turn of its own on a sorted set of so
// many members, and encodes its reply.
func BenchmarkCommand(b *testing.B) {
	f := func(members int, line ...string) {
		b.Run(fmt.Sprintf("%s/%d", line[0], members), func(b *testing.B) {
			w := newWorld(b, 1)
			fill(w, "z", members)
			measure(b, w, words(line...))
		})
	}
	for _, members := range []int{10, 100, 100_000} {
		last, middle := fmt.Sprint("m:", members-1), fmt.Sprint(members/2)
		f(members, "ZSCORE", "z", last)
		f(members, "ZADD", "z", "0.5", last, "1.5", last)
		f(members, "ZINCRBY", "z", "1", last)
		f(members, "ZRANK", "z", last)
		f(members, "ZRANGE", "z", middle, fmt.Sprint(members/2+99))
		f(members, "ZRANGE", "z", middle, fmt.Sprint(members/2+99), "WITHSCORES")
		f(members, "ZCOUNT", "z", "(5", middle)
		f(members, "ZRANDMEMBER", "z", "5")
		f(members, "ZSCAN", "z", "0", "COUNT", "100")
	}
}

// fill adds members with scores in no order.
func fill(w *shardtest.World, key string, members int) {
	const together = 100
	for i := 0; i < members; i += together {
		line := "ZADD " + key
		for j := i; j < min(i+together, members); j++ {
			line += fmt.Sprintf(" %d m:%d", j*7919%members, j)
		}
		w.Do(line)
	}
}

func BenchmarkUnion(b *testing.B) {
	w := newWorld(b, 1)
	fill(w, "a", 100_000)
	fill(w, "b", 100_000)
	measure(b, w, words("ZUNIONSTORE", "c", "2", "a", "b", "WEIGHTS", "1", "0.3"))
}

func measure(b *testing.B, w *shardtest.World, argv [][]byte) {
	var spec = zset.Commands.Specs()[0]
	for _, spec = range zset.Commands.Specs() {
		if spec.Name == string(argv[0]) {
			break
		}
	}
	turn := &keyspace.Turn{
		Now: w.Now, Settings: w.Settings,
		Nanos:    func() int64 { return 0 },
		Versions: func(int) uint64 { return 0 },
	}
	settings := *w.Settings
	settings.Events = false
	turn.Settings = &settings
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Spec: spec, Argv: argv}}}
	b.ReportAllocs()
	for b.Loop() {
		tx := keyspace.Begin(turn, w.Shards, 1)
		x.Out = x.Out[:0]
		tx.Run(turn, x)
		tx.End(turn)
	}
}
