package generic_test

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// Values go from redis-server here and back, and are what they were: all types,
// in all forms that each side keeps them in, few and many elements, short and
// long ones, of any bytes.

// valueCommand is a command that makes key a value with so many elements.
func valueCommand(rng *rand.Rand, kind, key string, count int) (argv [][]byte) {
	most := 1 << rng.IntN(11)
	add := func(words ...[]byte) { argv = append(argv, words...) }
	numbers := rng.IntN(3) == 0
	text := func() []byte {
		if numbers || rng.IntN(4) == 0 {
			return strconv.AppendInt(nil, rng.Int64()>>rng.IntN(64), 10)
		}
		b := make([]byte, rng.IntN(most+1))
		letters := 1 + rng.IntN(255)
		for i := range b {
			b[i] = byte(rng.IntN(letters))
		}
		return b
	}
	name := map[string]string{"string": "SET", "list": "RPUSH", "set": "SADD", "zset": "ZADD", "hash": "HSET"}[kind]
	add([]byte(name), []byte(key))
	if kind == "string" {
		count = 1
	}
	for range count {
		switch kind {
		case "zset":
			add(strconv.AppendFloat(nil, rng.NormFloat64()*float64(int64(1)<<rng.IntN(60)), 'g', 1+rng.IntN(17), 64), text())
		case "hash":
			add(text(), text())
		default:
			add(text())
		}
	}
	return argv
}

func TestExchangeWithRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t, "--sanitize-dump-payload", "yes")
	redis.Ask(words("HELLO 3"))
	rng := rand.New(rand.NewPCG(*seedFlag, 2))
	t.Logf("-seed %d", *seedFlag)
	encodings := map[string]int{}
	for range *trialsFlag / 2 {
		limits := []string{"2", "16", "512"}[rng.IntN(3)]
		for _, name := range []string{"hash-max-listpack-entries", "zset-max-listpack-entries", "set-max-intset-entries"} {
			redis.Ask(words(fmt.Sprint("CONFIG SET ", name, " ", limits)))
		}
		redis.Ask(words(fmt.Sprint("CONFIG SET list-max-listpack-size ", []int{-2, -1, 1, 10}[rng.IntN(4)]),
			"CONFIG SET rdbcompression "+[]string{"yes", "no"}[rng.IntN(2)]))
		w := shardtest.New(t, []int{1, 2, 16}[rng.IntN(3)], everyFamily...)
		w.Now = time.Now().UnixMilli()
		here := []int{2, 16, 512}[rng.IntN(3)]
		w.Settings.HashPackedEntries, w.Settings.SortedSetPackedEntries, w.Settings.SetPackedEntries = here, here, here
		w.Settings.SetIntsetEntries, w.Settings.ListPackedSize = here, []int{-2, -1, 1, 10}[rng.IntN(4)]
		for _, kind := range []string{"string", "list", "set", "zset", "hash"} {
			thereAndBack(t, redis, w, valueCommand(rng, kind, "k", 1+rng.IntN(1<<rng.IntN(12))))
			encodings[kind+" "+strings.Trim(w.Do("OBJECT ENCODING k"), `"`)]++
		}
		if t.Failed() {
			break
		}
	}
	t.Log(encodings)
	for _, encoding := range []string{
		"string int", "string raw", "string embstr", "list listpack", "list quicklist", "set intset", "set hashtable",
		"zset listpack", "zset skiplist", "hash listpack", "hash hashtable",
	} {
		if encodings[encoding] == 0 && *trialsFlag >= 100 {
			t.Errorf("there was no %s", encoding)
		}
	}
}

// thereAndBack makes a value there, restores it here, and what is dumped here
// there again.
func thereAndBack(t *testing.T, redis *shardtest.Redis, w *shardtest.World, making [][]byte) {
	t.Helper()
	made := redis.Ask([][][]byte{
		words("DEL k again")[0], making, words("PEXPIREAT k 33177117420001")[0], words("DUMP k")[0],
	})
	payload, _, _ := resp.Decode(made[3])
	restore := func(key, payload string) [][]byte {
		argv := words("RESTORE " + key + " 33177117420001 payload ABSTTL REPLACE")[0]
		argv[3] = []byte(payload)
		return argv
	}
	if got := string(w.Exchange(restore("k", payload.Str()), resp.V3)); got != "+OK\r\n" {
		t.Errorf("%.100q: %.100q is restored here with %q", making, payload.Str(), got)
		return
	}
	if got := w.Do("PEXPIRETIME k"); got != ":33177117420001" {
		t.Errorf("it ends at %s", got)
	}
	again := w.Run(words("DUMP k")[0])
	replies := redis.Ask([][][]byte{restore("again", again.Str()), words("DEBUG DIGEST-VALUE k again")[0], words("PEXPIRETIME again")[0]})
	digests, _, _ := resp.Decode(replies[1])
	if d := digests.Items(); string(replies[0]) != "+OK\r\n" || d[0].Str() != d[1].Str() || string(replies[2]) != ":33177117420001\r\n" {
		t.Errorf("%.100q: dumped here as %.100q: redis-server says %q", making, again.Str(), replies)
	}
}
