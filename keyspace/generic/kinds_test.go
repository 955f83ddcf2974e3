package generic_test

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/zset"
)

func init() {
	for _, kind := range []*keyspace.Kind{&str.Kind, &list.Kind, &set.Kind, &zset.Kind} {
		shardtest.Kinds[kind.Type] = kind
	}
}
