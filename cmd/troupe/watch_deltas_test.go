package main_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
)

// What a client makes of deltas is what others are told whole, at each version that
// both hear of, in every protocol, while writers change collections at random: by
// elements, by halves, by type, by name and by database.
func TestDeltasUnderWriters(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	for _, shards := range []string{"1", "16"} {
		t.Run(shards, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			socket := filepath.Join(dir, "socket")
			s := start(t, nil, "server", "--port", "0", "--unixsocket", socket, "--http", "127.0.0.1:0", "--dir", dir,
				"--shards", shards, "--appendonly", "no", "--save", "")
			rng := rand.New(rand.NewPCG(seed, uint64(len(shards))))
			tails := deltaTails()
			var following, writing sync.WaitGroup
			for _, c := range tails {
				if err := c.connect(socket, s.httpAddress()); err != nil {
					t.Fatal(err)
				}
				following.Go(func() {
					if err := c.follow(socket, ""); err != nil {
						t.Error(err)
					}
				})
			}
			for range 3 {
				own := rand.New(rand.NewPCG(rng.Uint64(), 0))
				writing.Go(func() { scramble(dial(t, socket), own) })
			}
			writing.Wait()
			last := dial(t, socket)
			for _, line := range []string{"FLUSHALL", "HSET hash f v g w", "SADD set a b", "ZADD zset 1 a 2 b", "RPUSH list a b"} {
				last.ask(strings.Fields(line)...)
			}
			for _, c := range tails {
				for _, q := range c.queries {
					want := answerOf(t, socket, q.name, q.words)
					eventually(t, func() error { return c.shows(q, want) })
				}
				c.leave()
			}
			following.Wait()
			checkDeltas(t, tails)
		})
	}
}

// deltaTails are clients that are told deltas, and one of each protocol that is told
// all states.
func deltaTails() (tails []*tail) {
	for _, way := range []string{"RESP3", "RESP2", "events"} {
		for _, option := range []string{"", "DELTA"} {
			c := &tail{way: way, option: option}
			for _, line := range []string{
				"HGETALL hash", "SMEMBERS set", "ZRANGE zset 0 -1 WITHSCORES", "ZRANGE zset 0 9 REV WITHSCORES",
				"LRANGE list 0 -1", "LRANGE list -10 -1", "ZRANGE zset 0 -1",
			} {
				words := strings.Fields(line)
				name := words[0]
				if line == "ZRANGE zset 0 -1" {
					name = "LRANGE" // a list of texts
				}
				c.queries = append(c.queries, &told{name: name, words: words})
			}
			tails = append(tails, c)
		}
	}
	return tails
}

// shows is an error if a query has not been told a state.
func (c *tail) shows(q *told, state string) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if got := q.now.text(q.name); got != state {
		return fmt.Errorf("%v of %q is left with %s, want %s", c, q.words, got, state)
	}
	return nil
}

// checkDeltas compares what all made of each version.
func checkDeltas(t *testing.T, tails []*tail) {
	t.Helper()
	states, deltas, shared := map[string]string{}, map[*tail]int{}, 0
	for _, c := range tails {
		for _, q := range c.queries {
			for i, f := range q.frames {
				at := fmt.Sprintf("%q at %d", q.words, f.version)
				have, known := states[at]
				if known && have != f.state {
					t.Fatalf("%v, frame %d: %s is %s by a %s, and %s to others", c, i, at, f.state, f.kind, have)
				}
				if known {
					shared++
				}
				states[at] = f.state
				if f.kind == "delta" {
					deltas[c]++
				}
			}
		}
		if (deltas[c] > 0) != (c.option == "DELTA") {
			t.Errorf("%v was told %d deltas", c, deltas[c])
		}
	}
	t.Logf("%d states, %d of which several heard, %v deltas", len(states), shared, deltas)
	if shared == 0 {
		t.Error("no two clients have heard of one version")
	}
}

// scramble makes random changes.
func scramble(c *client, rng *rand.Rand) {
	for range 300 {
		if rng.IntN(4) > 0 {
			c.ask(scrambled(rng)...)
			continue
		}
		c.ask("MULTI")
		n := 1 + rng.IntN(4)
		for range n {
			c.ask(scrambled(rng)...)
		}
		c.send("EXEC")
		c.passOver()
	}
}

// passOver reads a reply of any shape.
func (c *client) passOver() {
	line, err := c.in.ReadString('\n')
	if err != nil {
		c.t.Error(err)
		return
	}
	n, _ := strconv.Atoi(strings.TrimSpace(line[1:]))
	switch {
	case line[0] == '*':
		for range n {
			c.passOver()
		}
	case line[0] == '$' && n >= 0:
		c.in.Discard(n + 2)
	}
}

// scrambled is a random command that is answered by one line.
func scrambled(rng *rand.Rand) []string {
	n := func() string { return strconv.Itoa(rng.IntN(60)) }
	many := func(words ...string) []string {
		for range 1 + rng.IntN(40) {
			words = append(words, n())
		}
		return words
	}
	pairs := func(words ...string) []string {
		for range 1 + rng.IntN(40) {
			words = append(words, n(), n())
		}
		return words
	}
	all := [][]string{
		{"HSET", "hash", n(), n()}, many("HDEL", "hash"), {"HINCRBY", "hash", n(), "1"}, pairs("HSET", "hash"),
		many("SADD", "set"), many("SREM", "set"), {"SADD", "set", n()}, {"SREM", "set", n()},
		{"ZADD", "zset", n(), n()}, pairs("ZADD", "zset"), many("ZREM", "zset"), {"ZREMRANGEBYRANK", "zset", "0", n()},
		{"ZREMRANGEBYSCORE", "zset", n(), n()}, many("RPUSH", "list"), {"LPUSH", "list", n()}, {"LTRIM", "list", "0", n()},
		{"LTRIM", "list", "3", "-2"}, {"LSET", "list", n(), n()}, {"LREM", "list", "1", n()}, {"LINSERT", "list", "BEFORE", n(), n()},
	}
	keys := []string{"hash", "set", "zset", "list"}
	switch key := keys[rng.IntN(len(keys))]; rng.IntN(40) {
	case 0:
		return []string{"DEL", key}
	case 1:
		return []string{"RENAME", key, "kept"}
	case 2:
		return []string{"COPY", "kept", key, "REPLACE"}
	case 3:
		return []string{"SET", key, "another type"}
	case 4:
		return []string{"SWAPDB", "0", "1"}
	case 5:
		return []string{"FLUSHDB"}
	}
	return slices.Clone(all[rng.IntN(len(all))])
}
