package admin_test

import (
	"testing"
	"time"

	"github.com/troupedb/troupe/actors"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
)

// MEMORY PURGE gives all that is free back, within some time.
func TestPurge(t *testing.T) {
	t.Parallel()
	system := start(t)
	l := dial(t, system)
	l.want("DEBUG POPULATE 50000 key 200", "+OK")
	l.want("FLUSHALL", "+OK")
	for end := time.Now().Add(patience); resident(system) > 0; {
		if time.Now().After(end) {
			t.Fatalf("%d bytes are still resident", resident(system))
		}
		l.want("MEMORY PURGE", "+OK")
	}
}

// resident is what the shards' slabs hold of the system's memory.
func resident(system *actors.System) (bytes int64) {
	x := &keyspace.Execute{Encoder: resp.V2, Requests: []keyspace.Request{{Do: func(tx *keyspace.Tx) resp.Reply {
		tx.EachShard(func(sh *keyspace.Shard) { bytes += sh.Mem().Stats().Resident })
		return resp.OK
	}}}}
	system.Node.VisitAll(x)
	over := make(finished)
	if !system.Node.Post(x, over) {
		<-over
	}
	return bytes
}

// finished owns an Execute that a test waits for.
type finished chan struct{}

// Executed is called by the last shard.
func (f finished) Executed(*keyspace.Execute) { close(f) }
