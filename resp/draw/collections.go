package draw

// Commands on collections. What takes members by chance is asked for so many
// that it takes all, so that both servers keep the same.

var alikeLists = []func(Source) []string{
	func(w Source) []string {
		return join(line(w.pick("LPUSH", "RPUSH", "RPUSH", "LPUSHX", "RPUSHX"), w.key("l")), w.values(5))
	},
	func(w Source) []string {
		return join(line(w.pick("LPOP", "RPOP"), w.key("l")), w.choose(nil, nil, line(w.integer())))
	},
	func(w Source) []string { return line("LLEN", w.key("l")) },
	func(w Source) []string { return line("LRANGE", w.key("l"), w.integer(), w.integer()) },
	func(w Source) []string { return line("LINDEX", w.key("l"), w.integer()) },
	func(w Source) []string { return line("LSET", w.key("l"), w.number(-9, 9), w.value()) },
	func(w Source) []string {
		return line("LINSERT", w.key("l"), w.pick("BEFORE", "AFTER", "after", "ON"), w.integer(), w.value())
	},
	func(w Source) []string { return line("LREM", w.key("l"), w.number(-3, 3), w.value()) },
	func(w Source) []string { return line("LTRIM", w.key("l"), w.number(-60, 5), w.number(-5, 60)) },
	func(w Source) []string {
		return join(line("LPOS", w.key("l"), w.value()), w.maybe("RANK", w.integer()), w.maybe("COUNT", w.integer()), w.maybe("MAXLEN", w.integer()))
	},
	func(w Source) []string {
		return line("LMOVE", w.key("l"), w.key("l"), w.pick("LEFT", "RIGHT"), w.pick("LEFT", "right", "UP"))
	},
	func(w Source) []string { return line("RPOPLPUSH", w.key("l"), w.key("l")) },
	func(w Source) []string {
		return join(line("LMPOP", w.pick("1", "2", "2", "0", "x"), w.key("l"), w.key("l"), w.pick("LEFT", "RIGHT")), w.maybe("COUNT", w.integer()))
	},
	func(w Source) []string {
		if w.OneIn(10) {
			return line(w.pick("BLPOP", "BRPOP"), w.key("l"), w.key("l"), w.pick("0.001", "0.002", "-1", "x"))
		}
		return line("BLMOVE", w.key("l"), w.key("l"), "LEFT", "RIGHT", "0.001")
	},
	func(w Source) []string { return join(line("RPUSH", w.key("l")), w.values(200)) },
	func(w Source) []string {
		return join(line("SORT", w.pick(w.alpha(), w.alike())), w.maybe("LIMIT", w.integer(), w.integer()), w.maybe(w.pick("ASC", "DESC")),
			w.maybe("GET", w.pick("#", "{t}s*", "{t}h*->f1")), w.maybe("STORE", w.key("l")))
	},
}

// alikeAlpha sorts texts, on keys of their own: redis-server's order ends at a NUL.
var alikeAlpha = []func(Source) []string{
	func(w Source) []string {
		return line("RPUSH", w.alpha(), w.number(-99, 99), w.number(0, 9), w.pick("a", "7", "7", "B"))
	},
	func(w Source) []string {
		return join(line("SORT", w.alpha(), "ALPHA"), w.maybe("LIMIT", w.integer(), w.integer()), w.maybe(w.pick("ASC", "DESC")))
	},
	func(w Source) []string { return line("LTRIM", w.alpha(), "-20", "-1") },
}

func (w Source) alpha() string { return alikePrefix + "alpha" + w.number(0, 1) }

