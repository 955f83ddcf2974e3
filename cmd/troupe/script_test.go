package main

import (
	"crypto/sha1"
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// Scripts are seen whole or not at all, whichever keys they use.

// scriptOf is a script that runs the command drawn, by keys that it was given or
// by ones that it was not.
const scriptOf = "return redis.call(unpack(ARGV))"

func TestScriptsLinearizable(t *testing.T) {
	t.Parallel()
	checkLinear(t, drawScript, runScript)
}

// drawScript draws a command within a script that has only some of its keys
// declared. Half of the scripts are new, and so learn with their first run which
// shards they need.
func drawScript(rng *rand.Rand, group int, mark string) []string {
	argv := drawCommand(rng, group, mark)
	if rng.IntN(3) == 0 {
		return argv
	}
	source := scriptOf
	if rng.IntN(2) == 0 {
		source += " -- " + strconv.Itoa(rng.IntN(8))
	}
	if rng.IntN(2) == 0 { // one that has written before it strays
		source = "redis.call('SET', KEYS[1], redis.call('GET', KEYS[1]) or '') " + source
		return append([]string{"EVAL", source, "1", drawKey(rng, group)}, argv...)
	}
	return append([]string{"EVAL", source, "1", argv[1]}, argv...)
}

// runScript does what the server should.
func runScript(d linearState, argv []string) resp.Reply {
	if argv[0] != "EVAL" {
		return d.run(argv)
	}
	if strings.HasPrefix(argv[1], "redis.call('SET'") {
		d[argv[3]] += ""
	}
	reply := d.run(argv[4:])
	if reply.IsError() {
		return resp.Error(reply.Str() + " script: " + shaOf(argv[1]) + ", on @user_script:1.")
	}
	return reply
}

func shaOf(source string) string { return fmt.Sprintf("%x", sha1.Sum([]byte(source))) }

// TestScriptsUndone compares servers of several shards with one of a single
// shard: there is no difference in the end, though scripts stray at any moment.
func TestScriptsUndone(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	one := startServer(t, shape{shards: 1}).client()
	for _, shards := range []int{2, 16} {
		rng := rand.New(rand.NewPCG(seed, uint64(shards)))
		many := startServer(t, shape{shards: shards}).client()
		one.want("+OK", "FLUSHALL")
		one.want("+OK", "SCRIPT", "FLUSH")
		for i := range 1500 {
			argv := strayingScript(rng)
			if want, got := one.ask(argv...), many.ask(argv...); got != want {
				t.Fatalf("%d shards, step %d: %q is answered %s, want %s", shards, i, argv, got, want)
			}
		}
		if want, got := one.ask("DEBUG", "DIGEST"), many.ask("DEBUG", "DIGEST"); got != want {
			t.Errorf("%d shards: the keys differ in the end", shards)
		}
	}
}

// strayingScript runs the commands among its arguments one after the other, and
// then does nothing as often as its first one says; its first keys are declared.
func strayingScript(rng *rand.Rand) []string {
	source := fmt.Sprintf("local r, i = {}, 2 while i <= #ARGV do local n = tonumber(ARGV[i]) r[#r + 1] = redis.pcall(unpack(ARGV, i + 1, i + n)) i = i + n + 1 end for i = 1, ARGV[1] do end return r -- %d", rng.IntN(6))
	key := func() string { return "k" + strconv.Itoa(rng.IntN(12)) }
	declared := rng.IntN(3)
	argv := []string{"EVAL", source, strconv.Itoa(declared)}
	var mine []string
	for range declared {
		mine = append(mine, key())
	}
	idle := "0"
	if rng.IntN(30) == 0 {
		idle = "20000" // more than an event loop waits for
	}
	argv = append(append(argv, mine...), idle)
	for range 1 + rng.IntN(5) {
		use := key()
		if declared > 0 && rng.IntN(4) > 0 {
			use = mine[rng.IntN(declared)]
		}
		words := drawWrite(rng, use)
		argv = append(append(argv, strconv.Itoa(len(words))), words...)
	}
	return argv
}

func drawWrite(rng *rand.Rand, key string) []string {
	few := strconv.Itoa(rng.IntN(20))
	switch rng.IntN(12) {
	case 0:
		return []string{"SET", key, few}
	case 1:
		return []string{"APPEND", key, strings.Repeat("x", rng.IntN(200))}
	case 2:
		return []string{"HSET", key, few, strings.Repeat(few, rng.IntN(60))}
	case 3:
		return []string{"RPUSH", key, few, few}
	case 4:
		return []string{"SADD", key, few}
	case 5:
		return []string{"ZADD", key, few, few}
	case 6:
		return []string{"DEL", key}
	case 7:
		return []string{"PEXPIREAT", key, "99999999999999"}
	case 8:
		return []string{"INCR", key}
	case 9:
		return []string{"RENAME", key, "k" + few}
	case 10:
		return []string{"COPY", key, "k" + few}
	}
	return []string{"TYPE", key}
}

// A script that never ends is noticed, and ended, from any link.
func TestScriptBusy(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "busy-reply-threshold", Words: []string{"50"}})
		one, other := s.client(), s.client()
		one.send(request("EVAL", "while true do pcall(function() while true do end end) end", "0"))
		eventually(t, "the script is busy", func() bool { return s.Server.Condition().Busy.Kind() != resp.None })
		other.want("-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", "GET", "k")
		other.want("-BUSY Redis is busy running a script. You can only call SCRIPT KILL or SHUTDOWN NOSAVE.", "FUNCTION", "KILL")
		other.want("+OK", "SCRIPT", "KILL")
		if got := one.receive(); !strings.HasPrefix(got, "-ERR Script killed by user with SCRIPT KILL...") {
			t.Errorf("the script is answered %s", got)
		}
		other.want("_", "GET", "k")
		one.send(request("EVAL", "redis.call('SET', 'k', 'v') while true do end", "1", "k"))
		eventually(t, "the script is busy", func() bool { return s.Server.Condition().Busy.Kind() != resp.None })
		if got := other.ask("SCRIPT", "KILL"); !strings.HasPrefix(got, "-UNKILLABLE") {
			t.Errorf("SCRIPT KILL is answered %s", got)
		}
		if !s.Drain(patience) {
			t.Error("the server does not stop")
		}
	})
}

