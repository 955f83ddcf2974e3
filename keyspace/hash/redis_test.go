package hash_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"sort"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/hash"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
)

// TestAgainstRedis sends random streams of commands to a real redis-server
// too. Replies must be the same bytes, in both protocols, but for the order of
// the fields of a large hash and for what is chosen at random, of which only
// the shape is compared. After each command the encodings must be the same.
func TestAgainstRedis(t *testing.T) {
	redis := shardtest.DialRedis(t)
	hash.EachSeed(t, 4, func(t *testing.T, rng *rand.Rand) {
		for range 100 {
			newTrial(t, redis, rng).run(800)
		}
	})
}

// trial is one stream, against both.
type trial struct {
	t       *testing.T
	rng     *rand.Rand
	world   *shardtest.World
	redis   *shardtest.Redis
	encoder resp.Encoder
	keys    []string
	fields  int
}

func newTrial(t *testing.T, redis *shardtest.Redis, rng *rand.Rand) *trial {
	r := &trial{
		t: t, rng: rng, redis: redis, encoder: resp.V2, keys: []string{"a", "b", "c"},
		world:  shardtest.New(t, 1+rng.IntN(3), &hash.Commands, &str.Commands),
		fields: []int{3, 12, 40, 200}[rng.IntN(4)],
	}
	hello := "HELLO 2"
	if rng.IntN(2) == 0 {
		r.encoder, hello = resp.V3, "HELLO 3"
	}
	entries := []int{128, 128, 8, 1, 0}[rng.IntN(5)]
	value := []int{64, 64, 10, 3}[rng.IntN(4)]
	r.world.Settings.HashPackedEntries, r.world.Settings.HashPackedValue = entries, value
	r.ask(hello)
	r.ask("FLUSHALL")
	r.ask(fmt.Sprintf("CONFIG SET hash-max-listpack-entries %d hash-max-listpack-value %d", entries, value))
	return r
}

// ask sends a line to redis-server alone.
func (r *trial) ask(line string) string {
	argv, _ := resp.SplitLine([]byte(line))
	return string(r.redis.Ask([][][]byte{argv})[0])
}

// run makes and sends so many commands, some at a time, and compares.
func (r *trial) run(commands int) {
	const together = 50
	for range commands / together {
		var sent [][][]byte
		for range together {
			argv := r.command()
			sent = append(sent, argv, words("OBJECT", "ENCODING", string(argv[1])))
		}
		replies := r.redis.Ask(sent)
		for i := 0; i < len(sent); i += 2 {
			r.compare(sent[i], replies[i], replies[i+1])
		}
	}
}

func (r *trial) compare(argv [][]byte, want, encodingReply []byte) {
	r.t.Helper()
	key := string(argv[1])
	before := encoding(r.world, key)
	got := r.exchange(argv)
	wantEncoding := ""
	if reply, _, _ := resp.Decode(encodingReply); !reply.IsError() {
		wantEncoding = reply.Str()
	}
	if after := encoding(r.world, key); after != wantEncoding && wantEncoding != "embstr" && wantEncoding != "int" {
		r.t.Fatalf("after %.200q the encoding is %q, of Redis %q", argv, after, wantEncoding)
	}
	if bytes.Equal(got, want) {
		return
	}
	if before != "hashtable" && string(argv[0]) != "HRANDFIELD" || !sameShape(argv, got, want) {
		r.t.Fatalf("%.200q (%s, RESP%d): %.300q, from Redis %.300q", argv, before, r.encoder.Proto(), got, want)
	}
}

// exchange runs a command on our side. What other families do is done here.
func (r *trial) exchange(argv [][]byte) []byte {
	if string(argv[0]) != "DEL" {
		return r.world.Exchange(argv, r.encoder)
	}
	return r.encoder.Append(nil, within(r.world, func(tx *keyspace.Tx) resp.Reply {
		return resp.Flag(tx.Delete(argv[1], "del"))
	}))
}

// sameShape reports whether the replies to a command have the same fields in
// another order or, where fields are chosen at random, as many of them.
func sameShape(argv [][]byte, got, want []byte) bool {
	a, _, errA := resp.Decode(got)
	b, _, errB := resp.Decode(want)
	if errA != nil || errB != nil || a.Kind() != b.Kind() || len(a.Items()) != len(b.Items()) {
		return false
	}
	name := string(argv[0])
	switch name {
	case "HRANDFIELD":
		return a.Kind() == resp.Text || a.Kind() == resp.List && sameKinds(a.Items(), b.Items())
	case "HSCAN":
		if a.Items()[0].Str() != b.Items()[0].Str() {
			return false
		}
		return sortedItems(a.Items()[1].Items(), 2) == sortedItems(b.Items()[1].Items(), 2)
	case "HGETALL":
		return sortedItems(a.Items(), 2) == sortedItems(b.Items(), 2)
	case "HKEYS", "HVALS":
		return sortedItems(a.Items(), 1) == sortedItems(b.Items(), 1)
	}
	return false
}

func sameKinds(a, b []resp.Reply) bool {
	for i := range a {
		if a[i].Kind() != b[i].Kind() || len(a[i].Items()) != len(b[i].Items()) {
			return false
		}
	}
	return true
}

