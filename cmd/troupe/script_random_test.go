package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/redistest"
)

// Scripts drawn by chance, and what redis-server makes of them.

// drawValue is an expression of Lua. Tables with names have one, since the order
// of several is nobody's promise.
func drawValue(rng *rand.Rand, depth int) string {
	n := rng.IntN(14)
	if depth > 3 && n >= 10 {
		n -= 10
	}
	switch n {
	case 0:
		return strconv.Itoa(rng.IntN(1000) - 500)
	case 1:
		return strconv.FormatFloat(rng.NormFloat64()*1e6, 'g', -1, 64)
	case 2:
		return fmt.Sprintf("2^%d", rng.IntN(70))
	case 3:
		return fmt.Sprintf("-2^%d+%d", rng.IntN(62), rng.IntN(3))
	case 4:
		return strconv.FormatFloat(rng.ExpFloat64()*1e-7, 'g', -1, 64)
	case 5, 6:
		var b strings.Builder
		for range rng.IntN(40) {
			fmt.Fprintf(&b, "\\%03d", rng.IntN(256))
		}
		return `"` + b.String() + `"`
	case 7:
		return "true"
	case 8:
		return "false"
	case 9:
		return `"` + strings.Repeat("x", rng.IntN(400)) + `"`
	case 10:
		return fmt.Sprintf("{[%d]=%s}", rng.IntN(14)-1, drawValue(rng, depth+1))
	case 11:
		return fmt.Sprintf("{a%d=%s}", rng.IntN(5), drawValue(rng, depth+1))
	}
	var items []string
	for range rng.IntN(18) {
		items = append(items, drawValue(rng, depth+1))
	}
	return "{" + strings.Join(items, ", ") + "}"
}

// drawRandomScript is a script about a value.
func drawRandomScript(rng *rand.Rand) string {
	value := drawValue(rng, 0)
	integer := func() string { return strconv.FormatInt(int64(rng.Uint64())>>rng.IntN(63), 10) }
	switch rng.IntN(11) {
	case 0:
		return "return " + value
	case 1:
		return "redis.setresp(3) return " + value
	case 2:
		return "return cjson.encode(" + value + ")"
	case 3:
		return "return cjson.decode(cjson.encode({" + value + "}))"
	case 4:
		return "return cmsgpack.pack(" + value + ")"
	case 5:
		return "return {cmsgpack.unpack(cmsgpack.pack(" + value + "))}"
	case 6:
		name := []string{"band", "bor", "bxor", "lshift", "rshift", "arshift", "rol", "ror", "tohex"}[rng.IntN(9)]
		return fmt.Sprintf("return bit.%s(%s, %s)", name, integer(), integer())
	case 7:
		layout := ""
		for range 1 + rng.IntN(5) {
			layout += []string{"b", "B", "h", "H", "l", "i3", "I5", "i", "I", "x", ">", "<", "!4", "!", " "}[rng.IntN(15)]
		}
		args := strings.Repeat(", "+strconv.Itoa(rng.IntN(1<<30)-1<<29), 5)
		return fmt.Sprintf("local s = struct.pack(%q%s) return {s, struct.size(%q), struct.unpack(%q, s)}", layout, args, layout, layout)
	case 8:
		return "return redis.call('ECHO', " + []string{integer(), strconv.FormatFloat(rng.NormFloat64(), 'g', -1, 64)}[rng.IntN(2)] + ")"
	case 9:
		return "return tostring(" + strconv.FormatFloat(rng.NormFloat64()*1e13, 'g', -1, 64) + ") .. " + integer()
	}
	verb := []string{"%d", "%5.1f", "%g", "%x", "%e", "%s", "%08.3f", "%+d"}[rng.IntN(8)]
	return fmt.Sprintf("return string.format(%q, %s)", verb, strconv.Itoa(rng.IntN(1<<40)-1<<39))
}

func TestScriptsRandom(t *testing.T) {
	t.Parallel()
	rng := rand.New(rand.NewPCG(drawSeed(t), 0))
	redis := &client{tb: t, conn: redistest.Start(t).Dial()}
	ours := startServer(t, shape{shards: 2}).client()
	for _, proto := range []string{"2", "3"} {
		redis.ask("HELLO", proto)
		ours.ask("HELLO", proto)
		for range 1500 {
			source := drawRandomScript(rng)
			want, got := redis.ask("EVAL", source, "0"), ours.ask("EVAL", source, "0")
			if got != want {
				t.Fatalf("RESP%s: %s\nis answered\n%s\nwant\n%s", proto, source, got, want)
			}
		}
	}
}

// The payloads of libraries are the same for both servers.
func TestFunctionPayloads(t *testing.T) {
	t.Parallel()
	redis := &client{tb: t, conn: redistest.Start(t).Dial()}
	ours := startServer(t, shape{shards: 2}).client()
	long := strings.Repeat("-- a library that is worth compressing\n", 50)
	for i := range 3 {
		code := fmt.Sprintf("#!lua name=lib%d\n%sredis.register_function('f%d', function() return %d end)", i, long, i, i)
		ours.want(strconv.Quote(fmt.Sprintf("lib%d", i)), "FUNCTION", "LOAD", code)
	}
	carry := func(from, to *client) {
		t.Helper()
		from.send(request("FUNCTION", "DUMP"))
		payload, err := from.next()
		if err != nil {
			t.Fatal(err)
		}
		dumped := payload.Str()
		to.want("+OK", "FUNCTION", "RESTORE", dumped)
		if got := to.ask("FUNCTION", "RESTORE", dumped); !strings.HasPrefix(got, "-ERR Library lib") {
			t.Errorf("a payload of what is there is answered %s", got)
		}
		to.want("+OK", "FUNCTION", "RESTORE", dumped, "REPLACE")
		to.want("+OK", "FUNCTION", "RESTORE", dumped, "FLUSH")
		to.want(":2", "FCALL", "f2", "0")
	}
	carry(ours, redis)
	ours.want("+OK", "FUNCTION", "FLUSH")
	carry(redis, ours)
}
