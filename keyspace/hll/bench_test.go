package hll_test

import (
	"fmt"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/hll"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// BenchmarkCommand runs a command in a turn of its own on a sketch that has
// seen so many elements.
func BenchmarkCommand(b *testing.B) {
	f := func(elements int, words ...string) {
		b.Run(fmt.Sprintf("%s/%d", words[0], elements), func(b *testing.B) {
			w := shardtest.New(b, 1, families...)
			for i := range elements {
				w.Do(fmt.Sprintf("PFADD k element:%d", i))
				w.Do(fmt.Sprintf("PFADD l element:%d", 2*i))
			}
			measure(b, w, words)
		})
	}
	for _, elements := range []int{10, 500, 100_000} {
		f(elements, "PFADD", "k", "element:1")
		f(elements, "PFCOUNT", "k")
		f(elements, "PFCOUNT", "k", "l")
		f(elements, "PFMERGE", "k", "l")
	}
}

// BenchmarkAdd adds an element that is new each time, to one of so many
// sketches.
func BenchmarkAdd(b *testing.B) {
	for _, keys := range []int{1, 100, 10_000} {
		b.Run(fmt.Sprint(keys), func(b *testing.B) {
			w := shardtest.New(b, 1, families...)
			run := prepare(w, "PFADD", "k", "e")
			key, element, n := []byte("k"), []byte("e"), 0
			argv := [][]byte{[]byte("PFADD"), nil, nil}
			for b.Loop() {
				argv[1] = fmt.Appendf(key[:1], "%d", n%keys)
				argv[2] = fmt.Appendf(element[:1], "%d", n)
				n++
				run(argv)
			}
		})
	}
}

func measure(b *testing.B, w *shardtest.World, line []string) {
	run, argv := prepare(w, line...), words(line...)
	b.ReportAllocs()
	for b.Loop() {
		run(argv)
	}
}

// prepare returns what runs a command like the one shown in a turn of its own.
func prepare(w *shardtest.World, line ...string) func(argv [][]byte) {
	var spec *command.Spec[*keyspace.Tx]
	for _, spec = range hll.Commands.Specs() {
		if spec.Name == line[0] {
			break
		}
	}
	set := *w.Settings
	set.Events = false
	turn := &keyspace.Turn{
		Now: w.Now, Settings: &set,
		Nanos:    func() int64 { return 0 },
		Versions: func(int) uint64 { return 0 },
	}
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Spec: spec}}}
	return func(argv [][]byte) {
		x.Requests[0].Argv = argv
		tx := keyspace.Begin(turn, w.Shards, 1)
		x.Out = x.Out[:0]
		tx.Run(turn, x)
		tx.End(turn)
	}
}
