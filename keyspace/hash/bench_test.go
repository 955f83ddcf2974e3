package hash_test

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// BenchmarkCommand runs a command in a turn of its own on a hash of so many
// fields, and encodes its reply.
func BenchmarkCommand(b *testing.B) {
	f := func(fields int, words ...string) {
		b.Run(fmt.Sprintf("%s/%d", words[0], fields), func(b *testing.B) {
			w := shardtest.New(b, 1, &hash.Commands)
			for i := range fields {
				w.Do(fmt.Sprintf("HSET h field:%d value:%d", i, i))
			}
			var argv [][]byte
			for _, word := range words {
				argv = append(argv, []byte(word))
			}
			measure(b, w, argv)
		})
	}
	for _, fields := range []int{5, 100, 500, 100_000} {
		last := fmt.Sprint("field:", fields-1)
		f(fields, "HGET", "h", last)
		f(fields, "HSET", "h", last, "VALUE:"+last[6:])
		f(fields, "HINCRBY", "h", "n", "1")
		f(fields, "HGETALL", "h")
		f(fields, "HRANDFIELD", "h", "5")
		f(fields, "HSCAN", "h", "0", "COUNT", "100")
	}
}

func measure(b *testing.B, w *shardtest.World, argv [][]byte) {
	var spec = hash.Commands.Specs()[0]
	for _, spec = range hash.Commands.Specs() {
		if spec.Name == string(argv[0]) {
			break
		}
	}
	turn := &keyspace.Turn{
		Now: w.Now, Settings: w.Settings,
		Nanos:    func() int64 { return 0 },
		Versions: func(int) uint64 { return 0 },
	}
	set := *w.Settings
	set.Events = false
	turn.Settings = &set
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Spec: spec, Argv: argv}}}
	b.ReportAllocs()
	for b.Loop() {
		tx := keyspace.Begin(turn, w.Shards, 1)
		x.Out = x.Out[:0]
		tx.Run(turn, x)
		tx.End(turn)
	}
}
