package list_test

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// BenchmarkCommand runs commands in a turn of their own on a list of so many
// elements, and encodes the replies.
func BenchmarkCommand(b *testing.B) {
	f := func(elements int, lines ...string) {
		b.Run(fmt.Sprintf("%s/%d", lines[0], elements), func(b *testing.B) {
			w := shardtest.New(b, 1, &list.Commands)
			for i := range elements {
				w.Do(fmt.Sprintf("RPUSH l element:%d", i))
			}
			measure(b, w, lines)
		})
	}
	for _, elements := range []int{5, 100, 100_000} {
		f(elements, "LPUSH l element", "RPOP l")
		f(elements, "LRANGE l 0 99")
		f(elements, fmt.Sprint("LINDEX l ", elements/3))
		f(elements, fmt.Sprintf("LSET l %d other", elements/2))
		f(elements, fmt.Sprintf("LINSERT l BEFORE element:%d new", elements/3), "LREM l 1 new")
	}
}

func measure(b *testing.B, w *shardtest.World, lines []string) {
	set := *w.Settings
	set.Events = false
	turn := &keyspace.Turn{
		Now: w.Now, Settings: &set,
		Nanos:    func() int64 { return 0 },
		Versions: func(int) uint64 { return 0 },
	}
	x := &keyspace.Execute{Encoder: resp.V2}
	for _, line := range lines {
		argv, _ := resp.SplitLine([]byte(line))
		for _, spec := range list.Commands.Specs() {
			if spec.Name == string(argv[0]) {
				x.Requests = append(x.Requests, keyspace.Request{Spec: spec, Argv: argv})
			}
		}
	}
	b.ReportAllocs()
	for b.Loop() {
		tx := keyspace.Begin(turn, w.Shards, 1)
		x.Out, x.Ran = x.Out[:0], 0
		tx.Run(turn, x)
		tx.End(turn)
	}
}
