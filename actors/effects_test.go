package actors

import (
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
)

// TestEffects tells what commands have come to, at a time of a thousand. A case is
// steps, of which the last one's records are wanted: commands, those of a transaction
// with bars between them, "at" to tell another time, "expire" to remove what is over.
// Commands that may wait do.
func TestEffects(t *testing.T) {
	t.Parallel()
	f := func(steps, want string) {
		t.Helper()
		c := &effectsCase{plain: newPlain(t, 1, 1), now: 1000, ledger: &ledger{}}
		c.log = c.ledger
		list := strings.Split(steps, "; ")
		for _, step := range list[:len(list)-1] {
			c.step(step)
		}
		done := len(c.ledger.records)
		c.step(list[len(list)-1])
		var got []string
		for i := range c.ledger.records[done:] {
			got = append(got, strings.ReplaceAll(strings.TrimSuffix(c.ledger.records[done+i].String(), "\n"), "\n", ", "))
		}
		if got := strings.Join(got, "; "); got != want {
			t.Errorf("%s\nhas come to %s\n     wanted %s", steps, got, want)
		}
	}

	// Commands that are their own effects, by the names they were declared with.
	f("set k v", "SET k v")
	f("hset h f v", "HSET h f v")
	f("RPUSH l a b; LPOP l", "LPOP l")
	f("xgroup createconsumer s g a", "")
	f("XGROUP CREATE s g 0 MKSTREAM; xgroup createconsumer s g a", "XGROUP createconsumer s g a")
	f("SET k v; COPY k c DB 2", "COPY k c DB 2")
	f("MSET a 1 b 2", "SET a 1, SET b 2")
	f("MSETNX a 1 b 2; MSETNX b 3 c 4", "")
	f("MSET a 1 b 2; UNLINK a x b", "DEL a, DEL b")
	f("SET a 1; UNLINK a", "UNLINK a")
	f("MULTI SET a 1 | GET a | INCR a", "SET a 1, INCR a")
	// What changes nothing leaves nothing.
	f("SET k v; GET k", "")
	f("SET k v; SET k w NX", "")
	f("SET k v; PERSIST k", "")
	f("SET k v; GETEX k", "")
	f("DEL k", "")
	f("RPUSH l a; INCR l", "")
	f("HSET h f v; HPERSIST h FIELDS 1 f", "")
	f("XADD s 1-1 f v; XTRIM s MAXLEN ~ 0", "XTRIM s MAXLEN = 0")
	f("XADD s 1-1 f v; XTRIM s MAXLEN ~ 1", "")

	// Ends are absolute, and conditions decided.
	f("SET k v EX 10", "SET k v PXAT 11000")
	f("SET k v PX 10 NX GET", "SET k v PXAT 1010")
	f("SET k v EXAT 10", "SET k v PXAT 10000")
	f("SET k v XX", "")
	f("SET k v; SET k w XX", "SET k w")
	f("SET k v; SET k w IFEQ v", "SET k w")
	f("SET k v KEEPTTL", "SET k v KEEPTTL")
	f("SETEX k 10 v", "SET k v PXAT 11000")
	f("PSETEX k 10 v", "SET k v PXAT 1010")
	f("SET k v; DELIFEQ k v", "DEL k")
	f("SET k v; GETEX k PX 5", "PEXPIREAT k 1005")
	f("SET k v; GETEX k EXAT 1", "DEL k")
	f("SET k v EX 1; GETEX k PERSIST", "PERSIST k")
	f("SET k v; EXPIRE k 10 NX", "PEXPIREAT k 11000")
	f("SET k v; PEXPIREAT k 1001", "PEXPIREAT k 1001")
	f("SET k v; EXPIREAT k 1", "DEL k")
	f("SET k v; EXPIRE k -1", "DEL k")
	f("HSET h a 1; HEXPIRE h 1 FIELDS 2 a b", "HPEXPIREAT h 2000 FIELDS 1 a")
	f("HSET h a 1 b 2; HPEXPIRE h 0 FIELDS 2 b c", "HDEL h b")
	f("HSET h a 1; HEXPIREAT h 1 FIELDS 1 a", "HDEL h a")
	f("HSET h a 1 b 2; HPEXPIREAT h 2000 FIELDS 1 a; HPERSIST h FIELDS 2 a b", "HPERSIST h FIELDS 1 a")
	f("HSET h a 1; HGETEX h EX 1 FIELDS 1 a", "HPEXPIREAT h 2000 FIELDS 1 a")
	f("HSET h a 1; HGETEX h FIELDS 1 a", "")
	f("HSET h a 1; HGETEX h EXAT 1 FIELDS 1 a", "HDEL h a")
	f("HSET h a 1; HPEXPIREAT h 2000 FIELDS 1 a; HGETEX h PERSIST FIELDS 1 a", "HPERSIST h FIELDS 1 a")
	f("HSETEX h FNX EX 1 FIELDS 1 a 1", "HSETEX h PXAT 2000 FIELDS 1 a 1")
	f("HSETEX h KEEPTTL FIELDS 1 a 1", "HSET h a 1")
	f("HSETEX h EX 1 FIELDS 1 a 1; HSETEX h FXX KEEPTTL FIELDS 1 a 2", "HSETEX h KEEPTTL FIELDS 1 a 2")
	f("HSET h a 1 b 2; HSETEX h PXAT 1 FIELDS 2 a 3 c 4", "HDEL h a")
	f("HSET h a 1; HGETDEL h FIELDS 2 a b", "HDEL h a b")
	const ten = `"\x00\xc0\n\n\x00n\x9fWE\x0e\xaec\xbb"`
	payload, _ := resp.SplitLine([]byte(ten))
	quoted := strconv.Quote(string(payload[0]))
	f("RESTORE k 0 "+ten, "RESTORE k 0 "+quoted+" REPLACE ABSTTL")
	f("RESTORE k 5 "+ten+" FREQ 3", "RESTORE k 1005 "+quoted+" REPLACE ABSTTL FREQ 3")
	f("RESTORE k 1005 "+ten+" ABSTTL IDLETIME 9", "RESTORE k 1005 "+quoted+" REPLACE ABSTTL IDLETIME 9")
	f("SET k v; RESTORE k 5 "+ten+" ABSTTL REPLACE", "DEL k")
	f("RESTORE k 5 "+ten+" ABSTTL", "")

	// What has ended is recorded where it is noticed.
	f("SET k v PX 1; at 1001; GET k", "DEL k")
	f("SET k v PX 1; at 1001; APPEND k w", "DEL k, APPEND k w")
	f("SET k v PX 1; at 1001; expire", "DEL k")
	f("HSETEX h PX 1 FIELDS 2 a 1 b 2; HSET h c 3; at 1001; HLEN h", "HDEL h a b")
	f("HSETEX h PX 1 FIELDS 1 a 1; at 1001; expire", "DEL h")
	f("SET k v PX 1; SELECT 1 SET k v PX 1; at 1001; expire", "DEL k; 1> DEL k")

	// Chance and numbers.
	f("SADD s a; SPOP s", "DEL s")
	f("SADD s a b; SPOP s 5", "DEL s")
	f("SADD s a b; SPOP s 0", "")
	f("SET k 3 EX 1; INCRBYFLOAT k 0.1", "SET k 3.1 KEEPTTL")
	f("HINCRBYFLOAT h a 0.1", "HSET h a 0.1")
	f("HSETEX h EX 1 FIELDS 1 a 1; HINCRBYFLOAT h a 1.5", "HSETEX h KEEPTTL FIELDS 1 a 2.5")
	f("ZINCRBY z 0.1 a", "ZADD z 0.10000000000000001 a")
	f("ZADD z INCR inf a", "ZADD z inf a")
	f("ZADD z INCR -0 a", "ZADD z -0 a")
	f("ZADD z 1 a; ZADD z NX INCR 1 a", "")
	f("ZADD z GT CH 1 a 2 b", "ZADD z GT CH 1 a 2 b")
	f("GEOADD g 13.361389 38.115556 Palermo", "ZADD g 3479099956230698 Palermo")
	f("GEOADD g 13.361389 38.115556 Palermo; GEOADD g 13.361389 38.115556 Palermo", "")
	f("GEOADD g 13.361389 38.115556 Palermo; GEOSEARCHSTORE n g FROMLONLAT 13 38 BYRADIUS 90 km", "DEL n, ZADD n 3479099956230698 Palermo")
	f("GEOADD g 13.361389 38.115556 Palermo; SET n v; GEOSEARCHSTORE n g FROMLONLAT 0 0 BYRADIUS 1 km", "DEL n")
	f("GEOSEARCHSTORE n g FROMLONLAT 0 0 BYRADIUS 1 km", "")
	f("PFADD p a; PFCOUNT p", "PFCOUNT p")
	f("PFADD p a; PFCOUNT p; PFCOUNT p", "")

	// Streams.
	f("XADD s * f v", "XADD s 1000-0 f v")
	f("XADD s 1-* f v; XADD s NOMKSTREAM 1-* f v", "XADD s 1-1 f v")
	f("XADD s 1 f v; XADD s MAXLEN ~ 1 * f v", "XADD s 1000-0 f v")
	f("XADD s 1 f v; XADD s MINID 2 2-5 f v", "XADD s MAXLEN = 1 2-5 f v")
	f("XADD s 1-1 f v; XGROUP CREATE s g $", "XGROUP CREATE s g 1-1")
	f("XGROUP CREATE s g $ MKSTREAM ENTRIESREAD 5", "XGROUP CREATE s g 0-0 MKSTREAM ENTRIESREAD 5")
	f("XADD s 1-1 f v; XGROUP CREATE s g 0; XGROUP SETID s g $ ENTRIESREAD 1", "XGROUP SETID s g 1-1 ENTRIESREAD 1")
	const delivered = "XADD s 1-1 f v; XADD s 1-2 f w; XGROUP CREATE s g 0; XREADGROUP GROUP g a STREAMS s >; "
	f(delivered[:len(delivered)-2], "XREADGROUP GROUP g a STREAMS s >")
	f(delivered+"XREADGROUP GROUP g a BLOCK 0 COUNT 1 STREAMS s 0", "XREADGROUP GROUP g a COUNT 1 STREAMS s 0")
	f(delivered+"at 1100; XCLAIM s g b 50 1-1 1-2 7-7 IDLE 10", "XCLAIM s g b 0 1-1 1-2 TIME 1090")
	f(delivered+"XCLAIM s g b 50 1-1", "")
	f(delivered+"XCLAIM s g b 0 1-1 RETRYCOUNT 7 FORCE JUSTID LASTID 5-5", "XGROUP SETID s g 5-5 ENTRIESREAD 2, XCLAIM s g b 0 1-1 TIME 1000 RETRYCOUNT 7 FORCE JUSTID")
	f(delivered+"XDEL s 1-1; XAUTOCLAIM s g b 0 -", "XACK s g 1-1, XCLAIM s g b 0 1-2 TIME 1000")
	f(delivered+"at 1100; XAUTOCLAIM s g b 200 -", "")

	// Those who have waited, or might have.
	f("RPUSH l a; BLPOP k l 0", "LPOP l")
	f("RPUSH l a b; BLMPOP 0 2 k l RIGHT COUNT 5", "RPOP l 2")
	f("RPUSH l a; BLMOVE l k LEFT RIGHT 0", "LMOVE l k LEFT RIGHT")
	f("ZADD z 1 a; BZPOPMIN k z 0", "ZPOPMIN z 1")
	f("BLPOP a b 0; MULTI RPUSH b x | RPUSH a y", "RPUSH b x, RPUSH a y; LPOP b")
	f("BRPOP a b 0; RPUSH a x", "RPUSH a x; RPOP a")
	f("BLMOVE a b RIGHT LEFT 0; RPUSH a x", "RPUSH a x; LMOVE a b RIGHT LEFT")
	f("BRPOPLPUSH a b 0; BLPOP b 0; RPUSH a x", "RPUSH a x; LMOVE a b RIGHT LEFT; LPOP b")
	f("SET b v; BRPOPLPUSH a b 0; RPUSH a x", "RPUSH a x")
	f("BLMPOP 0 2 a b LEFT COUNT 2; RPUSH b x y z", "RPUSH b x y z; LPOP b 2")
	f("BZPOPMAX a b 0; ZADD b 1 x", "ZADD b 1 x; ZPOPMAX b 1")
	f("BZMPOP 0 2 a b MIN COUNT 3; ZADD b 1 x 2 y", "ZADD b 1 x 2 y; ZPOPMIN b 2")
	const groups = "XGROUP CREATE a g $ MKSTREAM; XGROUP CREATE b g $ MKSTREAM; "
	f(groups+"XREADGROUP GROUP g c BLOCK 0 COUNT 3 NOACK STREAMS a b > >; MULTI XADD b 1 f v | XADD a 1 f v",
		"XADD b 1-0 f v, XADD a 1-0 f v; XREADGROUP GROUP g c COUNT 3 NOACK STREAMS b >")
	f(groups+"XREADGROUP GROUP g c BLOCK 0 STREAMS a b > >; DEL a", "DEL a")
	f("BLPOP k 0; MULTI SET k v PXAT 1", "SET k v PXAT 1; DEL k")

	// Scripts.
	f(`EVAL "redis.call('SET', KEYS[1], 'v', 'PX', 5) redis.call('GET', KEYS[1]) redis.call('INCR', 'n')" 1 k`, "SET k v PXAT 1005, INCR n")
	f(`EVAL "redis.call('SET', KEYS[1], 'v') error('no')" 1 k`, "SET k v")
	// Whole databases.
	f("SET k v; FLUSHALL ASYNC", "FLUSHALL ASYNC")
	f("FLUSHDB", "")
	f("SET k v; SWAPDB 0 1", "SWAPDB 0 1")
}

