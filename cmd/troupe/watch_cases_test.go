package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// Cases that went wrong in other programs, as they were found there. Those that have
// a test elsewhere: W05 and W07 watch_test.go; W09 and W15 watch_promise_test.go; W13,
// over a restart, kill_test.go; W19 watch_history_test.go.

// W01: reads, and writes that fail, push nothing.
func TestOneWriteIsOnePush(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, by way) {
		s := startServer(t, shape{2, false})
		w, _ := s.watch(by, "GET", "k")
		c := s.client()
		c.want("+OK", "SET", "k", "v")
		c.want(`"v"`, "GET", "k")
		c.want("-"+resp.ErrWrongType.Str(), "LPUSH", "k", "x")
		w.wantFrame(`"v" 1`)
		c.want("+OK", "SET", "k", "w")
		w.wantFrame(`"w" 1`) // and none before it
	})
}

// W03: a key that is gone is a push, by a command or at its deadline with no access.
func TestGoneIsPushed(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, by way) {
		s := startServer(t, shape{2, false})
		c := s.client()
		c.want("+OK", "SET", "k", "1")
		w, _ := s.watch(by, "GET", "k")
		c.want(":1", "DEL", "k")
		w.wantFrame("_ 1")
		c.want("+OK", "SET", "k", "2")
		w.wantFrame(`"2" 1`)
		c.want(":1", "PEXPIRE", "k", "50")
		w.wantFrame("_ 2")
	})
}

// W11: to go on from what is not known any more is a reset with the whole state, in
// which what was deleted meanwhile is missing; nothing is skipped in silence.
func TestTooOldIsSaid(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "watch-history-entries", Words: []string{"3"}})
		c := s.client()
		c.want(":3", "HSET", "h", "a", "1", "b", "2", "c", "3")
		f := func(linger string, options ...string) {
			t.Helper()
			c.want("+OK", "CONFIG", "SET", "watch-linger", linger)
			c.ask("HSET", "h", "a", "1", "b", "2", "n", "0")
			ask := append(append([]string{"OBSERVE"}, options...), "HGETALL", "h")
			w := &watcher{client: s.client(), way: way{3, "observe"}}
			w.ask("HELLO", "3")
			w.send(request(ask...))
			first, err := w.frame()
			if err != nil {
				t.Fatal(err)
			}
			w.conn.Close()
			eventually(t, "the link is gone", func() bool { return s.Server.Connected() == 1 })
			c.want(":2", "HDEL", "h", "a", "b")
			for range 10 {
				c.ask("HINCRBY", "h", "n", "1")
			}
			w.client = s.client()
			w.ask("HELLO", "3")
			w.send(request(append([]string{"OBSERVE", "RESUME", first.token}, ask[1:]...)...))
			again := w.wantFrame(`%{"c": "3", "n": "10"} ` + map[string]string{"0": "0", "600000": "11"}[linger])
			wanted := "reset"
			if linger != "0" && len(options) == 0 {
				wanted = "state" // it is known what lies between
			}
			if again.kind != wanted || again.version <= first.version {
				t.Errorf("linger %s, %q: %s at version %d after %d", linger, options, again.kind, again.version, first.version)
			}
			c.want("+OK", "SET", "other", "v")
			c.ask("DEL", "h")
			w.wantFrame("%{} 1")
			c.want(":1", "HSET", "h", "c", "3")
			w.wantFrame(`%{"c": "3"} 1`)
			w.conn.Close()
			eventually(t, "the link is gone", func() bool { return s.Server.Connected() == 1 })
		}
		f("0")
		f("0", "EVERY")
		f("0", "DELTA")
		f("600000")
		f("600000", "EVERY")
		c.want("+OK", "CONFIG", "SET", "watch-linger", "0")
	})
}

// W15, with a quiet period: the last of a burst still comes, when that is over.
func TestBurstWithARate(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	w := &watcher{client: s.client(), way: way{3, "observe"}}
	w.ask("HELLO", "3")
	w.send(request("OBSERVE", "MAXRATE", "100", "GET", "k"))
	w.wantFrame("_ 0")
	var all []byte
	for i := range 1000 {
		all = append(all, request("SET", "k", strconv.Itoa(i))...)
	}
	s.client().send(all)
	for covered := int64(0); covered < 1000; {
		f, err := w.frame()
		if err != nil {
			t.Fatal(err)
		}
		if covered += f.covered; covered == 1000 && f.value != `"999"` || covered > 1000 {
			t.Errorf("%d writes are told, the last of which is %s", covered, f.value)
		}
	}
}

