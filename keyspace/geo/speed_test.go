package geo_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/geo"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// BenchmarkCommand runs a command in a turn of its own, on 100,000 places of
// Europe, and encodes its reply.
func BenchmarkCommand(b *testing.B) {
	w := shardtest.New(b, 1, families...)
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range 100_000 {
		w.Run(words("GEOADD", "g", fmt.Sprint(rng.Float64()*30-10), fmt.Sprint(rng.Float64()*25+35), fmt.Sprint("member:", i)))
	}
	for _, line := range []string{
		"GEOSEARCH g FROMLONLAT 5 50 BYRADIUS 10 km ASC",
		"GEOSEARCH g FROMLONLAT 5 50 BYRADIUS 50 km ASC COUNT 10 WITHDIST",
		"GEOSEARCH g FROMLONLAT 5 50 BYBOX 100 100 km WITHDIST WITHCOORD",
		"GEOSEARCH g FROMLONLAT 5 50 BYRADIUS 1000 km",
		"GEOSEARCH g FROMLONLAT 5 50 BYRADIUS 1000 km COUNT 10",
		"GEOSEARCH g FROMLONLAT 5 50 BYRADIUS 1000 km ASC WITHDIST",
		"GEOPOS g member:1", "GEODIST g member:1 member:2", "GEOADD g 5.1 50.1 member:5",
	} {
		argv, _ := resp.SplitLine([]byte(line))
		b.Run(strings.ReplaceAll(line, " ", "_"), func(b *testing.B) { measure(b, w, argv) })
	}
}

func measure(b *testing.B, w *shardtest.World, argv [][]byte) {
	spec := geo.Commands.Specs()[0]
	for _, spec = range geo.Commands.Specs() {
		if spec.Name == string(argv[0]) {
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
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Spec: spec, Argv: argv}}}
	b.ReportAllocs()
	for b.Loop() {
		tx := keyspace.Begin(turn, w.Shards, 1)
		x.Out = x.Out[:0]
		tx.Run(turn, x)
		tx.End(turn)
	}
}
