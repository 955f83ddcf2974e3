package main

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/anishathalye/porcupine"
	"github.com/troupedb/troupe/resp"
)

// The same for lists, sets and sorted sets. A value of the model is its
// elements, with commas between; of a sorted set "member:score", in order.

func TestCollectionsLinearizable(t *testing.T) {
	t.Parallel()
	checkLinear(t, drawCollectionCommand, runCollections)
}

func TestCollectionsModel(t *testing.T) {
	t.Parallel()
	f := wantLinear(t, runCollections)
	f(porcupine.Ok, "RPUSH l a -> :1", "RPUSH l b -> :2", `LMOVE l m LEFT RIGHT -> "a"`, `LRANGE l 0 -1 -> ["b"]`, `LPOP m -> "a"`, "LPOP m -> _")
	f(porcupine.Illegal, "RPUSH l a -> :1", `LMOVE l m LEFT RIGHT -> "a"`, `LRANGE l 0 -1 -> ["a"]`)
	f(porcupine.Ok, "SADD s a -> :1", "SADD s a -> :0", "SMOVE s t a -> :1", "SCARD s -> :0", "SISMEMBER t a -> :1")
	f(porcupine.Illegal, "SADD s a -> :1", "SMOVE s t a -> :1", "SCARD s -> :1")
	f(porcupine.Ok, "ZADD z 2 a -> :1", "ZADD z 1 b -> :1", `ZINCRBY z 5 b -> "6"`, `ZPOPMIN z -> ["a", "2"]`, `ZRANGE z 0 -1 -> ["b"]`, "ZCARD z -> :1")
	f(porcupine.Illegal, "ZADD z 2 a -> :1", `ZPOPMIN z -> ["a", "2"]`, "ZCARD z -> :1")
}

func drawCollectionCommand(rng *rand.Rand, group int, mark string) []string {
	key := func(kind string) string { return fmt.Sprintf("g%d%s%d", group, kind, rng.IntN(linearKeys)) }
	few := func() string { return strconv.Itoa(rng.IntN(4)) }
	switch rng.IntN(15) {
	case 0, 1:
		return []string{"RPUSH", key("l"), mark}
	case 2:
		return []string{"LPOP", key("l")}
	case 3, 4:
		return []string{"LMOVE", key("l"), key("l"), "LEFT", "RIGHT"}
	case 5:
		return []string{"LRANGE", key("l"), "0", "-1"}
	case 6:
		return []string{"SADD", key("s"), few()}
	case 7, 8:
		return []string{"SMOVE", key("s"), key("s"), few()}
	case 9:
		return []string{"SCARD", key("s")}
	case 10:
		return []string{"SISMEMBER", key("s"), few()}
	case 11:
		return []string{"ZADD", key("z"), few(), few()}
	case 12:
		return []string{"ZINCRBY", key("z"), "3", few()}
	case 13:
		return []string{"ZPOPMIN", key("z")}
	}
	return []string{"ZRANGE", key("z"), "0", "-1"}
}

// runCollections does what the server should.
func runCollections(d linearState, argv []string) resp.Reply {
	items := d.items(argv[1])
	switch argv[0] {
	case "GET": // of a lock
		return d.value(argv[1])
	case "RPUSH":
		return resp.Int(int64(d.setItems(argv[1], append(items, argv[2]))))
	case "LRANGE":
		return resp.Strings(items...)
	case "LPOP":
		return d.moveFirst(argv[1], "")
	case "LMOVE":
		return d.moveFirst(argv[1], argv[2])
	case "SADD", "SISMEMBER", "SCARD", "SMOVE":
		return d.runSets(argv, items)
	}
	return d.runSorted(argv, items)
}

func (d linearState) items(key string) []string {
	if d[key] == "" {
		return nil
	}
	return strings.Split(d[key], ",")
}

func (d linearState) setItems(key string, items []string) int {
	if d[key] = strings.Join(items, ","); len(items) == 0 {
		delete(d, key)
	}
	return len(items)
}

// moveFirst takes the first element of a list, to the end of another if to
// names one.
func (d linearState) moveFirst(from, to string) resp.Reply {
	items := d.items(from)
	if len(items) == 0 {
		return resp.Nil
	}
	d.setItems(from, items[1:])
	if to != "" {
		d.setItems(to, append(d.items(to), items[0]))
	}
	return resp.BulkString(items[0])
}

func (d linearState) runSets(argv, items []string) resp.Reply {
	if argv[0] == "SCARD" {
		return resp.Int(int64(len(items)))
	}
	member := argv[len(argv)-1]
	at := slices.Index(items, member)
	switch {
	case argv[0] == "SISMEMBER":
		return resp.Flag(at >= 0)
	case argv[0] == "SADD" && at < 0:
		d.setItems(argv[1], append(items, member))
		return resp.One
	case argv[0] == "SADD" || at < 0:
		return resp.Zero
	}
	d.setItems(argv[1], slices.Delete(items, at, at+1))
	if other := d.items(argv[2]); !slices.Contains(other, member) {
		d.setItems(argv[2], append(other, member))
	}
	return resp.One
}

func (d linearState) runSorted(argv, items []string) resp.Reply {
	key := argv[1]
	switch argv[0] {
	case "ZCARD":
		return resp.Int(int64(len(items)))
	case "ZRANGE":
		var members []string
		for _, item := range items {
			member, _, _ := strings.Cut(item, ":")
			members = append(members, member)
		}
		return resp.Strings(members...)
	case "ZPOPMIN":
		if len(items) == 0 {
			return resp.Array()
		}
		d.setItems(key, items[1:])
		member, score, _ := strings.Cut(items[0], ":")
		return resp.Strings(member, score)
	}
	return d.score(argv, items)
}

// score is ZADD and ZINCRBY.
func (d linearState) score(argv, items []string) resp.Reply {
	member, score := argv[3], 0
	given, _ := strconv.Atoi(argv[2])
	at := slices.IndexFunc(items, func(item string) bool { return strings.HasPrefix(item, member+":") })
	if at >= 0 {
		score = scoreOf(items[at])
		items = slices.Delete(items, at, at+1)
	}
	reply := resp.Flag(at < 0)
	if score += given; argv[0] == "ZADD" {
		score = given
	} else {
		reply = resp.BulkString(strconv.Itoa(score))
	}
	items = append(items, fmt.Sprintf("%s:%d", member, score))
	slices.SortFunc(items, func(a, b string) int {
		return cmp.Or(cmp.Compare(scoreOf(a), scoreOf(b)), strings.Compare(a, b))
	})
	d.setItems(argv[1], items)
	return reply
}

func scoreOf(item string) int {
	_, digits, _ := strings.Cut(item, ":")
	n, _ := strconv.Atoi(digits)
	return n
}
