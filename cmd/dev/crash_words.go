package main

import (
	"strconv"
	"time"
)

// command draws a command on the writer's keys whose outcome only the state
// before decides, and when it has run. Its first key's type is right.
func (d *drawer) command() []string {
	draws := []func() []string{d.drawText, d.drawText, d.drawList, d.drawHash, d.drawSet, d.drawSorted, d.drawStream, d.drawWhole}
	return draws[d.rng.IntN(len(draws))]()
}

// by is a small number to add.
func (d *drawer) by() string { return strconv.Itoa(d.rng.IntN(200) - 100) }

// halves is a number to add that has no more than a half behind the point.
func (d *drawer) halves() string {
	return strconv.FormatFloat(float64(d.rng.IntN(100)-50)/2, 'f', -1, 64)
}

func (d *drawer) drawText() []string {
	soon := time.Now().Add(time.Duration(d.rng.IntN(1500)) * time.Millisecond).UnixMilli()
	switch d.rng.IntN(11) {
	case 0:
		return []string{"SET", d.key("text"), d.value(), "PXAT", strconv.FormatInt(soon+3_600_000, 10)}
	case 1:
		return []string{"SET", d.key("text"), d.value(), "PX", "3600000"}
	case 2, 3:
		return []string{"SET", d.key("soon"), d.value(), "PXAT", strconv.FormatInt(soon, 10)}
	case 4:
		return []string{"MSET", d.key("text"), d.value(), d.key("text"), d.value()}
	case 5:
		return []string{"SETRANGE", d.key("range"), strconv.Itoa(d.rng.IntN(300)), strconv.Itoa(d.seq)}
	case 6:
		return []string{"SETBIT", d.key("range"), strconv.Itoa(d.rng.IntN(3000)), strconv.Itoa(d.rng.IntN(2))}
	case 7:
		return []string{"INCRBY", d.key("number"), d.by()}
	case 8:
		return []string{"INCRBYFLOAT", d.key("float"), d.halves()}
	case 9:
		return []string{"APPEND", d.key("text"), "," + strconv.Itoa(d.seq)}
	}
	return []string{"SET", d.key("text"), d.value()}
}

func (d *drawer) drawList() []string {
	key := d.key("list")
	switch d.rng.IntN(8) {
	case 0:
		return []string{"LPUSH", key, d.value(), d.value()}
	case 1:
		return []string{"LPOP", key, strconv.Itoa(1 + d.rng.IntN(3))}
	case 2:
		return []string{"RPOP", key, strconv.Itoa(1 + d.rng.IntN(3))}
	case 3:
		return []string{"LTRIM", key, strconv.Itoa(d.rng.IntN(3)), strconv.Itoa(20 + d.rng.IntN(20))}
	case 4:
		return []string{"LMOVE", key, d.otherKey("list", key), "LEFT", "RIGHT"}
	case 5:
		return []string{"LREM", key, "1", strconv.Itoa(d.seq - d.rng.IntN(30))}
	}
	return []string{"RPUSH", key, d.value()}
}

func (d *drawer) drawHash() []string {
	key := d.key("hash")
	switch d.rng.IntN(6) {
	case 0:
		return []string{"HDEL", key, d.small(), d.small()}
	case 1:
		return []string{"HINCRBY", d.key("counts"), d.small(), d.by()}
	case 2:
		return []string{"HINCRBYFLOAT", d.key("floats"), d.small(), d.halves()}
	}
	return []string{"HSET", key, d.small(), d.value(), "f" + strconv.Itoa(d.rng.IntN(300)), strconv.Itoa(d.seq)}
}

func (d *drawer) drawSet() []string {
	key := d.key("set")
	switch d.rng.IntN(6) {
	case 0:
		return []string{"SREM", key, d.small(), d.small()}
	case 1:
		return []string{"SMOVE", key, d.otherKey("set", key), d.small()}
	case 2:
		return []string{"SUNIONSTORE", key, d.key("set"), d.key("set")}
	case 3:
		return []string{"SADD", d.key("ints"), strconv.Itoa(d.rng.IntN(3000)), strconv.Itoa(d.seq)}
	}
	return []string{"SADD", key, d.small(), strconv.Itoa(d.seq)}
}

func (d *drawer) drawSorted() []string {
	key := d.key("zset")
	switch d.rng.IntN(6) {
	case 0:
		return []string{"ZINCRBY", key, d.halves(), d.small()}
	case 1:
		return []string{"ZREM", key, d.small(), d.small()}
	case 2:
		return []string{"ZPOPMIN", key}
	}
	return []string{"ZADD", key, d.halves(), d.small(), strconv.Itoa(d.seq), "m" + strconv.Itoa(d.rng.IntN(200))}
}

func (d *drawer) drawStream() []string {
	d.ids++
	key, id := d.key("stream"), strconv.Itoa(d.ids)+"-1"
	switch d.rng.IntN(5) {
	case 0:
		return []string{"XDEL", key, strconv.Itoa(max(1, d.ids-d.rng.IntN(30))) + "-1"}
	case 1:
		return []string{"XADD", key, "MAXLEN", strconv.Itoa(5 + d.rng.IntN(30)), id, "f", d.value()}
	}
	return []string{"XADD", key, id, "f", d.value()}
}

// drawWhole draws a command that any type takes.
func (d *drawer) drawWhole() []string {
	kind := []string{"text", "list", "hash", "set", "zset", "stream"}[d.rng.IntN(6)]
	key := d.key(kind)
	switch d.rng.IntN(7) {
	case 0:
		return []string{"DEL", key, d.key(kind)}
	case 1:
		return []string{"RENAME", key, d.otherKey(kind, key)}
	case 2:
		return []string{"COPY", key, d.otherKey(kind, key), "REPLACE"}
	case 3:
		at := time.Now().Add(time.Hour).UnixMilli() + int64(d.rng.IntN(1000))
		return []string{"PEXPIREAT", key, strconv.FormatInt(at, 10)}
	case 4:
		return []string{"EXPIRE", key, strconv.Itoa(3600 + d.rng.IntN(100))}
	case 5:
		return []string{"PERSIST", key}
	}
	return []string{"COPY", key, d.key("copy"), "REPLACE"}
}
