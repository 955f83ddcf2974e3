package main

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupedb/troupe/keyspace"
)

// wantWaiting waits until so many clients wait in a blocking command.
func (s *server) wantWaiting(n int) {
	s.tb.Helper()
	c := s.client()
	defer c.conn.Close()
	eventually(s.tb, fmt.Sprint(n, " clients wait"), func() bool {
		return strings.Contains(c.ask("INFO", "clients"), fmt.Sprintf("blocked_clients:%d\\r\\n", n))
	})
}

// wantNoLines waits until nobody waits, and no shard knows of one who did.
func (s *server) wantNoLines() {
	s.tb.Helper()
	s.wantWaiting(0)
	eventually(s.tb, "nobody stands in line", func() bool {
		lines := 0
		s.inShards(func(tx *keyspace.Tx) { tx.EachShard(func(sh *keyspace.Shard) { lines += sh.WaitedKeys() }) })
		return lines == 0
	})
}

// Who waits is served in the order of arrival, and what a link has sent behind
// its command waits with it.
func TestBlockingOrder(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		var waiters []*client
		for i := range 5 {
			c := s.client()
			c.send(append(request("BLPOP", "a", "b", "c", "0"), request("ECHO", fmt.Sprint("behind ", i))...))
			waiters = append(waiters, c)
			s.wantWaiting(i + 1)
		}
		feeder := s.client()
		feeder.want(":2", "RPUSH", "b", "0", "1")
		feeder.want("+OK", "MULTI")
		feeder.want("+QUEUED", "RPUSH", "c", "2")
		feeder.want("+QUEUED", "RPUSH", "a", "3")
		feeder.want("+QUEUED", "LLEN", "c")
		feeder.want("[:1, :1, :1]", "EXEC")
		feeder.want("+OK", "SET", "x", "1")
		feeder.want(":1", "SADD", "set", "1")
		feeder.want(":1", "LPUSH", "other", "4")
		feeder.want("+OK", "RENAME", "other", "a")
		for i, from := range []string{"b", "b", "c", "a", "a"} {
			if got, want := waiters[i].receive(), fmt.Sprintf("[%q, %q]", from, strconv.Itoa(i)); got != want {
				t.Errorf("waiter %d got %s, want %s", i, got, want)
			}
			if got, want := waiters[i].receive(), fmt.Sprintf("%q", fmt.Sprint("behind ", i)); got != want {
				t.Errorf("behind it came %s, want %s", got, want)
			}
		}
		feeder.want(":0", "EXISTS", "a", "b", "c")
		s.wantNoLines()
	})
}

// A BLMOVE that waits passes on in the turn that feeds it, wherever its keys
// are: nobody sees the element on the way, or finds it where it was.
func TestBlockingMoveIsSeenWhole(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		feeder := s.client()
		for i := range 20 {
			from, over, to := fmt.Sprint("from", i), fmt.Sprint("over", i), fmt.Sprint("to", i)
			first, second, last := s.client(), s.client(), s.client()
			first.send(request("BLMOVE", from, over, "LEFT", "RIGHT", "0"))
			s.wantWaiting(1)
			second.send(request("BRPOPLPUSH", over, to, "0"))
			s.wantWaiting(2)
			sees := func(wants ...string) {
				for _, want := range wants {
					if got := feeder.receive(); got != want {
						t.Errorf("the feeder sees %s, want %s", got, want)
					}
				}
			}
			feeder.send(append(request("RPUSH", from, "x"), request("LPOP", from)...))
			sees(":1", "_") // before it asks other shards, which would answer at once
			feeder.send(append(request("LLEN", over), request("LRANGE", to, "0", "-1")...))
			sees(":0", `["x"]`)
			for _, c := range []*client{first, second} {
				if got := c.receive(); got != `"x"` {
					t.Errorf("a mover got %s", got)
				}
			}
			last.want(`"x"`, "BLMOVE", to, to, "LEFT", "LEFT", "0")
			for _, c := range []*client{first, second, last} {
				c.conn.Close()
			}
		}
		s.wantNoLines()
	})
}

// Whoever stops waiting, by whatever cause, takes nothing and leaves nothing.
func TestBlockingEnds(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{4, false})
	admin := s.client()
	wait := func(words ...string) (c *client, id string) {
		c = s.client()
		id = strings.TrimPrefix(c.ask("CLIENT", "ID"), ":")
		c.send(request(words...))
		if slices.Contains(words, "0") { // who waits for ever is met waiting, however slow the machine
			s.wantWaiting(1)
		}
		return c, id
	}
	f := func(what, want string, end func(c *client, id string), words ...string) {
		t.Helper()
		c, id := wait(words...)
		end(c, id)
		if want != "" {
			if got := c.receive(); got != want {
				t.Errorf("after %s: got %s, want %s", what, got, want)
			}
		}
		s.wantNoLines()
		admin.want(":1", "RPUSH", "a", "x")
		admin.want(`"x"`, "LPOP", "a")
		c.conn.Close()
	}
	nothing := func(*client, string) {}
	unblock := func(how ...string) func(*client, string) {
		return func(_ *client, id string) { admin.want(":1", append([]string{"CLIENT", "UNBLOCK", id}, how...)...) }
	}
	f("its time", "*-1", nothing, "BLPOP", "a", "b", "0.05")
	f("its time", "*-1", nothing, "BLMOVE", "a", "b", "LEFT", "RIGHT", "0.05")
	f("its time", "*-1", nothing, "BZMPOP", "0.05", "2", "a", "b", "MIN")
	f("UNBLOCK", "*-1", unblock(), "BRPOP", "a", "b", "0")
	f("UNBLOCK TIMEOUT", "*-1", unblock("TIMEOUT"), "BRPOPLPUSH", "a", "b", "0")
	f("UNBLOCK ERROR", "-UNBLOCKED client unblocked via CLIENT UNBLOCK", unblock("ERROR"), "BLMPOP", "0", "2", "a", "b", "LEFT")
	f("KILL", "", func(_ *client, id string) { admin.want(":1", "CLIENT", "KILL", "ID", id) }, "BLPOP", "a", "b", "0")
	f("the end of its link", "", func(c *client, _ string) { c.conn.Close() }, "BLPOP", "a", "b", "c", "d", "0")
	admin.want(":0", "CLIENT", "UNBLOCK", "999999")
}

