package resp

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// Each type that redis-server can show is decoded, and encoded to the bytes
// that it sent, in both protocols.
func TestEncodeAsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	types := []string{"string", "integer", "double", "null", "array", "set", "map", "bignum", "true", "false", "verbatim"}
	for _, e := range []Encoder{V2, V3} {
		for _, name := range types {
			sent := redis.Exchange([]byte("HELLO " + strconv.Itoa(e.Proto()) + "\r\nDEBUG PROTOCOL " + name + "\r\n"))
			_, n, err := Decode(sent)
			if err != nil {
				t.Fatal(err)
			}
			sent = sent[n:]
			r, n, err := Decode(sent)
			if err != nil || n != len(sent) || r.IsError() {
				t.Errorf("%q was decoded as %s, %d, %v", sent, Format(r), n, err)
			}
			// RESP2 has the number of a truth, the text of a double and so on,
			// so its reply is of another kind, but of the same bytes.
			if got := string(e.Append(nil, r)); got != string(sent) {
				t.Errorf("%s in RESP%d is %q, from Redis %q", name, e.Proto(), got, sent)
			}
		}
	}
}

// Random doubles are written as redis-server writes them.
func TestFormatDoubleAsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 3))
	const script = "redis.setresp(3) local r = {} for i, v in ipairs(ARGV) do r[i] = {double=tonumber(v)} end return r"
	var numbers []float64
	words := []string{"EVAL", script, "0"}
	for range 3000 {
		f := math.Float64frombits(rng.Uint64())
		switch rng.IntN(4) {
		case 0:
			f = float64(rng.Int64N(1<<60) >> rng.IntN(60))
		case 1:
			f = float64(rng.Int64N(1<<40)) / math.Pow(10, float64(rng.IntN(12)))
		case 2:
			f = math.Pow(10, float64(rng.IntN(40)-20))
		}
		if !math.IsNaN(f) {
			numbers = append(numbers, f)
			words = append(words, string(FormatDouble(nil, f)))
		}
	}
	request := append([]byte("HELLO 3\r\n"), V2.Append(nil, Strings(words...))...)
	sent := redis.Exchange(request)
	_, n, err := Decode(sent)
	if err != nil {
		t.Fatal(err)
	}
	want := make([]Reply, len(numbers))
	for i, f := range numbers {
		want[i] = Double(f)
	}
	if got := V3.Append(nil, Array(want...)); string(got) != string(sent[n:]) {
		at := 0
		for at < len(got) && at < len(sent)-n && got[at] == sent[n+at] {
			at++
		}
		t.Errorf("at %d: %.60q, from Redis %.60q", at, got[max(0, at-20):], sent[n+max(0, at-20):])
	}
}
