package actors

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// notRedis are the commands that leave effects which redis-server 7.0 lacks, and
// SORT: texts with a NUL are sorted differently there.
var notRedis = []string{"HEXPIRE", "HPEXPIRE", "HEXPIREAT", "HPEXPIREAT", "HPERSIST", "HGETEX", "HSETEX", "SORT"}

// What random commands have come to makes the same of a real redis-server. The time
// is long after its own, so that nothing ends there but by what was recorded.
func TestEffectsInRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	for i := range *seedsFlag {
		seed := *seedFlag + uint64(i)
		t.Run(fmt.Sprintf("seed=%d", seed), func(t *testing.T) {
			redis.Ask([][][]byte{argvOf([]string{"FLUSHALL"})})
			r := newTrial(t, rand.New(rand.NewPCG(seed, 2)), 4_200_000_000_000)
			r.draw.Skip = notRedis
			for range 15 {
				done := len(r.ledger.records)
				r.go1(100)
				r.expire(r.now)
				for _, rec := range r.ledger.records[done:] {
					redo(t, redis, &rec)
				}
				compareWithRedis(t, r, redis)
			}
		})
	}
}

// redo makes a recorded change in a redis-server.
func redo(t *testing.T, redis *shardtest.Redis, rec *record) {
	t.Helper()
	var commands [][][]byte
	keyspace.EachEffect(rec.body, func(e keyspace.Effect) error {
		commands = append(commands, argvOf([]string{"SELECT", strconv.Itoa(e.DB)}), slices.Clone(e.Words))
		return nil
	})
	for i, reply := range redis.Ask(commands) {
		if reply[0] == '-' {
			t.Fatalf("redis-server answers %q with %s", commands[i], reply)
		}
	}
}

// asker answers a command on a database in RESP2.
type asker func(db int, argv ...string) resp.Reply

func compareWithRedis(t *testing.T, r *trial, redis *shardtest.Redis) {
	t.Helper()
	ours := asker(func(db int, argv ...string) resp.Reply { return r.askIn(resp.V2, r.now, db, argvOf(argv)) })
	theirs := asker(func(db int, argv ...string) resp.Reply {
		replies := redis.Ask([][][]byte{argvOf([]string{"SELECT", strconv.Itoa(db)}), argvOf(argv)})
		reply, _, err := resp.Decode(replies[1])
		if err != nil {
			t.Fatal(err)
		}
		return reply
	})
	a, b := ours.content(), theirs.content()
	if diff := different(a, b); diff != "" {
		t.Fatalf("in redis-server, %s\nafter\n%s", diff, r.told())
	}
	r.history = r.history[:0]
}

// content is what every key of the first databases holds, as the server tells it.
func (ask asker) content() map[string]string {
	all := map[string]string{}
	for db := range 3 {
		for _, item := range ask(db, "KEYS", "*").Items() {
			key := item.Str()
			typ := ask(db, "TYPE", key).Str()
			all[fmt.Sprintf("%d %q", db, key)] = fmt.Sprintf("%s %d\n%s", typ, ask(db, "PEXPIRETIME", key).Int(), ask.value(db, typ, key))
		}
	}
	return all
}

func (ask asker) value(db int, typ, key string) string {
	switch typ {
	case "list":
		return resp.Format(ask(db, "LRANGE", key, "0", "-1"))
	case "set":
		return sortedItems(ask(db, "SMEMBERS", key), 1)
	case "zset":
		return resp.Format(ask(db, "ZRANGE", key, "0", "-1", "WITHSCORES"))
	case "hash":
		return sortedItems(ask(db, "HGETALL", key), 2)
	case "stream":
		return ask.stream(db, key)
	}
	return resp.Format(ask(db, "GET", key))
}

// sortedItems shows items, so many together, in an order of their own.
func sortedItems(r resp.Reply, together int) string {
	var lines []string
	for group := range slices.Chunk(r.Items(), together) {
		lines = append(lines, resp.Format(resp.Array(group...)))
	}
	slices.Sort(lines)
	return strings.Join(lines, " ")
}

// stream shows a stream without the times of its consumers and deliveries, and
// without what a server makes of its memory.
func (ask asker) stream(db int, key string) string {
	lines := []string{resp.Format(ask(db, "XRANGE", key, "-", "+"))}
	show := func(r resp.Reply, names ...string) {
		items := r.Items()
		for i := 0; i+1 < len(items); i += 2 {
			if slices.Contains(names, items[i].Str()) {
				lines = append(lines, items[i].Str()+" "+resp.Format(items[i+1]))
			}
		}
	}
	show(ask(db, "XINFO", "STREAM", key), "length", "last-generated-id", "max-deleted-entry-id", "entries-added", "recorded-first-entry-id")
	for _, g := range ask(db, "XINFO", "GROUPS", key).Items() {
		show(g, "name", "consumers", "pending", "last-delivered-id", "entries-read", "lag")
		name := g.Items()[1].Str()
		for _, c := range ask(db, "XINFO", "CONSUMERS", key, name).Items() {
			show(c, "name", "pending")
		}
		for _, d := range ask(db, "XPENDING", key, name, "-", "+", "10000").Items() {
			items := d.Items()
			lines = append(lines, resp.Format(resp.Array(items[0], items[1], items[3])))
		}
	}
	return strings.Join(lines, "\n")
}