// What scripts do to the server does not harm it.
func TestScriptAbuse(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2})
	c := s.client()
	f := func(source, want string) {
		t.Helper()
		begin := time.Now()
		if got := c.ask("EVAL", source, "0"); !strings.Contains(got, want) {
			t.Errorf("%s is answered %.300s, want %s", source, got, want)
		}
		t.Logf("%v: %s", time.Since(begin), source)
		c.want("+PONG", "PING")
	}
	f("local s = 'x' while true do s = s .. s end", "not enough memory")
	f("return string.rep('x', 1e10)", "not enough memory")
	f("local s = string.rep('x', 1e6) return string.gsub(s, 'x', s)", "not enough memory")
	f("local t = {} for i = 1, 1e9 do t[i] = {i} end", "not enough memory")
	f("local t = {} for i = 1, 100 do t[i] = {} t[i][4000000] = 1 end", "not enough memory")
	f("local t = {} while true do pcall(function() t[#t + 1] = string.rep('x', 1e6) .. #t end) end", "not enough memory")
	f("local t = {} for i = 1, 1e7 do t[i] = coroutine.create(function() end) end", "not enough memory")
	f("local function f() return 1 + f() end return f()", "stack overflow")
	f("local t = {} for i = 1, 1e6 do t[i] = i end return {unpack(t)}", "too many results to unpack")
	f("local t = {} t[1] = t return t", "reached lua stack limit")
	f("local t = {} t[1] = t return cjson.encode(t)", "excessive nesting")
	f("local t = {} t[1] = t return #cmsgpack.pack(t)", ":")
	f("return cmsgpack.unpack(string.rep('\\145', 1e6))", "-ERR")
	f("return dofile('/etc/passwd')", "nonexistent global variable 'dofile'")
	f("return os.execute('x')", "nonexistent global variable 'os'")
	f("return redis.error_reply('x\\r\\n+OK')", "-ERR x  +OK")
	f("return redis.status_reply('x\\r\\n+OK')", "+x  +OK")
	f("return {err = 'x\\r\\n+OK'}", "-x  +OK")
	f("return {big_number = '1\\r\\n+OK'}", "\"1  +OK\"")
}
