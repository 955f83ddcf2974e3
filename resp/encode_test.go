package resp

import (
	"math"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/tidwall/redcon"
)

func TestEncode(t *testing.T) {
	t.Parallel()
	f := func(r Reply, v2, v3 string) {
		t.Helper()
		if got := string(V2.Append(nil, r)); got != v2 {
			t.Errorf("RESP2: %q, want %q", got, v2)
		}
		if got := string(V3.Append([]byte("x"), r)); got != "x"+v3 {
			t.Errorf("RESP3: %q, want %q", got, "x"+v3)
		}
	}
	same := func(r Reply, both string) { t.Helper(); f(r, both, both) }

	same(Nothing, "")
	same(OK, "+OK\r\n")
	same(ErrSyntax, "-ERR syntax error\r\n")
	same(Empty, "$0\r\n\r\n")
	same(Bulk([]byte("a\r\n\x00b")), "$5\r\na\r\n\x00b\r\n")
	for _, n := range []int64{0, 9, 10, 99, 100, 999, 1000, 12345, -1, -10, math.MaxInt64, math.MinInt64} {
		same(Int(n), ":"+strconv.FormatInt(n, 10)+"\r\n")
	}
	f(Nil, "$-1\r\n", "_\r\n")
	f(NilArray, "*-1\r\n", "_\r\n")
	f(Bool(true), ":1\r\n", "#t\r\n")
	f(Bool(false), ":0\r\n", "#f\r\n")
	f(Double(1.5), "$3\r\n1.5\r\n", ",1.5\r\n")
	f(Double(math.Inf(-1)), "$4\r\n-inf\r\n", ",-inf\r\n")
	f(Plain(13.36138933897018433), "$20\r\n13.36138933897018433\r\n", ",13.36138933897018433\r\n")
	f(Plain(180), "$3\r\n180\r\n", ",180\r\n")
	f(Big("123456789012345678901"), "$21\r\n123456789012345678901\r\n", "(123456789012345678901\r\n")
	f(VerbatimText("txt", "hello"), "$5\r\nhello\r\n", "=9\r\ntxt:hello\r\n")
	same(EmptyList, "*0\r\n")
	same(Strings("a", "bc"), "*2\r\n$1\r\na\r\n$2\r\nbc\r\n")
	f(Set(One), "*1\r\n:1\r\n", "~1\r\n:1\r\n")
	f(Map(BulkString("k"), Bool(true)), "*2\r\n$1\r\nk\r\n:1\r\n", "%1\r\n$1\r\nk\r\n#t\r\n")
	f(Twos(Zero, One, Zero, Nil), "*4\r\n:0\r\n:1\r\n:0\r\n$-1\r\n", "*2\r\n*2\r\n:0\r\n:1\r\n*2\r\n:0\r\n_\r\n")
	same(Twos(), "*0\r\n")
	f(Push(BulkString("m"), Array(Nil)), "*2\r\n$1\r\nm\r\n*1\r\n$-1\r\n", ">2\r\n$1\r\nm\r\n*1\r\n_\r\n")
}

// TestPlain compares both ways of writing a Plain, the second of which is
// strconv's.
func TestPlain(t *testing.T) {
	t.Parallel()
	f := func(number float64) {
		t.Helper()
		got, want := string(formatPlain([]byte("100"), number)), string(formatAnyPlain([]byte("100"), number))
		if got != want {
			t.Errorf("%v is written %s, want %s", number, got, want)
		}
		r, _, err := Decode(V3.Append(nil, Plain(number)))
		if err != nil || string(V3.Append(nil, r)) != string(V3.Append(nil, Plain(number))) {
			t.Errorf("%v is read as %v, %v", number, r, err)
		}
	}
	for _, number := range []float64{0, 1, -1, 10, 100, 0.5, 0.1, 1.0 / 3, 1e15, 1e16, 1e17, 1e300, 1e-5, 1e-20, math.Inf(1), math.NaN(),
		plainLeast, 3 * plainLeast, 1 + 1.0/(1<<52), 85.05112878, 0.99999999999999999, 1 << 53, 1<<53 - 0.5, math.Copysign(0, -1)} {
		f(number)
		f(-number)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		f((rng.Float64() - 0.5) * math.Pow(10, float64(rng.IntN(20)-4)))
		f(float64(rng.Int64()>>rng.IntN(64)) / float64(uint64(1)<<rng.IntN(64)))
	}
}

