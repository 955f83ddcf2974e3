package zset_test

import (
	"fmt"
	"strings"
)

// What a trial is made of: random words, and commands of them.

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

// rarely is one of the words, or what is usual.
func (r *trial) rarely(times int, usual string, list ...string) string {
	if r.rng.IntN(times) == 0 {
		return r.pick(list...)
	}
	return usual
}

func (r *trial) member() string {
	return r.rarely(60, fmt.Sprint("m", r.rng.IntN(r.members)),
		"", "\x00\r\n\xff", strings.Repeat("m", 64), strings.Repeat("m", 65), "17", "-0", "*", "\xff\xff")
}

func (r *trial) score() string {
	usual := fmt.Sprint(r.rng.IntN(r.scores))
	if r.rng.IntN(4) == 0 {
		usual = fmt.Sprint(float64(r.rng.IntN(80)-40) / 8)
	}
	return r.rarely(20, usual, "inf", "-inf", "+Inf", "-infinity", "nan", "x", "", " 1", "1 ", "1e300", "-1e300", "1e400", "1e-400",
		"-0", "0x1p3", "0x10", "3.3", "0.1", "0.2", "0.7", "9007199254740993", "-9007199254740992", "1e17", "5e18", "1e-320",
		"4611686018427387904", "9223372036854775807", "9223372036854775808", "1_0", "1e", ".5", "5.", "-1")
}

// scoreEnd is one end of a range of scores.
func (r *trial) scoreEnd() string {
	end := r.rarely(6, r.score(), "-inf", "+inf", "-inf", "+inf", "", "(", " 1", "1\x00x", "\t2", "(-inf", "(nan", "[1", "1e400")
	if r.rng.IntN(3) == 0 {
		return "(" + end
	}
	return end
}

// textEnd is one end of a range of texts.
func (r *trial) textEnd() string {
	usual := r.pick("[", "(") + r.member()
	return r.rarely(6, usual, "-", "+", "-", "+", "[", "(", "", "m1", "-x", "+x", "+\x00x", "[m")
}

func (r *trial) rank() string {
	return r.rarely(12, fmt.Sprint(r.rng.IntN(2*r.members)-r.members),
		"0", "-1", "x", "", "1.5", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "-0")
}

// key is one of the keys, seldom one that holds something else.
func (r *trial) key() string {
	return r.rarely(25, r.pick(r.keys...), setA, alike, "nokey{a}", "text{a}")
}

// sources are the number of keys and the keys.
func (r *trial) sources() (list []string) {
	n := 1 + r.rng.IntN(4)
	for range n {
		list = append(list, r.rarely(4, r.pick(r.keys...), setA, setB, alike, "nokey{a}", r.key()))
	}
	return append([]string{r.rarely(30, fmt.Sprint(n), "0", "-1", "x", "9223372036854775807", fmt.Sprint(n+1))}, list...)
}

// several are so many words or more.
func (r *trial) several(word func() string, least int) (list []string) {
	for range least + r.rng.IntN(4) {
		list = append(list, word())
	}
	return list
}

