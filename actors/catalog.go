package actors

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/bits"
	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/geo"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/hll"
	"github.com/troupedb/troupe/keyspace/list"
	"github.com/troupedb/troupe/keyspace/set"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/keyspace/stream"
	"github.com/troupedb/troupe/keyspace/zset"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/conn"
	"github.com/troupedb/troupe/session/script"
)

// families adds every family of commands to the catalogue: one line each.
func families(c *session.Catalogue) {
	c.AddHere(&conn.Commands)
	c.AddData(&generic.Commands)
	c.AddData(&str.Commands)
	c.AddData(&bits.Commands)
	c.AddData(&hll.Commands)
	c.AddData(&hash.Commands)
	c.AddData(&list.Commands)
	c.AddData(&set.Commands)
	c.AddData(&zset.Commands)
	c.AddData(&geo.Commands)
	c.AddData(&stream.Commands)
}

// scripts adds the commands that run scripts, which call those of the catalogue.
func scripts(c *session.Catalogue) *script.Engine { return script.AddTo(c) }

// kinds are the types of value, for commands that treat all of them alike.
func kinds() (all keyspace.Kinds) {
	for _, kind := range []*keyspace.Kind{&str.Kind, &hash.Kind, &list.Kind, &set.Kind, &stream.Kind, &zset.Kind} {
		all[kind.Type] = kind
	}
	return all
}
