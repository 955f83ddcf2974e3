package geo_test

import (
	"testing"

	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/geo"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/zset"
)

var families = []shardtest.Family{&geo.Commands, &zset.Commands, &str.Commands, &generic.Commands, &hash.Commands}

func TestExamples(t *testing.T) {
	t.Parallel()
	shardtest.Examples(t, &geo.Commands, families...)
}

func TestEvents(t *testing.T) {
	t.Parallel()
	shardtest.New(t, 4, families...).Play(`
		> GEOADD g 13.361389 38.115556 P 15.087269 37.502669 C
		:2
		! events zadd g
		> GEOADD g 13.361389 38.115556 P
		:0
		! events
		> GEOADD g CH 13.5 38.115556 P
		:1
		! events zadd g
		> GEOSEARCHSTORE d g FROMLONLAT 15 37 BYRADIUS 200 km
		:2
		! events geosearchstore d
		> GEORADIUS g 15 37 200 km STORE d
		:2
		! events georadiusstore d
		> GEORADIUSBYMEMBER g P 1 km STOREDIST d
		:1
		! events georadiusstore d
		> GEOSEARCHSTORE d g FROMLONLAT 0 0 BYRADIUS 1 km
		:0
		! events del d
		> GEOSEARCHSTORE d g FROMLONLAT 0 0 BYRADIUS 1 km
		:0
		! events
		> GEOSEARCHSTORE g g FROMMEMBER P BYRADIUS 1 km
		:1
		! events geosearchstore g
		> GEORADIUS nokey 15 37 200 km STORE g
		:0
		! events del g
	`)
}
