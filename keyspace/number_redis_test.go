package keyspace_test

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// Random sums are what redis-server's INCRBYFLOAT says, errors included.
func TestLongDoubleAsRedis(t *testing.T) {
	t.Parallel()
	redis := shardtest.DialRedis(t)
	seed, _ := strconv.ParseUint(flag.Lookup("seed").Value.String(), 10, 64)
	t.Logf("-seed %d", seed)
	rng := rand.New(rand.NewPCG(seed, 2))
	var ask [][][]byte
	for range 5000 {
		a, b := randomNotation(rng), randomNotation(rng)
		ask = append(ask, [][]byte{[]byte("SET"), []byte("k"), []byte(a)}, [][]byte{[]byte("INCRBYFLOAT"), []byte("k"), []byte(b)})
	}
	replies := redis.Ask(ask)
	for i := 0; i < len(ask); i += 2 {
		a, b := ask[i][2], ask[i+1][2]
		want, _, err := resp.Decode(replies[i+1])
		if err != nil {
			t.Fatal(err)
		}
		if got := sumText(a, b); got != want.Str() {
			t.Errorf("%q + %q = %s, from Redis %s", a, b, got, want.Str())
		}
	}
}

// sumText is the answer of INCRBYFLOAT.
func sumText(a, b []byte) string {
	x, ok1 := keyspace.ParseLongDouble(a)
	y, ok2 := keyspace.ParseLongDouble(b)
	if !ok1 || !ok2 {
		return resp.ErrNotFloat.Str()
	}
	sum := x.Add(y)
	if !sum.Finite() {
		return resp.ErrNaN.Str()
	}
	return string(sum.Append(nil))
}

// randomNotation is a number, or something like one.
func randomNotation(rng *rand.Rand) string {
	switch rng.IntN(16) {
	case 0: // down to nothing
		return fmt.Sprintf("%de%d", rng.IntN(1000), rng.IntN(60)-4970)
	case 1: // up to infinity
		return fmt.Sprintf("%de%d", rng.IntN(1000), rng.IntN(12)+4924)
	case 2:
		return fmt.Sprintf("0x%x.%xp%d", rng.Uint64()>>rng.IntN(64), rng.Uint64(), rng.IntN(200)-100)
	case 3:
		return fmt.Sprintf("0x%x%x%xp%d", rng.Uint64(), rng.Uint64(), rng.Uint64(), rng.IntN(33200)-16600)
	case 4:
		b := []byte(keyspace.RandomNumber(rng))
		b[rng.IntN(len(b))] = "0123456789.eE+-xXpP iInNfF\x00"[rng.IntN(27)]
		return string(b)
	case 5:
		return []string{"inf", "-inf", "nan", "infinity", "", "+inf", "0x", "0x.p1", "-0", "1e", "0e99999999999999999999"}[rng.IntN(11)]
	}
	return keyspace.RandomNumber(rng)
}