var alikeSets = []func(Source) []string{
	func(w Source) []string { return join(line(w.pick("SADD", "SADD", "SREM"), w.key("t")), w.members(5)) },
	func(w Source) []string { return join(line("SADD", w.key("t")), w.members(150)) },
	func(w Source) []string { return line("SISMEMBER", w.key("t"), w.member()) },
	func(w Source) []string { return join(line("SMISMEMBER", w.key("t")), w.members(4)) },
	func(w Source) []string { return line(w.pick("SCARD", "SMEMBERS"), w.key("t")) },
	func(w Source) []string { return line("SPOP", w.key("t"), w.pick("0", "100000", "-1", "x")) },
	func(w Source) []string {
		return join(line("SRANDMEMBER", w.key("t")), w.choose(nil, line(w.integer())))
	},
	func(w Source) []string { return line("SMOVE", w.key("t"), w.key("t"), w.member()) },
	func(w Source) []string { return join(line(w.pick("SINTER", "SUNION", "SDIFF")), w.keys("t", 3)) },
	func(w Source) []string {
		return join(line(w.pick("SINTERSTORE", "SUNIONSTORE", "SDIFFSTORE"), w.key("t")), w.keys("t", 3))
	},
	func(w Source) []string {
		return join(line("SINTERCARD", w.pick("1", "2", "2", "0", "x"), w.key("t"), w.key("t")), w.maybe("LIMIT", w.integer()))
	},
	func(w Source) []string {
		return join(line("SSCAN", w.key("t"), w.pick("0", "0", "x")), w.maybe("MATCH", w.pattern()), w.maybe("COUNT", w.pick("1000", "0", "x")))
	},
}

var alikeSorted = []func(Source) []string{
	func(w Source) []string {
		return join(line("ZADD", w.key("z")), w.maybe(w.pick("NX", "XX", "GT", "LT", "nx")), w.maybe("CH"), w.scored(4))
	},
	func(w Source) []string { return join(line("ZADD", w.key("z")), w.scored(200)) },
	func(w Source) []string {
		return join(line("ZADD", w.key("z")), w.maybe(w.pick("NX", "XX", "GT", "LT")), line("INCR", w.float(), w.member()))
	},
	func(w Source) []string { return line("ZINCRBY", w.key("z"), w.float(), w.member()) },
	func(w Source) []string { return join(line("ZREM", w.key("z")), w.members(3)) },
	func(w Source) []string { return line("ZCARD", w.key("z")) },
	func(w Source) []string { return line("ZSCORE", w.key("z"), w.member()) },
	func(w Source) []string { return join(line("ZMSCORE", w.key("z")), w.members(3)) },
	func(w Source) []string { return line(w.pick("ZRANK", "ZREVRANK"), w.key("z"), w.member()) },
	func(w Source) []string {
		return line(w.pick("ZCOUNT", "ZREMRANGEBYSCORE"), w.key("z"), w.bound(), w.bound())
	},
	func(w Source) []string {
		return line(w.pick("ZLEXCOUNT", "ZREMRANGEBYLEX"), w.alike(), w.lexBound(), w.lexBound())
	},
	func(w Source) []string {
		return line("ZADD", w.alike(), "0", w.number(0, 99), "0", w.number(0, 99), "0", w.pick("a", "b", "7"))
	},
	func(w Source) []string {
		return join(line("ZRANGE", w.alike(), w.lexBound(), w.lexBound(), "BYLEX"), w.maybe("LIMIT", w.integer(), w.integer()))
	},
	func(w Source) []string { return line("ZREMRANGEBYRANK", w.key("z"), w.number(-9, 9), w.number(-9, 9)) },
	func(w Source) []string {
		return join(line("ZRANGE", w.key("z")), w.zrange(), w.maybe("WITHSCORES"))
	},
	func(w Source) []string { return join(line("ZRANGESTORE", w.key("z"), w.key("z")), w.zrange()) },
	func(w Source) []string {
		return join(line("ZREVRANGE", w.key("z"), w.integer(), w.integer()), w.maybe("WITHSCORES"))
	},
	func(w Source) []string {
		return join(line(w.pick("ZRANGEBYSCORE", "ZREVRANGEBYSCORE"), w.key("z"), w.bound(), w.bound()), w.maybe("WITHSCORES"), w.maybe("LIMIT", w.integer(), w.integer()))
	},
	func(w Source) []string {
		return join(line(w.pick("ZRANGEBYLEX", "ZREVRANGEBYLEX"), w.alike(), w.lexBound(), w.lexBound()), w.maybe("LIMIT", w.integer(), w.integer()))
	},
	func(w Source) []string {
		return join(line(w.pick("ZPOPMIN", "ZPOPMAX"), w.key("z")), w.choose(nil, line(w.integer())))
	},
	func(w Source) []string {
		return join(line("ZMPOP", w.pick("1", "2", "0"), w.key("z"), w.key("z"), w.pick("MIN", "MAX")), w.maybe("COUNT", w.integer()))
	},
	func(w Source) []string {
		return line(w.pick("BZPOPMIN", "BZPOPMAX"), w.key("z"), w.pick("0.001", "-1"))
	},
	func(w Source) []string {
		return join(line(w.pick("ZUNION", "ZINTER"), "2", w.key("z"), w.key(w.pick("z", "t"))), w.maybe("WEIGHTS", w.float(), w.float()), w.maybe("AGGREGATE", w.pick("SUM", "MIN", "MAX")), w.maybe("WITHSCORES"))
	},
	func(w Source) []string {
		return join(line("ZDIFF", "2", w.key("z"), w.key("z")), w.maybe("WITHSCORES"))
	},
	func(w Source) []string {
		return join(line(w.pick("ZUNIONSTORE", "ZINTERSTORE"), w.key("z"), "2", w.key("z"), w.key(w.pick("z", "t"))), w.maybe("WEIGHTS", w.float(), w.float()), w.maybe("AGGREGATE", w.pick("SUM", "MIN", "MAX", "x")))
	},
	func(w Source) []string { return line("ZDIFFSTORE", w.key("z"), "2", w.key("z"), w.key("z")) },
	func(w Source) []string {
		return join(line("ZINTERCARD", "2", w.key("z"), w.key("z")), w.maybe("LIMIT", w.integer()))
	},
	func(w Source) []string {
		return join(line("ZRANDMEMBER", w.key("z")), w.choose(nil, line(w.integer()), line(w.number(-9, 9), "WITHSCORES")))
	},
	func(w Source) []string { return join(line("ZSCAN", w.key("z"), "0"), w.maybe("COUNT", "1000")) },
}