// W17: who loses the right to a key is told the end, whatever he watches it by, and no
// more of the data.
func TestLostRightEndsTheWatch(t *testing.T) {
	t.Parallel()
	eachWay(t, func(t *testing.T, by way) {
		s := startServer(t, shape{2, false})
		c := s.client()
		f := func(loss, back string) {
			t.Helper()
			c.want("+OK", "ACL", "SETUSER", "default", "~*", "&*", "+@all")
			c.want("+OK", "ACL", "SETUSER", "u", "reset", "on", ">p", "~k", "&*", "+@all")
			w := &watcher{client: s.client(), way: by, query: []string{"GET", "k"}, server: s}
			w.ask("HELLO", strconv.Itoa(by.proto), "AUTH", "u", "p")
			switch by.verb {
			case "watch":
				w.send(request("GET.WATCH", "k"))
			case "observe":
				w.send(request("OBSERVE", "GET", "k"))
			default:
				w.ask("SUBSCRIBE", "__query__:GET k")
			}
			w.frame()
			c.want("+OK", "SET", "k", "seen "+loss)
			w.wantFrame(fmt.Sprintf(`"seen %s" 1`, loss))
			c.want("+OK", "ACL", "SETUSER", "u", loss)
			c.want("+OK", "SET", "k", "hidden")
			end, err := w.frame()
			if err == nil && (end.kind != "end" || !strings.Contains(end.value, "NOPERM")) {
				t.Errorf("%s: %+v", loss, end)
			}
			c.want("+OK", "ACL", "SETUSER", "u", back)
			c.want("+OK", "SET", "k", "hidden still")
			if by.verb == "channel" {
				w.ask("UNSUBSCRIBE")
			}
			if got := w.ask("PING"); got != "+PONG" {
				t.Errorf("%s: after the end it is told %s", loss, got)
			}
		}
		f("resetkeys", "~k")
		f("-get", "+get")
		f("-@read", "+@read")
		s.wantNoWatches()
	})
}

// Keys are evicted while writers write them, all of them again and again. Watchers of
// every state see each number that was written, or that the key is gone; those of the
// newest are left with what is there.
func TestHistoriesWithEviction(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	for _, shards := range []int{1, 16} {
		t.Run(strconv.Itoa(shards), func(t *testing.T) {
			t.Parallel()
			s := startServer(t, shape{shards, false}, config.Flag{Name: "maxmemory-policy", Words: []string{"allkeys-random"}})
			const keys, writes = 8, 150
			rng := rand.New(rand.NewPCG(seed, uint64(shards)))
			var listening, writing sync.WaitGroup
			gone := make([]int, 2*keys)
			var all []*watcher
			for i := range 2 * keys {
				verb := []string{"every", "watch"}[i%2]
				w, _ := s.watch(way{3, verb}, "GET", strconv.Itoa(i/2))
				all = append(all, w)
				listening.Go(func() { gone[i] = w.hearEvictions() })
			}
			for n := range keys {
				c := s.client()
				writing.Go(func() {
					for i := range writes { // it may be refused, when there is nothing left to evict
						c.ask("SET", strconv.Itoa(n), strconv.Itoa(i))
					}
				})
			}
			c := s.client()
			for range 60 {
				c.want("+OK", "CONFIG", "SET", "maxmemory", strconv.Itoa(rng.IntN(2)))
			}
			c.want("+OK", "CONFIG", "SET", "maxmemory", "1")
			c.want("+OK", "CONFIG", "SET", "maxmemory", "0")
			writing.Wait()
			for n := range keys {
				c.want("+OK", "SET", strconv.Itoa(n), "the end")
			}
			listening.Wait()
			sum := 0
			for _, n := range gone {
				sum += n
			}
			if sum == 0 {
				t.Error("nobody was told of an eviction")
			}
			t.Logf("%d evictions were told", sum)
			for _, w := range all {
				w.conn.Close()
			}
			s.wantNoWatches()
		})
	}
}

// hearEvictions reads what a key held, numbers that rise, until its end, and counts how
// often it was gone.
func (w *watcher) hearEvictions() (gone int) {
	number, version, before := -1, int64(0), "_"
	for {
		f, err := w.frame()
		if err != nil {
			w.tb.Errorf("%v: %v", w.way, err)
			return gone
		}
		n := number
		if f.value == `"the end"` {
			return gone
		} else if f.value == "_" {
			gone++
		} else if n, err = strconv.Atoi(strings.Trim(f.value, `"`)); err != nil {
			w.tb.Errorf("%v: %v", w.way, err)
		}
		if f.version <= version || f.value != "_" && n < number || f.covered < 1 ||
			w.verb == "every" && (f.value == before || f.covered != 1 || f.kind != "state") {
			w.tb.Errorf("%v of %q: %+v after %s at version %d", w.way, w.query, f, before, version)
		}
		number, version, before = n, f.version, f.value
	}
}
