package conn

import (
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/resp"
)

// keys are those that a MIGRATE takes away, where they are.
type keys struct {
	node   *keyspace.Node
	db     int
	caller keyspace.Caller
}

// parcel is a key on its way. While it is, it is watched.
type parcel struct {
	key      []byte
	payload  []byte
	deadline int64 // Unix milliseconds, or keyspace.NoDeadline
	now      int64 // when it was dumped
	arrived  bool
	touched  atomic.Bool
}

// Touched implements keyspace.Watcher.
func (p *parcel) Touched(uint64, int) { p.touched.Store(true) }

// ttl is the time to live that the key is sent with, in milliseconds, 0 for
// none. What ends in this very moment has one left.
func (p *parcel) ttl() []byte {
	if p.deadline == keyspace.NoDeadline {
		return []byte("0")
	}
	return strconv.AppendInt(nil, max(p.deadline-p.now, 1), 10)
}

// dump makes parcels of the keys that exist, in one turn, in which they begin
// to be watched if they are to be removed.
func (k *keys) dump(names [][]byte, watch bool) (parcels []*parcel, refusal resp.Reply) {
	refusal = k.turn(names, func(tx *keyspace.Tx) resp.Reply {
		for _, key := range names {
			v := tx.Lookup(key)
			if v.Missing() {
				continue
			}
			value, ok := rdb.ValueOf(tx, v)
			if !ok {
				return resp.Error("ERR values of the type " + v.Type().String() + " have no format to be sent in")
			}
			if payload := rdb.Dump(value); payload != nil {
				parcels = append(parcels, &parcel{key: key, payload: payload, deadline: tx.Deadline(v), now: tx.Now()})
			}
		}
		if watch {
			for _, p := range parcels {
				tx.Watch(p.key, p)
			}
		}
		return resp.OK
	})
	return parcels, refusal
}

// remove deletes the keys that have arrived, in one turn, but for those that
// have changed since they were dumped: of these the target has what they were,
// and the answer tells their names. (A key that has ended by itself will do so
// there too.) It ends the watching.
func (k *keys) remove(parcels []*parcel) (trouble resp.Reply) {
	names := make([][]byte, len(parcels))
	for i, p := range parcels {
		names[i] = p.key
	}
	return k.turn(names, func(tx *keyspace.Tx) resp.Reply {
		var changed []string
		for _, p := range parcels {
			tx.Unwatch(p.key, p)
			switch gone := tx.Outline(p.key).Missing(); {
			case !p.arrived, gone && p.over(tx.Now()):
			case p.touched.Load():
				changed = append(changed, strconv.Quote(string(p.key)))
			default:
				if tx.Delete(p.key, "del") {
					tx.Did([]byte("DEL"), p.key)
				}
			}
		}
		return changedMeanwhile(changed)
	})
}

// over reports whether the key has ended by itself, here as there.
func (p *parcel) over(now int64) bool { return p.deadline != keyspace.NoDeadline && p.deadline <= now }

// namesShown is how many keys an error names.
const namesShown = 10

func changedMeanwhile(names []string) resp.Reply {
	if len(names) == 0 {
		return resp.OK
	}
	more := ""
	if len(names) > namesShown {
		more = fmt.Sprintf(" and %d more", len(names)-namesShown)
		names = names[:namesShown]
	}
	return resp.Error("ERR Changed here while on the way, so not deleted here and old at the target: " + strings.Join(names, ", ") + more)
}

// turn runs do in one turn over the shards of the keys, and returns what it
// answers.
func (k *keys) turn(names [][]byte, do func(*keyspace.Tx) resp.Reply) (answer resp.Reply) {
	x := &keyspace.Execute{Encoder: resp.V2, Caller: k.caller, Heavy: true}
	for _, key := range names {
		x.Visit(k.node.ShardOf(key))
	}
	if len(x.Shards) == 0 {
		return resp.OK
	}
	answer = resp.ErrInternal // unless do returns
	x.Requests = []keyspace.Request{{DB: k.db, Keys: names, Do: func(tx *keyspace.Tx) resp.Reply {
		answer = do(tx)
		return resp.OK
	}}}
	done := make(finished)
	if !k.node.Post(x, done) {
		<-done
	}
	return answer
}

// finished is closed when a batch is done.
type finished chan struct{}

// Executed implements keyspace.Owner.
func (f finished) Executed(*keyspace.Execute) { close(f) }
