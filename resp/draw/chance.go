package draw

import (
	"slices"
	"strconv"
)

// AtWill draws a command on the keyspace, by itself: also such whose effect depends
// on time and chance, that may wait for ever, or that Redis 7.0 has not.
func (w Source) AtWill() []string { return w.from(atWill) }

// atWill are those that Source.AtWill draws from.
var atWill = slices.Concat(alikeStrings, alikeKeys, alikeHashes, alikeLists, alikeSets, alikeSorted, alikeBits, alikeGeo, alikeStreams,
	timedStrings, timedKeys, timedHashes, timedHashes, chosen, chosen, chosen, waiting, waiting, timedStreams, timedStreams, timedStreams, whole)

var timedStrings = []func(Source) []string{
	func(w Source) []string {
		return join(line("SET", w.key("s"), w.value()), w.end(), w.choose(nil, line(w.pick("NX", "XX")), line("IFEQ", w.value())), w.maybe("GET"))
	},
	func(w Source) []string { return line("SETEX", w.key("s"), w.number(1, 3), w.value()) },
	func(w Source) []string { return line("PSETEX", w.key("s"), w.number(1, 2000), w.value()) },
	func(w Source) []string { return join(line("GETEX", w.key("s")), w.choose(w.end(), line("PERSIST"))) },
	func(w Source) []string { return line("DELIFEQ", w.key("s"), w.value()) },
}

var timedKeys = []func(Source) []string{
	func(w Source) []string {
		return join(line("EXPIRE", w.Key(), w.number(0, 3)), w.maybe(w.pick("NX", "XX", "GT", "LT")))
	},
	func(w Source) []string {
		return join(line("PEXPIRE", w.Key(), w.number(-1, 3000)), w.maybe(w.pick("NX", "XX", "GT", "LT")))
	},
	func(w Source) []string {
		return join(line("PEXPIREAT", w.Key(), w.about()), w.maybe(w.pick("NX", "XX", "GT", "LT")))
	},
	func(w Source) []string { return line("PERSIST", w.Key()) },
	func(w Source) []string { return line(w.pick("RENAME", "RENAMENX"), w.Key(), w.Key()) },
	func(w Source) []string {
		return join(line("COPY", w.Key(), w.Key()), w.maybe("DB", w.db()), w.maybe("REPLACE"))
	},
	func(w Source) []string { return line("MOVE", w.Key(), w.db()) },
}

var timedHashes = []func(Source) []string{
	func(w Source) []string {
		return join(line("HPEXPIRE", w.key("h"), w.number(0, 3000)), w.maybe(w.pick("NX", "XX", "GT", "LT")), w.fields())
	},
	func(w Source) []string { return join(line("HEXPIRE", w.key("h"), w.number(0, 3)), w.fields()) },
	func(w Source) []string { return join(line("HPEXPIREAT", w.key("h"), w.about()), w.fields()) },
	func(w Source) []string { return join(line("HPERSIST", w.key("h")), w.fields()) },
	func(w Source) []string {
		return join(line("HGETEX", w.key("h")), w.choose(w.end(), line("PERSIST"), nil), w.fields())
	},
	func(w Source) []string {
		pairs := twos(4, w, w.field)
		return join(line("HSETEX", w.key("h")), w.maybe(w.pick("FNX", "FXX")), w.choose(w.end(), line("KEEPTTL"), nil),
			line("FIELDS", strconv.Itoa(len(pairs)/2)), pairs)
	},
	func(w Source) []string { return join(line("HGETDEL", w.key("h")), w.fields()) },
	// More fields end at once than are removed at once: the others count as gone.
	func(w Source) []string {
		argv := line("HSETEX", w.key("h"), "PXAT", strconv.FormatInt(w.Now+1000, 10), "FIELDS", "800")
		for i := range 800 {
			argv = append(argv, "f"+strconv.Itoa(i), w.number(0, 99))
		}
		return argv
	},
	func(w Source) []string { return line("HINCRBY", w.key("h"), "f"+w.number(0, 800), "1") },
	func(w Source) []string { return line("HINCRBYFLOAT", w.key("h"), "f"+w.number(0, 800), w.float()) },
	func(w Source) []string { return line("HSETNX", w.key("h"), "f"+w.number(0, 800), "new") },
	func(w Source) []string { return line("HDEL", w.key("h"), "f"+w.number(0, 800), w.field(), w.field()) },
}