// effectsCase is a case of TestEffects.
type effectsCase struct {
	*plain
	now    int64
	ledger *ledger
}

// Served implements keyspace.Waiting.
func (c *effectsCase) Served(*keyspace.Waiter, []byte) {}

func (c *effectsCase) step(line string) {
	c.tb.Helper()
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "at":
		c.now, _ = strconv.ParseInt(rest, 10, 64)
	case "expire":
		c.expire(c.now)
	case "MULTI":
		c.run(true, 0, strings.Split(rest, " | ")...)
	case "SELECT":
		db, rest, _ := strings.Cut(rest, " ")
		n, _ := strconv.Atoi(db)
		c.run(false, n, rest)
	default:
		c.run(false, 0, line)
	}
}

func (c *effectsCase) run(atomic bool, db int, lines ...string) {
	c.tb.Helper()
	x := &keyspace.Execute{Encoder: resp.V3, Atomic: atomic}
	for _, line := range lines {
		argv, _ := resp.SplitLine([]byte(line))
		row := c.row(argv)
		if row == nil {
			c.tb.Fatalf("%s is no command", line)
		}
		c.visit(x, row, argv)
		x.Requests = append(x.Requests, keyspace.Request{Spec: row.Data, Argv: argv, DB: db})
		if row.Flags.Has(command.Blocking) && !atomic {
			x.Waiting = c
		}
	}
	c.post(c.now, x)
}

