package admin_test

import (
	"fmt"
	"strconv"
	"strings"
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

// Where most keys were deleted here and there the slabs have gaps, which the
// doctor sees, and which are compacted when that is asked for, or allowed.
func TestCompaction(t *testing.T) {
	t.Parallel()
	f := func(words ...string) {
		t.Helper()
		system := start(t)
		l := dial(t, system)
		l.want("CONFIG SET activedefrag no", "+OK")
		l.want("DEBUG POPULATE 200000 key 600", "+OK")
		l.thin(200_000)
		gaps := l.number("memory", "mem_slabs_gaps")
		if gaps < 64<<20 {
			t.Fatalf("%d bytes of gaps", gaps)
		}
		if advice := l.ask("MEMORY DOCTOR").Str(); !strings.Contains(advice, "MEMORY PURGE") || !strings.Contains(advice, "gaps of") {
			t.Errorf("the doctor says %s", advice)
		}
		for _, line := range words {
			l.want(line, "+OK")
		}
		for end := time.Now().Add(patience); l.number("memory", "mem_slabs_gaps") > gaps/20 || l.number("memory", "active_defrag_running") > 0; {
			if time.Now().After(end) {
				t.Fatalf("%d bytes of %d are still gaps", l.number("memory", "mem_slabs_gaps"), gaps)
			}
		}
		if hits := l.number("stats", "active_defrag_key_hits"); hits < 10_000 || hits > 22_000 {
			t.Errorf("%d keys were moved", hits)
		}
		l.want("DBSIZE", ":20000")
	}
	f("MEMORY PURGE")
	f("CONFIG SET activedefrag yes active-defrag-cycle-max 75")
}

// thin deletes nine of ten of the keys that DEBUG POPULATE has made.
func (l *link) thin(keys int) {
	l.tb.Helper()
	for from := 0; from < keys; from += 1000 {
		words := []string{"UNLINK"}
		for i := from; i < from+1000; i++ {
			if i*7%10 != 0 {
				words = append(words, fmt.Sprint("key:", i))
			}
		}
		l.send(words...)
		if reply, err := l.next(); err != nil || reply.Int() != 900 {
			l.tb.Fatalf("%v %v", reply, err)
		}
	}
}

// number is a field of a section of INFO.
func (l *link) number(section, field string) int64 {
	l.tb.Helper()
	n, err := strconv.ParseInt(l.info(section)[field], 10, 64)
	if err != nil {
		l.tb.Fatalf("%s: %v", field, err)
	}
	return n
}
