package draw

import "slices"

// line is a command's name and its fixed words.
func line(argv ...string) []string { return argv }

// alike are those that Source.Alike draws from. What stands here several times comes as many times as often.
var alike = slices.Concat(alikeStrings, alikeStrings, alikeKeys, alikeHashes, alikeHashes, alikeLists, alikeAlpha, alikeSets, alikeSorted, alikeBits, alikeGeo, alikeStreams, alikeTransactions, alikeTransactions, alikeServer)

var alikeStrings = []func(Source) []string{
	func(w Source) []string { return line("GET", w.key("s")) },
	func(w Source) []string { return line("SET", w.key("s"), w.value()) },
	func(w Source) []string {
		return join(line("SET", w.key("s"), w.value()), w.choose(nil, w.life(), line("KEEPTTL")), w.maybe(w.pick("NX", "XX", "nx")), w.maybe("GET"))
	},
	func(w Source) []string { return line("SETNX", w.key("s"), w.value()) },
	func(w Source) []string { return line("SETEX", w.key("s"), w.soon(), w.value()) },
	func(w Source) []string { return line("PSETEX", w.key("s"), w.soon()+"000", w.value()) },
	func(w Source) []string { return line("GETSET", w.key("s"), w.value()) },
	func(w Source) []string { return line("GETDEL", w.key("s")) },
	func(w Source) []string {
		return join(line("GETEX", w.key("s")), w.choose(nil, line("PERSIST"), w.life()))
	},
	func(w Source) []string { return line("APPEND", w.key("s"), w.value()) },
	func(w Source) []string { return line("STRLEN", w.key("s")) },
	func(w Source) []string {
		return line(w.pick("GETRANGE", "SUBSTR"), w.key("s"), w.integer(), w.integer())
	},
	func(w Source) []string { return line("SETRANGE", w.key("s"), w.number(-1, 90), w.value()) },
	func(w Source) []string { return line("SETRANGE", w.key("x"), w.number(0, 70_000), w.value()) },
	func(w Source) []string { return line(w.pick("INCR", "DECR"), w.key("n")) },
	func(w Source) []string { return line(w.pick("INCRBY", "DECRBY"), w.key("n"), w.integer()) },
	func(w Source) []string { return line("SET", w.key("n"), w.integer()) },
	func(w Source) []string { return line("INCRBYFLOAT", w.key("n"), w.float()) },
	func(w Source) []string { return line("SET", w.key("n"), w.float()) },
	func(w Source) []string { return join(line("MGET"), w.keys("s", 5)) },
	func(w Source) []string {
		return join(line("MSET"), twos(4, w, func() string { return w.key("s") }))
	},
	func(w Source) []string {
		return join(line("MSETNX"), twos(3, w, func() string { return w.key("x") }))
	},
	func(w Source) []string {
		return join(line("LCS", w.key("s"), w.key("s")), w.choose(nil, line("LEN"), join(line("IDX"), w.maybe("MINMATCHLEN", w.integer()), w.maybe("WITHMATCHLEN"))))
	},
}

var alikeKeys = []func(Source) []string{
	func(w Source) []string { return join(line(w.pick("DEL", "UNLINK")), w.keys("s", 3)) },
	func(w Source) []string { return join(line(w.pick("EXISTS", "TOUCH")), w.keys("h", 4)) },
	func(w Source) []string { return line("TYPE", w.key("h")) },
	func(w Source) []string { return line("RENAME", w.key("s"), w.key("s")) },
	func(w Source) []string { return line("RENAME", w.key("h"), w.key("h")) },
	func(w Source) []string { return line("RENAMENX", w.key("x"), w.key("s")) },
	func(w Source) []string {
		return join(line("COPY", w.key("h"), w.key("x")), w.maybe("DB", w.db()), w.maybe("REPLACE"))
	},
	func(w Source) []string {
		return join(line("COPY", w.key("s"), w.key("s")), w.maybe("DB", w.db()), w.maybe("REPLACE"))
	},
	func(w Source) []string { return line("MOVE", w.key("s"), w.db()) },
	func(w Source) []string {
		return join(line("EXPIRE", w.key("s"), w.soon()), w.choose(nil, nil, line(w.pick("NX", "XX", "xx"))))
	},
	func(w Source) []string { return line("PEXPIRE", w.key("h"), w.soon()+"000") },
	func(w Source) []string {
		return join(line("EXPIREAT", w.key("s"), w.moment()), w.choose(nil, line(w.pick("NX", "XX", "GT", "LT")), line("XX", w.pick("GT", "LT", "NX"))))
	},
	func(w Source) []string {
		return join(line("PEXPIREAT", w.key("h"), w.moment()+"000"), w.maybe(w.pick("NX", "XX", "GT", "LT")))
	},
	func(w Source) []string { return line("PERSIST", w.key("s")) },
	func(w Source) []string {
		return line(w.pick("TTL", "PTTL", "EXPIRETIME", "PEXPIRETIME"), w.key(w.pick("s", "h")))
	},
	func(w Source) []string { return line("KEYS", w.pattern()) },
	func(w Source) []string { return line("RANDOMKEY") },
	func(w Source) []string {
		return line("OBJECT", w.pick("ENCODING", "REFCOUNT"), w.key(w.pick("s", "n", "h")))
	},
	func(w Source) []string { return line("DBSIZE") },
}