var alikeBits = []func(Source) []string{
	func(w Source) []string {
		return line("SETBIT", w.key("b"), w.number(-1, 200), w.pick("0", "1", "1", "2"))
	},
	func(w Source) []string { return line("GETBIT", w.key("b"), w.integer()) },
	func(w Source) []string {
		return join(line("BITCOUNT", w.key("b")), w.choose(nil, line(w.integer(), w.integer()), line(w.integer(), w.integer(), w.pick("BIT", "BYTE", "x"))))
	},
	func(w Source) []string {
		return join(line("BITPOS", w.key("b"), w.pick("0", "1", "2")), w.choose(nil, line(w.integer()), line(w.integer(), w.integer()), line(w.integer(), w.integer(), "BIT")))
	},
	func(w Source) []string {
		return join(line("BITOP", w.pick("AND", "OR", "XOR", "NOT", "nand"), w.key("b")), w.keys("b", 3))
	},
	func(w Source) []string {
		return join(line("BITFIELD", w.key("b")), w.maybe("OVERFLOW", w.pick("WRAP", "SAT", "FAIL", "x")), w.bitField(), w.bitField())
	},
	func(w Source) []string {
		return line("BITFIELD_RO", w.key("b"), "GET", w.pick("u8", "i5", "u64"), w.pick("0", "#3", "7"))
	},
	func(w Source) []string { return join(line("PFADD", w.key("p")), w.members(20)) },
	func(w Source) []string { return join(line("PFCOUNT"), w.keys("p", 2)) },
	func(w Source) []string { return join(line("PFMERGE", w.key("p")), w.keys("p", 2)) },
	func(w Source) []string { return line("GET", w.key("p")) },
}

