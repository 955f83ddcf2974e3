package generic_test

import (
	"bytes"
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/troupedb/troupe/keyspace/rdb"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// Payloads that are wrong somewhere are restored here and by a redis-server
// that looks closely (sanitize-dump-payload). What it refuses is refused here;
// what both take is the same value. Here more is refused: bytes behind the end
// of a value, scores that are no numbers, lengths that are told in a way that no
// writer uses.

// sources are commands that make a value of each form that redis-server writes.
var sources = []string{
	"SET k text", "SET k 12345", `SET k "\x00\xff"`, "SET k abcabcabcabcabcabcabcabcabcabcabcabc",
	"RPUSH k a b 3 -70000 abcabcabcabcabcabcabcabcabcabcabcabc", "RPUSH k x",
	"SADD k 1 2 3 70000", "SADD k a b c", "SADD k abcabcabcabcabcabcabcabcabcabcabcabc 5",
	"ZADD k 1 a 2.5 b -inf c", "ZADD k 1 a 2 b 3 c 4 d 5 e 6 f",
	"HSET k f v g 12 h 70000", "HSET k a 1 b 2 c 3 d 4 e 5 f 6",
}

// older are values of forms that it no longer writes.
var older = []string{
	"\x01\x03\x01a\xc0\x07\x01b",
	"\x03\x03\x01m\x011\xc0\x05\x04-1.5\x01n\xfe",
	"\x09\x0e\x02\x01f\x01\x00v\x01g\x02\x01ww\x00\xff",
	"\x0a\x17\x17\x00\x00\x00\x12\x00\x00\x00\x03\x00\x00\x03abc\x05\xfe\x20\x03\xc0\x39\x30\xff",
	"\x0c\x18\x18\x00\x00\x00\x15\x00\x00\x00\x04\x00\x00\x03abc\x05\xf2\x02\x02xy\x04\xf5\xff",
	"\x0d\x18\x18\x00\x00\x00\x15\x00\x00\x00\x04\x00\x00\x03abc\x05\xf2\x02\x02xy\x04\xf5\xff",
	"\x0e\x02\x11\x11\x00\x00\x00\x0e\x00\x00\x00\x02\x00\x00\x02ab\x04\xf5\xff\x0f\x0f\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x02cd\xff",
}

// sealed is a value with a footer that is right.
func sealed(value []byte) []byte {
	out := append(bytes.Clone(value), 10, 0)
	return binary.LittleEndian.AppendUint64(out, rdb.Checksum(0, out))
}

// damaged changes a value in a few places.
func damaged(rng *rand.Rand, value []byte) []byte {
	value = bytes.Clone(value)
	for range 1 + rng.IntN(3) {
		at := 1 + rng.IntN(len(value)-1)
		switch rng.IntN(8) {
		case 0:
			value = slices.Delete(value, at, at+1)
		case 1:
			value = slices.Insert(value, at, byte(rng.Uint32()))
		case 2:
			value = value[:at]
		case 3:
			value[at] ^= 1 << rng.IntN(8)
		case 4:
			value[at] = []byte{0, 1, 0x7f, 0x80, 0xfe, 0xff}[rng.IntN(6)]
		default:
			value[at] += byte(rng.IntN(5)) - 2
		}
		if len(value) < 2 {
			break
		}
	}
	return value
}

// readers show a value of each type.
var readers = map[string]string{
	"string": "GET k", "list": "LRANGE k 0 -1", "set": "SMEMBERS k", "hash": "HGETALL k", "zset": "ZRANGE k 0 -1 WITHSCORES",
}

func TestDamagedPayloadsAsRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t, "--sanitize-dump-payload", "yes", "--hash-max-listpack-entries", "4", "--zset-max-listpack-entries", "4")
	redis.Ask(words("HELLO 3"))
	values := [][]byte{}
	for _, source := range sources {
		replies := redis.Ask(words("DEL k", source, "DUMP k"))
		payload, _, _ := resp.Decode(replies[2])
		values = append(values, []byte(payload.Str()[:len(payload.Str())-10]))
	}
	for _, value := range older {
		values = append(values, []byte(value))
		if got := string(redis.Ask([][][]byte{restoring(sealed([]byte(value)))})[0]); got != "+OK\r\n" {
			t.Errorf("%q is restored by redis-server with %q", value, got)
		}
	}
	w := shardtest.New(t, 2, everyFamily...)
	w.Settings.HashPackedEntries, w.Settings.SortedSetPackedEntries = 4, 4
	rng := rand.New(rand.NewPCG(*seedFlag, 1))
	t.Logf("-seed %d", *seedFlag)
	outcomes := map[string]int{}
	for range 200 * *trialsFlag {
		value := damaged(rng, values[rng.IntN(len(values))])
		outcomes[restoreBoth(t, redis, w, sealed(value))]++
		if t.Failed() {
			break
		}
	}
	t.Log(outcomes)
	if outcomes["both refuse"] < 1000 || outcomes["both take it"] < 1000 {
		t.Error("the comparison says little")
	}
}

func restoring(payload []byte) [][]byte {
	return [][]byte{[]byte("RESTORE"), []byte("k"), []byte("0"), payload, []byte("REPLACE")}
}

// restoreBoth restores a payload here and there, and says how it went.
func restoreBoth(t *testing.T, redis *shardtest.Redis, w *shardtest.World, payload []byte) (outcome string) {
	t.Helper()
	there := string(redis.Ask([][][]byte{restoring(payload)})[0])
	here := string(w.Exchange(restoring(payload), resp.V3))
	switch {
	case here == there && here != "+OK\r\n":
		return "both refuse"
	case there == "+OK\r\n" && here != there:
		return "redis-server takes it: form " + strconv.Itoa(int(payload[0]))
	case here != there:
		t.Errorf("%q: here %q, there %q", payload, here, there)
		return "differs"
	}
	typ := w.Do("TYPE k")[1:]
	ours := w.Do(readers[typ])
	theirs, _, _ := resp.Decode(redis.Ask(words(readers[typ]))[0])
	if sortedBytes(ours) != sortedBytes(resp.Format(theirs)) {
		t.Errorf("%q: here it is %s, there %s", payload, ours, resp.Format(theirs))
	}
	return "both take it"
}

// sortedBytes is a text with its bytes in order: good enough to compare what
// comes in any order.
func sortedBytes(text string) string {
	b := []byte(text)
	slices.Sort(b)
	return string(b)
}