// chosen are commands that draw lots, or round.
var chosen = []func(Source) []string{
	func(w Source) []string {
		return join(line("SPOP", w.key("t")), w.choose(nil, line(w.number(0, 20)), line("200")))
	},
	func(w Source) []string { return join(line("SADD", w.key("t")), w.members(30)) },
	func(w Source) []string { return line("INCRBYFLOAT", w.key("n"), w.float()) },
	func(w Source) []string {
		return line("ZINCRBY", w.key("z"), w.pick(w.float(), "1e-320", "1e308", "0.1"), w.member())
	},
	func(w Source) []string {
		return join(line("GEORADIUSBYMEMBER", w.place(), w.member(), w.number(1, 9000), "km"), w.maybe("COUNT", w.number(1, 9), "ANY"),
			line(w.pick("STORE", "STOREDIST"), w.place()))
	},
	func(w Source) []string {
		return join(line("GEOSEARCHSTORE", w.place(), w.place(), "FROMLONLAT", w.degrees(), w.degrees(), "BYRADIUS", w.number(1, 9000), "km"),
			w.maybe("COUNT", w.number(1, 9), "ANY"), w.maybe("STOREDIST"))
	},
	func(w Source) []string {
		return join(line("GEOADD", w.place()), w.maybe(w.pick("NX", "XX", "CH")), line(w.degrees(), w.degrees(), w.member(), w.degrees(), w.degrees(), w.member()))
	},
	func(w Source) []string {
		return join(line("SORT", w.key(w.pick("l", "t", "z"))), w.choose(line("ALPHA"), line("BY", "nosort"), line("BY", "{t}s*", "ALPHA")),
			w.maybe("LIMIT", w.number(0, 5), w.number(-1, 5)), w.maybe("GET", w.pick("#", "{t}s*", "{t}h*->f1")), line("STORE", w.key("l")))
	},
	func(w Source) []string { return line("PFDEBUG", w.pick("TODENSE", "GETREG"), w.key("p")) },
}

// waiting are commands that wait for ever.
var waiting = []func(Source) []string{
	func(w Source) []string { return join(line(w.pick("BLPOP", "BRPOP")), w.keys("l", 3), line("0")) },
	func(w Source) []string {
		return line("BLMOVE", w.key("l"), w.key("l"), w.pick("LEFT", "RIGHT"), w.pick("LEFT", "RIGHT"), "0")
	},
	func(w Source) []string { return line("BRPOPLPUSH", w.key("l"), w.key("l"), "0") },
	func(w Source) []string {
		return join(line("BLMPOP", "0", "2", w.key("l"), w.key("l"), w.pick("LEFT", "RIGHT")), w.maybe("COUNT", w.number(1, 5)))
	},
	func(w Source) []string { return join(line(w.pick("BZPOPMIN", "BZPOPMAX")), w.keys("z", 3), line("0")) },
	func(w Source) []string {
		return join(line("BZMPOP", "0", "2", w.key("z"), w.key("z"), w.pick("MIN", "MAX")), w.maybe("COUNT", w.number(1, 5)))
	},
	func(w Source) []string {
		return join(line("XREADGROUP", "GROUP", w.pick("g", "h"), w.consumer(), "BLOCK", "0"), w.maybe("COUNT", w.number(1, 9)), w.maybe("NOACK"),
			line("STREAMS", w.grouped(), w.grouped(), ">", ">"))
	},
	// What is waited for.
	func(w Source) []string { return line("DEL", w.key(w.pick("l", "l", "z", "z", "x"))) },
	func(w Source) []string { return join(line("RPUSH", w.key("l")), w.values(3)) },
	func(w Source) []string { return join(line("ZADD", w.key("z")), w.scored(3)) },
}