var alikeHashes = []func(Source) []string{
	func(w Source) []string { return join(line("HSET", w.key("h")), twos(4, w, w.field)) },
	func(w Source) []string { return join(line("HMSET", w.key("h")), twos(4, w, w.field)) },
	func(w Source) []string { return line("HSETNX", w.key("h"), w.field(), w.value()) },
	func(w Source) []string { return line("HGET", w.key("h"), w.field()) },
	func(w Source) []string { return line("HMGET", w.key("h"), w.field(), w.field(), w.field()) },
	func(w Source) []string { return line("HDEL", w.key("h"), w.field(), w.field()) },
	func(w Source) []string { return line(w.pick("HGETALL", "HKEYS", "HVALS"), w.key("h")) },
	func(w Source) []string { return line("HLEN", w.key("h")) },
	func(w Source) []string { return line(w.pick("HEXISTS", "HSTRLEN"), w.key("h"), w.field()) },
	func(w Source) []string { return line("HINCRBY", w.key("h"), w.field(), w.integer()) },
	func(w Source) []string { return line("HINCRBYFLOAT", w.key("h"), w.field(), w.float()) },
	func(w Source) []string {
		return join(line("HRANDFIELD", w.key("h")), w.choose(nil, line(w.integer()), line(w.number(-3, 3), "WITHVALUES")))
	},
	func(w Source) []string {
		return join(line("HSCAN", w.key("x"), w.pick("0", "0", "0", "7", "x", "")), w.maybe("MATCH", w.pattern()), w.maybe("COUNT", w.pick("1", "10", "1000", "0", "x")))
	},
	func(w Source) []string { return line("HSET", w.key("h"), w.field(), w.integer()) },
	func(w Source) []string {
		argv := line("HSET", w.key("h"))
		for range 50 {
			argv = append(argv, "g"+w.number(0, 900), w.value())
		}
		return argv
	},
}

var alikeTransactions = []func(Source) []string{
	func(w Source) []string { return line("MULTI") },
	func(w Source) []string { return line("EXEC") },
	func(w Source) []string { return line("EXEC") },
	func(w Source) []string { return line("DISCARD") },
	func(w Source) []string { return join(line("WATCH"), w.keys("s", 3)) },
	func(w Source) []string { return join(line("WATCH"), w.keys("h", 2)) },
	func(w Source) []string { return line("UNWATCH") },
	func(w Source) []string { return line("SELECT", w.db()) },
}

var alikeServer = []func(Source) []string{
	func(w Source) []string { return line("PING") },
	func(w Source) []string { return line("ECHO", w.value()) },
	func(w Source) []string { return line("SWAPDB", w.db(), w.db()) },
	func(w Source) []string { return line("CLIENT", "SETNAME", w.pick("me", "you", "a b", "")) },
	func(w Source) []string { return line("CLIENT", "GETNAME") },
	func(w Source) []string {
		if w.OneIn(20) {
			return join(line(w.pick("FLUSHDB", "FLUSHALL")), w.maybe(w.pick("ASYNC", "SYNC", "nonsense")))
		}
		return line("FLUSHDB", "nonsense")
	},
	func(w Source) []string {
		inner := slices.Concat(alikeKeys, alikeHashes, alikeLists, alikeSorted)
		return join(line("COMMAND", w.pick("GETKEYS", "GETKEYSANDFLAGS")), inner[w.Rand.IntN(len(inner))](w))
	},
	func(w Source) []string { return line(w.pick("NONSENSE", "", "GETT", "OBJECT", "CLIENT"), w.integer()) },
	func(w Source) []string { return line("DEBUG", "DIGEST-VALUE", w.key("s"), w.key("h")) },
	func(w Source) []string { return line("RESET") },
	func(w Source) []string { return w.many(w.pick("MSET", "MSET", "DEL", "EXISTS")) },
}