// alikeGeo is on keys of their own too: places that are as far are in no order of Redis's promise.
var alikeGeo = []func(Source) []string{
	func(w Source) []string {
		return join(line("GEOADD", w.place()), w.maybe(w.pick("NX", "XX", "CH")), line(w.degrees(), w.degrees(), w.member(), w.degrees(), w.degrees(), w.member()))
	},
	func(w Source) []string { return join(line(w.pick("GEOPOS", "GEOHASH"), w.place()), w.members(3)) },
	func(w Source) []string {
		return join(line("GEODIST", w.place(), w.member(), w.member()), w.maybe(w.pick("m", "km", "ft", "mi", "x")))
	},
	func(w Source) []string {
		return join(line("GEOSEARCH", w.place()), w.choose(line("FROMMEMBER", w.member()), line("FROMLONLAT", w.degrees(), w.degrees())),
			w.choose(line("BYRADIUS", w.number(1, 9000), "km"), line("BYBOX", w.number(1, 9000), w.number(1, 9000), "mi")), line(w.pick("ASC", "DESC")),
			w.maybe("COUNT", w.number(0, 9)), w.maybe("WITHCOORD"), w.maybe("WITHDIST"), w.maybe("WITHHASH"))
	},
	func(w Source) []string {
		return line("GEOSEARCHSTORE", w.place(), w.place(), "FROMLONLAT", w.degrees(), w.degrees(), "BYRADIUS", w.number(1, 9000), "km")
	},
}

// values draws up to so many values.
func (w Source) values(most int) (argv []string) {
	for range w.Times(most) {
		argv = append(argv, w.value())
	}
	return argv
}

// member draws a member that others draw too: most are small numbers, so that
// sets of integers come about, some are texts.
func (w Source) member() string {
	switch w.Rand.IntN(10) {
	case 0:
		return w.value()
	case 1, 2:
		return w.field()
	}
	return w.number(0, 300)
}

func (w Source) members(most int) (argv []string) {
	for range w.Times(most) {
		argv = append(argv, w.member())
	}
	return argv
}

// scored draws scores with members.
func (w Source) scored(most int) (argv []string) {
	for range w.Times(most) {
		argv = append(argv, w.float(), w.member())
	}
	return argv
}

// bound draws an end of a range of scores, lexBound of one of members.
func (w Source) bound() string {
	return w.pick("-inf", "+inf", "", "(") + w.pick("", w.float(), w.float(), w.float())
}

func (w Source) lexBound() string {
	return w.pick("-", "+", "["+w.member(), "("+w.member(), w.member())
}

// alike draws a key whose members have equal scores, and no other command's: what
// ranges of members are in other sorted sets is left open by Redis.
func (w Source) alike() string { return alikePrefix + w.number(0, 1) }

const alikePrefix = "alike:"

// zrange draws what ZRANGE and ZRANGESTORE say of a range.
func (w Source) zrange() []string {
	by := w.choose(line(w.integer(), w.integer()), line(w.bound(), w.bound(), "BYSCORE"))
	return join(by, w.maybe("REV"), w.maybe("LIMIT", w.integer(), w.integer()))
}

// bitField draws an operation of BITFIELD.
func (w Source) bitField() []string {
	typ, at := w.pick("u8", "i8", "u1", "i64", "u63", "i5", "u64", "i0"), w.pick("0", "#1", "3", "100", "-1", "#")
	return w.choose(line("GET", typ, at), line("SET", typ, at, w.integer()), line("INCRBY", typ, at, w.integer()))
}

func (w Source) place() string { return alikePrefix + "geo" + w.number(0, 1) }

func (w Source) degrees() string { return w.number(-90, 90) + "." + w.number(0, 9999) }
