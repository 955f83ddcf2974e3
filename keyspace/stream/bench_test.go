package stream_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/stream"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// bench runs one command over and over, in batches of 16.
func bench(b *testing.B, w *shardtest.World, line string) {
	argv, _ := resp.SplitLine([]byte(line))
	var spec *command.Spec[*keyspace.Tx]
	for _, s := range stream.Commands.Specs() {
		if s.Name == string(argv[0]) {
			spec = s
		}
	}
	x := &keyspace.Execute{Encoder: resp.V2, Requests: make([]keyspace.Request, 16)}
	for i := range x.Requests {
		x.Requests[i] = keyspace.Request{Spec: spec, Argv: argv}
	}
	var out []byte
	for b.Loop() {
		*x = keyspace.Execute{Encoder: resp.V2, Requests: x.Requests, Out: out[:0]}
		w.Execute(x, []int{0})
		out = x.Out
	}
}

func BenchmarkXADD(b *testing.B) {
	w := shardtest.New(b, 1, &stream.Commands)
	w.Settings.Events = false
	bench(b, w, "XADD s * field xxxxxxxxxxxxxxxx")
}

func BenchmarkXREADGROUP(b *testing.B) {
	w := shardtest.New(b, 1, &stream.Commands)
	w.Settings.Events = false
	for range 300_000 {
		w.Do("XADD s * field xxxxxxxxxxxxxxxx")
	}
	w.Do("XGROUP CREATE s g 0")
	bench(b, w, "XREADGROUP GROUP g c COUNT 1 STREAMS s >")
}