func TestEncodeLengths(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 9, 10, 11, 99, 100, 101, 999, 1000, 1001, 70000} {
		text := string(make([]byte, n))
		want := string(redcon.AppendBulkString(nil, text))
		if got := string(V2.Append(nil, BulkString(text))); got != want {
			t.Errorf("a bulk of %d bytes begins %q", n, got[:8])
		}
	}
}

// The right-hand column was printed by redis-server 7.0.15: ZADD and ZSCORE,
// and the negative zero and nan by EVAL "redis.setresp(3) return {double=…}".
func TestFormatDouble(t *testing.T) {
	t.Parallel()
	f := func(in float64, want string) {
		t.Helper()
		if got := string(FormatDouble(nil, in)); got != want {
			t.Errorf("%v is written %q, want %q", in, got, want)
		}
	}
	tenth, fifth := 0.1, 0.2
	f(0, "0")
	f(math.Copysign(0, -1), "-0")
	f(1, "1")
	f(-1, "-1")
	f(1.5, "1.5")
	f(3.3, "3.2999999999999998")
	f(-3.3, "-3.2999999999999998")
	f(4.35, "4.3499999999999996")
	f(0.1, "0.10000000000000001")
	f(tenth+fifth, "0.30000000000000004")
	f(0.0001, "0.0001")
	f(0.00001, "1.0000000000000001e-05")
	f(1e-10, "1e-10")
	f(12345.678, "12345.678")
	f(100000, "100000")
	f(999999999999999, "999999999999999")
	f(1e15, "1000000000000000")
	f(9007199254740993, "9007199254740992")
	f(1e16, "10000000000000000")
	f(1e17, "1e+17")
	f(-1e17, "-1e+17")
	f(123456789012345678, "1.2345678901234568e+17")
	f(9223372036854775807, "9.2233720368547758e+18")
	f(1e20, "1e+20")
	f(1e21, "1e+21")
	f(1e300, "1.0000000000000001e+300")
	f(math.MaxFloat64, "1.7976931348623157e+308")
	f(2.2250738585072014e-308, "2.2250738585072014e-308")
	f(5e-324, "4.9406564584124654e-324")
	f(math.Inf(1), "inf")
	f(math.Inf(-1), "-inf")
	f(math.NaN(), "nan")
}

func TestEncodeAllocatesNothing(t *testing.T) {
	dst := make([]byte, 0, 1024)
	reply := Map(BulkString("k"), Array(Double(3.3), Int(123456), Nil, VerbatimText("txt", "v"), Big("1")))
	for _, e := range []Encoder{V2, V3} {
		if n := testing.AllocsPerRun(100, func() { dst = e.Append(dst[:0], reply) }); n != 0 {
			t.Errorf("RESP%d: %v allocations", e.Proto(), n)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	dst := make([]byte, 0, 1<<16)
	value := "0123456789abcdef"
	run := func(name string, r Reply) {
		b.Run(name, func(b *testing.B) {
			e := EncoderFor(2)
			for range b.N {
				dst = e.Append(dst[:0], r)
			}
		})
	}
	run("status", OK)
	run("null", Nil)
	run("number", Int(7))
	run("bignumber", Int(1234567))
	run("text16", BulkString(value))
	run("double", Double(3.3))
	direct := func(name string, encode func()) {
		b.Run(name, func(b *testing.B) {
			for range b.N {
				encode()
			}
		})
	}
	direct("AppendText", func() { dst = AppendText(dst[:0], value) })
	direct("redcon.AppendBulkString", func() { dst = redcon.AppendBulkString(dst[:0], value) })
	direct("AppendNumber", func() { dst = AppendNumber(dst[:0], 42) })
	direct("redcon.AppendInt", func() { dst = redcon.AppendInt(dst[:0], 42) })
}