// command is a random command on one of few keys and members.
func (r *trial) command() [][]byte {
	key := r.key()
	switch r.rng.IntN(48) {
	case 0, 1:
		return words("ZINCRBY", r.pick(r.keys...), r.rarely(30, r.score(), "nx", "gt"), r.member())
	case 2, 3, 4, 5:
		return words(append([]string{"ZREM", r.pick(key, alike)}, r.several(r.member, 1)...)...)
	case 6, 7:
		return words("ZSCORE", key, r.member())
	case 8:
		return words(append([]string{"ZMSCORE", key}, r.several(r.member, 1)...)...)
	case 9, 10:
		return words(r.pick("ZRANK", "ZREVRANK"), r.pick(key, alike), r.member())
	case 11, 12:
		return words(r.pick("ZCOUNT", "ZREMRANGEBYSCORE", "ZCOUNT"), key, r.scoreEnd(), r.scoreEnd())
	case 13, 14:
		return words(r.pick("ZLEXCOUNT", "ZLEXCOUNT", "ZREMRANGEBYLEX"), alike, r.textEnd(), r.textEnd())
	case 15:
		return words("ZREMRANGEBYRANK", key, r.rank(), r.rank())
	case 16, 17, 18, 19:
		return words(r.rangeQuery(r.pick("ZRANGE", "ZREVRANGE"), key)...)
	case 20, 21, 22:
		return words(r.rangeQuery(r.pick("ZRANGEBYSCORE", "ZREVRANGEBYSCORE", "ZRANGEBYLEX", "ZREVRANGEBYLEX"), key)...)
	case 23, 24:
		return words(append([]string{"ZRANGESTORE", r.pick(r.keys...)}, r.rangeQuery("ZRANGE", key)[1:]...)...)
	case 25, 26:
		return words(r.popping(key)...)
	case 27, 28, 29, 30, 31:
		return words(r.combining()...)
	case 32:
		return words(r.choosing(key)...)
	case 33:
		return words(r.scanning(key)...)
	case 34:
		return words("ZCARD", key)
	case 35:
		return words(append([]string{r.pick("SADD", "SADD", "SREM"), r.pick(setA, setB)}, r.several(r.setMember, 1)...)...)
	case 36:
		return words(r.rarely(3, "ZCARD", "DEL"), r.rarely(10, key, setA, setB))
	case 37:
		return words("SET", "text{a}", "text")
	case 38, 39, 40:
		return words("ZADD", alike, "0", r.member(), "0", r.member())
	}
	return words(r.adding(key)...)
}

// setMember is a member, or a number, of which sets have a form of their own.
func (r *trial) setMember() string {
	return r.rarely(4, r.member(), fmt.Sprint(r.rng.IntN(20)))
}

func (r *trial) adding(key string) []string {
	if key == alike {
		key = "a"
	}
	list := []string{"ZADD", key}
	for r.rng.IntN(3) == 0 {
		list = append(list, r.pick("NX", "XX", "GT", "LT", "CH", "INCR", "ch", "gt", "xx", "incr"))
	}
	for range 1 + r.rng.IntN(6) {
		if list = append(list, r.score(), r.member()); r.rng.IntN(3) == 0 {
			break
		}
	}
	if r.rng.IntN(40) == 0 {
		list = append(list, "1")
	}
	return list
}

func (r *trial) rangeQuery(name, key string) []string {
	kind := r.pick("rank", "rank", "score", "text")
	var options []string
	switch {
	case strings.HasSuffix(name, "BYSCORE"):
		kind = "score"
	case strings.HasSuffix(name, "BYLEX"):
		kind = "text"
	case name == "ZREVRANGE":
		kind = "rank"
	case kind == "score":
		options = append(options, "BYSCORE")
	case kind == "text":
		options = append(options, "bylex")
	}
	list := []string{name, key, r.rank(), r.rank()}
	switch kind {
	case "score":
		list[2], list[3] = r.scoreEnd(), r.scoreEnd()
	case "text":
		list[1], list[2], list[3] = alike, r.textEnd(), r.textEnd()
	}
	if kind != "rank" && r.rng.IntN(3) == 0 {
		options = append(options, "LIMIT", r.limit(), r.limit())
	}
	if kind != "text" && r.rng.IntN(2) == 0 {
		options = append(options, "withscores")
	}
	if name == "ZRANGE" && r.rng.IntN(3) == 0 {
		options = append(options, "REV")
	}
	if r.rng.IntN(30) == 0 {
		options = append(options, r.pick("REV", "LIMIT", "BYSCORE", "WITHSCORES", "x", "LIMIT", "1"))
	}
	return append(list, options...)
}

func (r *trial) limit() string {
	return r.rarely(10, fmt.Sprint(r.rng.IntN(10)-1), "-5", "x", "9223372036854775807", "-9223372036854775808", "9223372036854775808")
}