var timedStreams = []func(Source) []string{
	func(w Source) []string { return join(line("XADD", w.key("y"), "*"), twos(3, w, w.field)) },
	func(w Source) []string {
		return join(line("XADD", w.key("y")), w.maybe("NOMKSTREAM"), w.choose(line("MAXLEN", "~", w.number(0, 60)), line("MINID", "~", w.about())),
			w.maybe("LIMIT", w.number(0, 200)), line("*"), twos(3, w, w.field))
	},
	func(w Source) []string { return line("XADD", w.grouped(), "9-*", w.field(), w.value()) },
	// Several blocks, so that whole ones can go.
	func(w Source) []string {
		return join(line("XADD", w.key(w.pick("x", "y")), w.pick("*", "9-*", "9-*", "9-*")), twos(40, w, w.field))
	},
	func(w Source) []string {
		return join(line("XTRIM", w.key("y")), w.choose(line("MAXLEN", "~", w.number(0, 60)), line("MINID", "~", w.about())), w.maybe("LIMIT", w.number(0, 200)))
	},
	func(w Source) []string {
		return join(line("XGROUP", "CREATE", w.grouped(), w.pick("g", "h"), w.pick("$", "0")), w.maybe("MKSTREAM"), w.maybe("ENTRIESREAD", w.number(-1, 9)))
	},
	func(w Source) []string {
		return join(line("XCLAIM", w.grouped(), w.pick("g", "h"), w.consumer(), w.number(0, 900), w.recentID(), w.recentID(), w.recentID()),
			w.choose(nil, line("IDLE", w.number(0, 2000)), line("TIME", w.about())), w.maybe("RETRYCOUNT", w.number(0, 9)), w.maybe("FORCE"), w.maybe("JUSTID"), w.maybe("LASTID", w.recentID()))
	},
	func(w Source) []string {
		return line(w.pick("XACK", "XDEL"), w.grouped(), w.pick("g", "h", w.recentID()), w.recentID(), w.recentID())
	},
	func(w Source) []string {
		return join(line("XAUTOCLAIM", w.grouped(), w.pick("g", "h"), w.consumer(), w.number(0, 900), "-"), w.maybe("COUNT", w.number(1, 9)), w.maybe("JUSTID"))
	},
	func(w Source) []string {
		return join(line("XREADGROUP", "GROUP", w.pick("g", "h"), w.consumer()), w.maybe("COUNT", w.number(1, 9)), w.maybe("NOACK"), line("STREAMS", w.grouped(), w.pick(">", ">", "0")))
	},
}

// whole are commands on whole databases.
var whole = []func(Source) []string{
	func(w Source) []string {
		if !w.OneIn(20) {
			return line("SWAPDB", w.db(), w.db())
		}
		return join(line(w.pick("FLUSHDB", "FLUSHALL")), w.maybe(w.pick("ASYNC", "SYNC")))
	},
}

// Key draws a key of any type.
func (w Source) Key() string { return w.key(w.pick("s", "h", "n", "x", "l", "t", "z", "p")) }

// about draws a time, in milliseconds, that has passed or soon will have.
func (w Source) about() string {
	return strconv.FormatInt(w.Now-500+w.Rand.Int64N(3500), 10)
}

// grouped draws the key of a stream that has groups most of the time.
func (w Source) grouped() string { return w.pick("x0", "x0", "{t}x1") }

// recentID draws the ID of an entry as most streams have it.
func (w Source) recentID() string { return "9-" + w.number(0, 40) }

// end draws the words of a time to live, short or over.
func (w Source) end() []string {
	return w.choose(line("EX", w.number(1, 3)), line("PX", w.number(1, 3000)), line("PXAT", w.about()), line("EXAT", strconv.FormatInt(w.Now/1000+w.Rand.Int64N(4)-1, 10)))
}

// fields draws FIELDS with a number of them.
func (w Source) fields() (argv []string) {
	n := w.Times(3)
	argv = line("FIELDS", strconv.Itoa(n))
	for range n {
		argv = append(argv, w.field())
	}
	return argv
}
