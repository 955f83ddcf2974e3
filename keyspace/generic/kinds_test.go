package generic_test

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/zset"
)

func init() {
	for _, kind := range []*keyspace.Kind{&str.Kind, &list.Kind, &set.Kind, &zset.Kind, &hash.Kind} {
		shardtest.Kinds[kind.Type] = kind
	}
}

// everyFamily has the commands on values of all types.
var everyFamily = []shardtest.Family{
	&str.Commands, &generic.Commands, &hash.Commands, &list.Commands, &set.Commands, &zset.Commands,
}