// Many clients push, pop, move, wait, give up and die at once: each element
// comes out once, and in the end nobody stands in line.
func TestBlockingLosesNothing(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	for _, sh := range []shape{{1, false}, {2, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			blockingRush(t, startServer(t, sh), seed)
		})
	}
}

const (
	rushClients  = 8
	rushElements = 60 // of each client
)

func blockingRush(t *testing.T, s *server, seed uint64) {
	var taken sync.Map
	var left atomic.Int64
	left.Store(rushClients * rushElements)
	var all sync.WaitGroup
	for id := range rushClients {
		rng := rand.New(rand.NewPCG(seed, uint64(id)))
		all.Go(func() { rushTake(t, s, rng, &taken, &left) })
		all.Go(func() { rushDie(s, seed+uint64(id)) })
		all.Go(func() {
			c := s.client()
			for i := range rushElements {
				c.ask("RPUSH", fmt.Sprint("q", (id+i)%3), fmt.Sprintf("%d.%d", id, i))
			}
			c.conn.Close()
		})
	}
	all.Wait()
	c := s.client()
	c.want(":0", "EXISTS", "q0", "q1", "q2", "moved")
	s.wantNoLines()
}

// rushTake takes what there is until all is taken.
func rushTake(t *testing.T, s *server, rng *rand.Rand, taken *sync.Map, left *atomic.Int64) {
	c := s.client()
	defer c.conn.Close()
	for left.Load() > 0 {
		var reply string
		switch rng.IntN(4) {
		case 0:
			c.ask("BLMOVE", "q0", "moved", "LEFT", "RIGHT", "0.01")
			continue
		case 1:
			reply = c.ask("BLMPOP", "0.02", "3", "moved", "q1", "q2", "RIGHT")
		default:
			reply = c.ask("BLPOP", "q2", "moved", "q1", "q0", "0.02")
		}
		if reply == "*-1" {
			continue
		}
		element := reply[strings.LastIndex(reply, `, `):]
		if _, twice := taken.LoadOrStore(element, true); twice {
			t.Errorf("%s was taken twice", reply)
		}
		left.Add(-1)
	}
}

// rushDie waits for what never comes, on keys that others use too, and is gone.
func rushDie(s *server, seed uint64) {
	rng := rand.New(rand.NewPCG(seed, 0))
	for range 30 {
		c := s.client()
		c.send(request("BZPOPMIN", "q0", "q1", "q2", "0"))
		if rng.IntN(2) == 0 {
			c.send(request("PING"))
		}
		c.conn.Close()
	}
}

// A BLMOVE that waits is fed by commands that put its key in its database from
// another one, and by scripts that do not name its key, wherever it passes the
// element on to.
func TestBlockingMoveIsFedFromElsewhere(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		feeder := s.client()
		feeder.want("+OK", "SELECT", "1")
		f := func(reply string, feed ...string) {
			t.Helper()
			for i := range 8 { // targets in several shards
				target := fmt.Sprint("target", i)
				waiter := s.client()
				waiter.send(request("BLMOVE", "list", target, "LEFT", "RIGHT", "0"))
				s.wantWaiting(1)
				feeder.ask("RPUSH", "list", "a")
				feeder.ask("RPUSH", "source", "a")
				feeder.want(reply, feed...)
				if got := waiter.receive(); got != `"a"` {
					t.Errorf("after %q the waiter got %s", feed, got)
				}
				waiter.want("[\"a\"]", "LRANGE", target, "0", "-1")
				waiter.want("+OK", "FLUSHALL")
			}
		}
		f(":1", "MOVE", "list", "0")
		f(":1", "COPY", "source", "list", "DB", "0")
		f(":1", "EVAL", "redis.call('SELECT', 0) return redis.call('RPUSH', KEYS[1], 'a')", "1", "list")
		f(":1", "EVAL", "redis.call('SELECT', 0) return redis.call('RPUSH', 'list', 'a')", "0")
		f(":1", "EVAL", "redis.call('SELECT', 0) return redis.call('RPUSH', 'list', 'a')", "1", "source")
		s.wantNoLines()
	})
}