func (r *trial) popping(key string) []string {
	count := r.rarely(10, fmt.Sprint(r.rng.IntN(4)), "-1", "x", "9223372036854775807", "9223372036854775808")
	switch r.rng.IntN(5) {
	case 0:
		return []string{r.pick("ZPOPMIN", "ZPOPMAX"), key, count}
	case 1:
		return []string{r.pick("ZPOPMIN", "ZPOPMAX"), key}
	case 2:
		return []string{r.pick("BZPOPMIN", "BZPOPMAX"), r.pick(r.keys...), key, r.rarely(5, "0.001", "-1", "x", "inf", "0x1p-9")}
	}
	list := append([]string{"ZMPOP"}, r.sources()...)
	if r.rng.IntN(2) == 0 {
		list = append([]string{"BZMPOP", r.rarely(5, "0.001", "-1", "x")}, list[1:]...)
	}
	list = append(list, r.rarely(20, r.pick("MIN", "MAX", "min"), "MID", "COUNT"))
	if r.rng.IntN(2) == 0 {
		list = append(list, "COUNT", count)
	}
	return list
}

func (r *trial) combining() []string {
	name := r.pick("ZUNION", "ZINTER", "ZDIFF")
	store := r.rng.IntN(2) == 0
	list := []string{name}
	if store {
		list = []string{name + "STORE", r.pick(r.keys...)}
	} else if name == "ZINTER" && r.rng.IntN(3) == 0 {
		list[0] = "ZINTERCARD"
	}
	sources := r.sources()
	list = append(list, sources...)
	if list[0] == "ZINTERCARD" {
		if r.rng.IntN(2) == 0 {
			list = append(list, "LIMIT", r.limit())
		}
		return list
	}
	if r.rng.IntN(3) == 0 && name != "ZDIFF" {
		list = append(list, "WEIGHTS")
		for range len(sources) - 1 {
			list = append(list, r.rarely(20, fmt.Sprint(r.rng.IntN(4)-1), r.score()))
		}
	}
	if r.rng.IntN(3) == 0 && name != "ZDIFF" {
		list = append(list, "AGGREGATE", r.rarely(20, r.pick("SUM", "MIN", "max"), "AVG"))
	}
	if !store && r.rng.IntN(2) == 0 {
		list = append(list, "WITHSCORES")
	}
	if r.rng.IntN(40) == 0 {
		list = append(list, r.pick("WITHSCORES", "WEIGHTS", "AGGREGATE", "LIMIT", "1"))
	}
	return list
}

func (r *trial) choosing(key string) []string {
	count := fmt.Sprint(r.rng.IntN(40) - 20)
	if r.rng.IntN(8) == 0 {
		count = r.pick("x", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0", "4611686018427387904")
	}
	switch r.rng.IntN(8) {
	case 0:
		return []string{"ZRANDMEMBER", key}
	case 1:
		return []string{"ZRANDMEMBER", key, count, r.pick("x", "WITHSCORES WITHSCORES")}
	case 2, 3, 4:
		return []string{"ZRANDMEMBER", key, count, r.pick("WITHSCORES", "withscores")}
	}
	return []string{"ZRANDMEMBER", key, count}
}

// scanning takes all in one step, since cursors differ.
func (r *trial) scanning(key string) []string {
	line := []string{"ZSCAN", key, "0", "COUNT", "1000000"}
	switch r.rng.IntN(8) {
	case 0:
		line = append(line, "MATCH", r.pick("m1*", "*", "", "m?", "[^m]*", "*7", "\\*"))
	case 1:
		line = append(line, r.pick("MATCH", "COUNT", "WHATEVER"))
	case 2:
		line = append(line, "COUNT", r.pick("0", "-1", "x", "9223372036854775807"))
	case 3:
		line[2] = r.pick("x", " 0", "18446744073709551616", "1.5")
	}
	return line
}
