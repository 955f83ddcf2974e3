package actors

import (
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// deaf is a Log that keeps nothing.
type deaf struct{}

func (deaf) Append(int64, []byte, []int) uint64 { return 0 }

// To record what usual commands have come to takes no memory of Go's.
func TestEffectsAllocateNothing(t *testing.T) {
	if raced() {
		t.Skip("the race detector makes pools forget")
	}
	f := func(lines ...string) {
		t.Helper()
		p := newPlain(t, 1, 1)
		p.log = deaf{}
		x := &keyspace.Execute{Encoder: resp.V2, Shards: []int{0}}
		for _, line := range lines {
			argv, _ := resp.SplitLine([]byte(line))
			x.Requests = append(x.Requests, keyspace.Request{Spec: p.row(argv).Data, Argv: argv})
		}
		turn := &keyspace.Turn{Now: 1000, Settings: p.settings, Nanos: func() int64 { return 0 }, Log: p.log}
		run := func() {
			x.Ran, x.Out = 0, x.Out[:0]
			tx := keyspace.Begin(turn, p.shards, 1)
			tx.Run(turn, x)
			tx.End(turn)
			turn.Now++
		}
		if run(); x.Broken != nil {
			t.Fatal(x.Broken.Reason)
		}
		if got := testing.AllocsPerRun(200, run); got > 0 {
			t.Errorf("%q: %v allocations", lines, got)
		}
	}
	f("SET k v")
	f("SET k v EX 1000")
	f("SET k v PX 1000 XX")
	f("SETEX k 10 v")
	f("INCR n")
	f("INCRBYFLOAT n 0.5")
	f("EXPIRE k 10", "SET k v", "EXPIRE k 10", "PERSIST k")
	f("HSET h a 1 b 2")
	f("HSET h a 1", "HPEXPIREAT h 33177117420000 FIELDS 1 a")
	f("HINCRBY h a 1")
	f("LPUSH l a", "LPOP l")
	f("SADD s a b", "SREM s a b")
	f("ZADD z 1 a", "ZADD z 2 a")
	f("ZINCRBY z 0.1 a")
	f("DEL k", "SETNX k v")
}
