package actors

import (
	"github.com/troupedb/troupe/keyspace/generic"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/session"
	"github.com/troupedb/troupe/session/conn"
)

// families adds every family of commands to the catalogue: one line each.
func families(c *session.Catalogue) {
	c.AddHere(&conn.Commands)
	c.AddData(&generic.Commands)
	c.AddData(&str.Commands)
	c.AddData(&hash.Commands)
}