// sortedItems lists items, so many together, in an order of their own.
func sortedItems(items []resp.Reply, together int) string {
	var list []string
	for i := 0; i+together <= len(items); i += together {
		list = append(list, resp.Format(resp.Array(items[i:i+together]...)))
	}
	sort.Strings(list)
	return strings.Join(list, "\n")
}

func words(list ...string) (argv [][]byte) {
	for _, word := range list {
		argv = append(argv, []byte(word))
	}
	return argv
}

// pick is one of the words.
func (r *trial) pick(list ...string) string { return list[r.rng.IntN(len(list))] }

func (r *trial) field() string {
	if r.rng.IntN(60) == 0 {
		return r.pick("", "\x00\r\n\xff", strings.Repeat("f", 64), strings.Repeat("f", 65), "17", "-0", "*")
	}
	return fmt.Sprint("f", r.rng.IntN(r.fields))
}

func (r *trial) value() string {
	switch r.rng.IntN(24) {
	case 0:
		return r.pick("", "\x00\xff", strings.Repeat("v", 64), strings.Repeat("v", 65), strings.Repeat("v", 200), "1.5", "1e3", "inf",
			" 1", "1 ", "01", "+1", "-0", "0x10", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "3.0e-5")
	case 1, 2, 3:
		return r.pick("a", "b", "word", "another word")
	}
	return fmt.Sprint(r.rng.Int64N(1000) - 500)
}

func (r *trial) number() string {
	if r.rng.IntN(8) == 0 {
		return r.pick("9223372036854775807", "-9223372036854775808", "9223372036854775808", "x", "", "1.5", "-0", "+1")
	}
	return fmt.Sprint(r.rng.IntN(201) - 100)
}

func (r *trial) float() string {
	if r.rng.IntN(6) == 0 {
		return r.pick("inf", "-inf", "nan", "x", "", " 1", "1e30", "-1e-10", "0x1p3", "1e5000", "5e-1")
	}
	return fmt.Sprint(float64(r.rng.IntN(2000)-1000) / 8)
}

// command is a random command on one of few keys and fields.
func (r *trial) command() [][]byte {
	key := r.pick(r.keys...)
	several := func(word func() string, least int) (list []string) {
		for range least + r.rng.IntN(4) {
			list = append(list, word())
		}
		return list
	}
	switch r.rng.IntN(40) {
	case 0:
		return words(append([]string{"HMSET", key, r.field(), r.value()}, several(r.value, 0)...)...)
	case 1, 2, 3:
		return words("HSETNX", key, r.field(), r.value())
	case 4, 5:
		return words("HGET", key, r.field())
	case 6:
		return words(append([]string{"HMGET", key}, several(r.field, 1)...)...)
	case 7, 8:
		return words("HGETALL", key)
	case 9, 10, 11, 12:
		return words(append([]string{"HDEL", key}, several(r.field, 1)...)...)
	case 13:
		return words(r.pick("HEXISTS", "HSTRLEN"), key, r.field())
	case 14:
		return words(r.pick("HLEN", "HKEYS", "HVALS"), key)
	case 15, 16, 17:
		return words("HINCRBY", key, r.field(), r.number())
	case 18, 19:
		return words("HINCRBYFLOAT", key, r.field(), r.float())
	case 20, 21:
		return r.randfield(key)
	case 22, 23:
		return r.scan(key)
	case 24:
		if r.rng.IntN(3) == 0 {
			return words("DEL", key)
		}
		return words("GET", key)
	case 25:
		if r.rng.IntN(8) == 0 {
			return words("SET", key, "text")
		}
	}
	pairs := []string{"HSET", key}
	for range 1 + r.rng.IntN(6) {
		pairs = append(pairs, r.field(), r.value())
	}
	if r.rng.IntN(30) == 0 {
		pairs = append(pairs, r.field())
	}
	return words(pairs...)
}

func (r *trial) randfield(key string) [][]byte {
	count := fmt.Sprint(r.rng.IntN(40) - 20)
	if r.rng.IntN(8) == 0 {
		count = r.pick("x", "9223372036854775807", "-9223372036854775808", "9223372036854775808", "0")
	}
	switch r.rng.IntN(8) {
	case 0:
		return words("HRANDFIELD", key)
	case 1:
		return words("HRANDFIELD", key, count, r.pick("x", "WITHVALUES WITHVALUES"))
	case 2, 3, 4:
		return words("HRANDFIELD", key, count, r.pick("WITHVALUES", "withvalues"))
	}
	return words("HRANDFIELD", key, count)
}

// scan takes all in one step, since cursors differ.
func (r *trial) scan(key string) [][]byte {
	line := []string{"HSCAN", key, "0", "COUNT", "1000000"}
	switch r.rng.IntN(8) {
	case 0:
		line = append(line, "MATCH", r.pick("f1*", "*", "", "f?", "[^f]*", "*7", "\\*"))
	case 1:
		line = append(line, r.pick("MATCH", "COUNT", "WHATEVER"))
	case 2:
		line = append(line, "COUNT", r.pick("0", "-1", "x", "9223372036854775807"))
	case 3:
		line[2] = r.pick("x", " 0", "18446744073709551616", "1.5")
	}
	return words(line...)
}
