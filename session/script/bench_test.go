package script

import (
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/session"
)

// BenchmarkScript runs a script of one call, and one of ten, in a turn that holds two
// shards.
func BenchmarkScript(b *testing.B) {
	for name, source := range map[string]string{
		"none": `return 1`,
		"one":  `return redis.call("GET", KEYS[1])`,
		"ten":  `local r for i = 1, 10 do r = redis.call("GET", KEYS[1]) end return r`,
	} {
		for _, heavy := range []bool{true, false} {
			place := "/loop"
			if heavy {
				place = "/worker"
			}
			b.Run(name+place, func(b *testing.B) { benchmarkScript(b, source, heavy) })
		}
	}
}

func benchmarkScript(b *testing.B, source string, heavy bool) {
	c := &session.Catalogue{}
	c.AddData(&str.Commands)
	e := AddTo(c)
	c.Seal()
	body, mistake := e.learn([]byte(source), true)
	if mistake.IsError() {
		b.Fatal(mistake.Str())
	}
	held := []*keyspace.Shard{keyspace.NewShard(0, 1, 1), keyspace.NewShard(1, 1, 1)}
	turn := keyspace.Turn{Now: 1, Settings: keyspace.DefaultSettings(), Nanos: func() int64 { return 0 }, Versions: func(int) uint64 { return 0 }}
	tx := keyspace.Begin(&turn, held, len(held))
	tx.Call(c.Named("SET").Data, [][]byte{[]byte("SET"), []byte("key"), []byte("sixteen bytes of")})
	spec := c.Named("EVALSHA").Data
	body.reach.trust.runs.Store(quickRuns)
	body.reach.state.Store(confined)
	var requests []keyspace.Request
	for range 16 {
		requests = append(requests, keyspace.Request{Spec: spec, Argv: [][]byte{[]byte("evalsha"), []byte(body.sha), []byte("1"), []byte("key")}})
	}
	x := keyspace.Execute{}
	b.ReportAllocs()
	b.ResetTimer()
	for i := 0; i < b.N; i += 16 {
		x.Reset()
		x.Encoder, x.OutMax, x.Heavy, x.Requests = resp.V2, 1<<20, heavy, append(x.Requests, requests...)
		tx.Run(&turn, &x)
	}
	if x.Ran != len(requests) {
		b.Fatal("some were given up")
	}
}