// Fields that count as gone, since too many have ended at once to be removed at
// once, have ended for what is recorded too.
func TestEffectsOnWhatCountsAsGone(t *testing.T) {
	t.Parallel()
	f := func(line, want string) {
		t.Helper()
		c := &effectsCase{plain: newPlain(t, 1, 1), now: 1000, ledger: &ledger{}}
		c.log = c.ledger
		var set strings.Builder
		set.WriteString("HSETEX h PX 1 FIELDS 5000")
		for i := range 5000 {
			set.WriteString(" f" + strconv.Itoa(i) + " 1")
		}
		c.step(set.String())
		c.step("HSET h last 1")
		c.now = 1001
		c.step(line)
		var all []string
		for i := range c.ledger.records[2:] {
			for _, effect := range strings.Split(strings.TrimSpace(c.ledger.records[2+i].String()), "\n") {
				if len(effect) < 100 { // the HDEL of those that were removed
					all = append(all, effect)
				}
			}
		}
		if got := strings.Join(all, ", "); got != want {
			t.Errorf("%s has come to %s, wanted %s", line, got, want)
		}
	}
	f("HINCRBY h f3000 5", "HDEL h f3000, HINCRBY h f3000 5")
	f("HSETNX h f3000 5", "HDEL h f3000, HSETNX h f3000 5")
	f("HINCRBYFLOAT h f3000 5", "HDEL h f3000, HSET h f3000 5")
	f("HDEL h last", "DEL h")
	f("HGETDEL h FIELDS 1 last", "DEL h, HDEL h last")
	f("HPERSIST h FIELDS 1 f3000", "")
}
