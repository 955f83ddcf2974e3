package script

import (
	"testing"
	"time"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/str"
	"github.com/troupedb/troupe/resp"
)

// stage is a shard, with scripts that run where an event loop may wait.
type stage struct {
	*testing.T
	*Engine
	shard    *keyspace.Shard
	settings *keyspace.Settings
}

func newStage(t *testing.T) *stage {
	settings := keyspace.DefaultSettings()
	settings.Kinds[str.Kind.Type] = &str.Kind
	settings.Events = true
	e := newTestEngine()
	e.patience = time.Hour
	return &stage{t, e, keyspace.NewShard(0, 2, 1), settings}
}

// ask runs an EVAL, and again on a worker if it is given up there; it tells what
// was answered, and whether it was given up.
func (s *stage) ask(words ...string) (reply string, givenUp bool) {
	x := &keyspace.Execute{Encoder: resp.V2, OutMax: 1 << 20, Requests: []keyspace.Request{{Spec: s.catalogue.Named("EVAL").Data}}}
	for _, word := range words {
		x.Requests[0].Argv = append(x.Requests[0].Argv, []byte(word))
	}
	turn := keyspace.Turn{Now: 1, Settings: s.settings, Nanos: func() int64 { return 0 }, Versions: func(int) uint64 { return 0 }}
	for x.Ran == 0 {
		tx := keyspace.Begin(&turn, []*keyspace.Shard{s.shard}, 1)
		tx.Run(&turn, x)
		if x.Ran == 0 && (!x.Heavy || givenUp || len(x.Out) > 0 || len(tx.Events()) > 0) {
			s.Fatalf("%q was given up, on a worker %t, answered %q, with events %v", words, givenUp, x.Out, tx.Events())
		}
		tx.End(&turn)
		givenUp = givenUp || x.Ran == 0
	}
	return string(x.Out), givenUp
}

// trusts makes a script one that has been quick.
func (s *stage) trusts(source string) *body {
	b, mistake := s.learn([]byte(source), true)
	if mistake.IsError() {
		s.Fatal(mistake.Str())
	}
	b.reach.trust.runs.Store(quickRuns)
	return b
}

// A new script goes to a worker; one that was quick there several times does not.
func TestTrust(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	const source = "return redis.call('INCR', KEYS[1])"
	for i := range quickRuns {
		if _, givenUp := s.ask("EVAL", source, "1", "k"); !givenUp {
			t.Errorf("run %d was not on a worker", i)
		}
		s.trusts(source).reach.trust.runs.Store(int32(i) + 1) // whatever time that took
	}
	if reply, givenUp := s.ask("EVAL", source, "1", "k"); givenUp || reply != ":4\r\n" {
		t.Errorf("a quick one is answered %q, given up: %t", reply, givenUp)
	}
}

// A script that comes to be long, or that can't be undone, is undone and runs on
// a worker, as if it had done so at once.
func TestGivenUp(t *testing.T) {
	t.Parallel()
	f := func(source, want string) {
		t.Helper()
		s := newStage(t)
		s.ask("EVAL", "redis.call('SET', 'k', '5') redis.call('SET', 'long', string.rep('a', 70000))", "0")
		b := s.trusts(source)
		if reply, givenUp := s.ask("EVAL", source, "1", "k", "1"); reply != want || !givenUp {
			t.Errorf("%s is answered %q, want %q; given up: %t", source, reply, want, givenUp)
		}
		if b.reach.isQuick() {
			t.Errorf("%s is still taken for quick", source)
		}
	}
	f("local n = redis.call('INCR', KEYS[1]) for i = 1, 20000 do end return n", ":6\r\n")
	f("local n = redis.call('INCR', KEYS[1]) pcall(function() for i = 1, 20000 do end end) return n", ":6\r\n")
	f("local n = redis.call('INCR', KEYS[1]) for i = 1, 2000 do redis.call('GET', KEYS[1]) end return n", ":6\r\n")
	f("local n = redis.call('INCR', KEYS[1]) coroutine.wrap(function() for i = 1, 20000 do end end)() return n", ":6\r\n")
	f("redis.call('INCR', KEYS[1]) return string.rep('a', 2000):find('a-b') or 1", ":1\r\n")
	f("redis.call('INCR', KEYS[1]) return #string.rep('ab', 5000000)", ":10000000\r\n")
	f("redis.call('INCR', KEYS[1]) return #cjson.decode('[' .. string.rep('1,', 50000) .. '1]')", ":50001\r\n")
	f("redis.call('INCR', KEYS[1]) return loadstring('return 1' .. string.rep(' ', 5000))()", ":1\r\n")
	f("redis.call('INCR', KEYS[1]) redis.call('APPEND', 'long', 'b') return redis.call('STRLEN', 'long')", ":70001\r\n")
	f("redis.call('INCR', KEYS[1]) redis.log(redis.LOG_NOTICE, 'x') return redis.call('GET', KEYS[1])", "$1\r\n6\r\n")
	f("for i = 1, 300 do redis.call('SET', 'k' .. i, i) end return redis.call('GET', KEYS[1])", "$1\r\n5\r\n")
	f("redis.call('INCR', KEYS[1]) local t = {} for i = 1, 400 do t[i] = -i end for i = 1, 9 do table.sort(t) end return t[1]", ":-400\r\n")
}

// What is short stays where it is.
func TestNotGivenUp(t *testing.T) {
	t.Parallel()
	s := newStage(t)
	f := func(source, want string) {
		t.Helper()
		s.trusts(source)
		if reply, givenUp := s.ask("EVAL", source, "2", "k", "{k}2", "one:2", "three"); reply != want || givenUp {
			t.Errorf("%s is answered %q, want %q; given up: %t", source, reply, want, givenUp)
		}
	}
	f("return redis.call('INCR', KEYS[1])", ":1\r\n")
	f("for i = 1, 50 do redis.call('INCR', KEYS[1]) end return redis.call('GET', KEYS[1])", "$2\r\n51\r\n")
	f("local a, b = string.match(ARGV[1], '^(%a+):(%d+)$') return {a, b, #ARGV}", "*3\r\n$3\r\none\r\n$1\r\n2\r\n:2\r\n")
	f("local t = {} for w in string.gmatch('a,b,c', '[^,]+') do t[#t + 1] = w end return table.concat(t)", "$3\r\nabc\r\n")
	f("return cjson.encode(cjson.decode('{\"a\":[1,2,3]}'))", "$13\r\n{\"a\":[1,2,3]}\r\n")
	f("return redis.call('NONSENSE')", "-ERR Unknown Redis command called from script script: "+shaOf([]byte("return redis.call('NONSENSE')"))+", on @user_script:1.\r\n")
}

func TestPatternSteps(t *testing.T) {
	t.Parallel()
	f := func(size int, pattern string, want int) {
		t.Helper()
		if got := patternSteps(size, pattern); got != want {
			t.Errorf("%q in %d bytes: %d steps, want %d", pattern, size, got, want)
		}
	}
	f(800, "abcdefgh", 101)
	f(800, "[^,]+", 200)
	f(10, "^(%a+):(%d+)$", 13*10*10/8)
	f(4000, "a*b", 4003*4000/8)
	f(1<<20, ".-.-.-.-x", (1<<20+9)<<20/8) // and no need to count on
}
