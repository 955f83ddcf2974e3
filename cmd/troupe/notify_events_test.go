package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp/redistest"
)

// The keyspace notifications of commands of every family are those of
// redis-server, in its order. One differs: to Redis, what COPY and RENAME put in
// the place of a key is a new key as well.

// eventScripts are commands by family, each of which begins with nothing.
var eventScripts = map[string]string{
	"string": `SET s 1|SET s 2 EX 100|SET s 3 KEEPTTL|SETNX s 1|SETNX n 1|SETEX s 100 v|PSETEX s 1000000 v|GETSET s 5|GETDEL s|SET c 1|INCR c|DECR c|INCRBY c 5|DECRBY c 2|
		INCRBYFLOAT c 1.5|APPEND a x|APPEND a y|SETRANGE a 1 zz|SETRANGE none 0 ""|MSET m1 1 m2 2|MSETNX m3 1 m4 2|MSETNX m3 1 m5 1|GETEX a EX 100|GETEX a PERSIST|GETEX a|SET x v GET|
		GET missing|SET a 1 NX|SET a 1 XX|GETSET fresh 1|LCS m1 m2`,
	"generic": `SET a 1|EXPIRE a 100|PEXPIRE a 100000|EXPIREAT a 9999999999|PERSIST a|PERSIST a|EXPIRE a 0|SET a 1|EXPIRE a -1|SET a 1|RENAME a b|RENAMENX b c|COPY c d|
		MOVE c 1|SELECT 1|DEL c|SELECT 0|UNLINK d|DEL d none|EXISTS none|TYPE none|TTL none|TOUCH none|RPUSH l 3 1 2|SORT l STORE dst|SORT nolist STORE dst|EXPIRE l 100 NX|EXPIRE l 50 GT|EXPIRE l 500 GT`,
	"hash": `HSET h f v g w|HSET h f v|HSETNX h f v|HSETNX h n v|HMSET h a b|HINCRBY h i 1|HINCRBYFLOAT h i 1.5|HDEL h f none|HDEL h none|HDEL h g n a i|HSET h2 f v|HDEL h2 f|HGET none f`,
	"list": `RPUSH l a b c|LPUSH l z|RPUSHX l x|LPUSHX none x|LPOP l|RPOP l|LSET l 0 q|LINSERT l BEFORE b y|LINSERT l BEFORE none y|LREM l 0 q|LREM l 0 none|LTRIM l 0 1|LMOVE l l LEFT RIGHT|
		RPOPLPUSH l m|LMOVE l m LEFT LEFT|LPOP m 10|RPUSH k a b|LMPOP 1 k LEFT COUNT 1|LTRIM k 5 9|RPUSH r a|BLPOP r 1|RPUSH r a|BRPOPLPUSH r rr 1|BLMOVE rr r LEFT LEFT 1|LRANGE none 0 1`,
	"set": `SADD s a b c|SADD s a|SREM s a|SREM s none|SPOP s|SADD t 1 2 3|SADD u 2 3 4|SMOVE t u 1|SMOVE t u none|SINTERSTORE i t u|SUNIONSTORE i t u|SDIFFSTORE i t u|SINTERSTORE i t none|SPOP t 10|SADD z 1|SREM z 1|SMEMBERS none|SADD o 1|SMOVE o p 1`,
	"zset": `ZADD z 1 a 2 b 3 c|ZADD z 1 a|ZADD z 5 a|ZADD z NX 9 a|ZADD z INCR 1 a|ZINCRBY z 1 b|ZREM z a|ZREM z none|ZPOPMIN z|ZPOPMAX z|ZADD z 1 a 2 b 3 c 4 d 5 e 6 f|ZREMRANGEBYRANK z 0 0|ZREMRANGEBYSCORE z 2 2|
		ZADD x 0 a 0 b 0 c|ZREMRANGEBYLEX x [a [a|ZUNIONSTORE o 2 z x|ZINTERSTORE o 2 z x|ZDIFFSTORE o 2 z x|ZRANGESTORE r z 0 -1|ZRANGESTORE r none 0 -1|ZMPOP 1 z MIN|BZPOPMIN z 1|BZPOPMAX z 1|BZMPOP 1 1 z MIN COUNT 10|ZPOPMIN x 10|ZSCORE none a`,
	"bits":    `SETBIT b 7 1|SETBIT b 7 1|BITFIELD b SET u8 0 255 INCRBY u8 8 1|BITFIELD b GET u8 0|BITOP AND d b b|BITOP NOT d none|BITCOUNT none|GETBIT none 0`,
	"hll":     `PFADD p a b c|PFADD p a|PFADD q d|PFMERGE r p q|PFCOUNT p|PFCOUNT p q`,
	"expiry":  `SET a 1 PX 5|! gone|HSET h f v|PEXPIRE h 5|! gone`,
	"multi":   `MULTI|SET a 1|INCR a|DEL a|EXEC|MULTI|LPUSH l x|DISCARD|FLUSHALL|SET a 1|FLUSHDB|SWAPDB 0 1`,
	"blocked": `2 BLPOP l 0|RPUSH l a b|2 BZPOPMIN z 0|ZADD z 1 a|2 BLMOVE src dst LEFT RIGHT 0|RPUSH src v`,
}

func TestEventsAreRedis(t *testing.T) {
	t.Parallel()
	for name, script := range eventScripts {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			redis := redistest.Start(t, "--notify-keyspace-events", "KEAmn")
			want := eventsOf(t, func() *client { return &client{tb: t, conn: redis.Dial()} }, script)
			for _, shards := range []int{1, 16} {
				s := startServer(t, shape{shards: shards}, config.Flag{Name: "notify-keyspace-events", Words: []string{"KEAmn"}})
				got := eventsOf(t, s.client, script)
				if !slices.Equal(got, want) {
					t.Errorf("with %d shards, events are\n%s\nwant\n%s", shards, strings.Join(got, "\n"), strings.Join(want, "\n"))
				}
			}
		})
	}
}

// eventsOf plays a script and returns the messages, "channel: payload".
func eventsOf(t *testing.T, dial func() *client, script string) (events []string) {
	t.Helper()
	listener, c, second := dial(), dial(), dial()
	listener.ask("PSUBSCRIBE", "*")
	blocked := false
	for _, line := range strings.Split(script, "|") {
		words := strings.Fields(strings.ReplaceAll(line, `""`, ""))
		if strings.Contains(line, `""`) {
			words = append(words, "")
		}
		switch {
		case words[0] == "!":
			eventually(t, "the keys are gone", func() bool { return c.ask("DBSIZE") == ":0" })
		case words[0] == "2":
			second.send(request(words[1:]...))
			blocked = true
			eventually(t, "the client waits", func() bool { return strings.Contains(c.ask("INFO", "clients"), "blocked_clients:1") })
		default:
			c.ask(words...)
			if blocked {
				second.receive()
			}
			blocked = false
		}
	}
	c.ask("PUBLISH", "end", "")
	for {
		reply, err := listener.next()
		if err != nil {
			t.Fatal(err)
		}
		items := reply.Items()
		if len(items) != 4 {
			t.Fatalf("%v is no message", reply)
		}
		if items[2].Str() == "end" {
			return events
		}
		if event := items[2].Str() + ": " + items[3].Str(); strings.HasPrefix(items[2].Str(), "__keyevent") {
			events = append(events, event)
		} else if key, _ := strings.CutPrefix(items[2].Str(), "__keyspace"); key == "" {
			t.Errorf("unexpected %s", event)
		}
	}
}
