package main

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp/dice"
	"github.com/troupedb/troupe/resp/dice/dicetest"
)

// Sorted sets of DiceDB's clients, beside Redis's who read and write the same.

// diceQueries are live queries with their fingerprints, of 32 and of 64 bits.
var diceQueries = [][3]string{
	{"ZRANGE.WATCH z 1 25 BYSCORE", "3273342186", "6906130947539334643"},
	{"ZRANK.WATCH z bob", "1496387933", "15368921549932547988"},
	{"ZCARD.WATCH z", "2869973945", "16740679624571058911"},
	{"ZCOUNT.WATCH z 1 25", "3012256088", "8497037171666791682"},
}

// Every live form tells every kind of change, and nothing else: it is pushed in
// the words of its own command, with the ranks after the change. Where the two
// protocols say something differently, that of frames is before the bar.
func TestDiceSortedSetWatches(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{4, false})
		redis, watchers := s.client(), make([]*diceClient, len(diceQueries))
		for i, query := range diceQueries {
			watchers[i] = s.introduce(raw, query[0], "watch")
			watchers[i].ask(words(t, query[0])...)
		}
		f := func(change, reply string, pushes ...string) {
			t.Helper()
			redis.want(reply, words(t, change)...)
			for i, push := range pushes {
				framed, unframed, differs := strings.Cut(push, "|")
				fingerprint, text := diceQueries[i][2], framed
				if raw {
					fingerprint = diceQueries[i][1]
				}
				if raw && differs {
					text = unframed
				}
				if push != "-" {
					watchers[i].wantNext("OK [fingerprint=" + fingerprint + "] " + text)
				}
			}
		}
		f("ZADD z 10 alice 20 bob", ":2", "\n1) 10, alice\n2) 20, bob", "2) 20, bob|2", "2", "2")
		f("ZINCRBY z 2990 alice", `"3000"`, "\n1) 20, bob", "1) 20, bob|1", "-", "1")
		f("ZADD z 20 bob", ":0", "-", "-", "-", "-")
		f("ZREMRANGEBYSCORE z 1 25", ":1", "|(nil)", "0) 0, bob|(nil)", "1", "0")
		f("ZUNIONSTORE z 1 z WEIGHTS 0", ":1", "-", "-", "-", "-")
		f("RENAME z y", "+OK", "-", "0) 0, |(nil)", "0", "-")
		f("ZADD z 20.5 bob", ":1", "-", "-", "1", "1")
		const fraction = "ERR the score is not a whole number of 64 bits, and this protocol carries no other: read it with a Redis client"
		for i := range 2 {
			watchers[i].wantNext(fraction)
		}
		f("SET z text", "+OK")
		for _, c := range watchers {
			c.wantNext("ERR wrongtype operation against a key holding the wrong kind of value")
		}
		for _, c := range watchers { // and nothing more, though much has happened
			if got := c.ask("ECHO", "nothing"); !strings.Contains(got, "nothing") {
				t.Errorf("%s, want nothing", got)
			}
		}
	})
}

// Live queries of Redis's clients with the same words are others: their ranks
// begin at 0, and their replies are their own.
func TestDiceSortedSetBesideRedis(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		redis := s.client()
		redis.want(":3", "ZADD", "z", "1", "a", "2", "b", "3", "c")
		first := redis.ask("ZRANGE.WATCH", "z", "1", "2")
		dice := s.diceClient(raw)
		got := dice.ask("ZRANGE.WATCH", "z", "1", "2")
		second := s.client().ask("ZRANGE.WATCH", "z", "1", "2")
		if !strings.Contains(got, "\n1) 1, a\n2) 2, b") || !strings.Contains(first, `["b", "c"]`) || !strings.Contains(second, `["b", "c"]`) {
			t.Errorf("%s\n%s\n%s", first, got, second)
		}
		if queries := s.Server.Watches.Len(); queries != 2 {
			t.Errorf("%d queries", queries)
		}
		dice.ask("ZCARD.WATCH", "z")
		s.client().ask("ZCARD.WATCH", "z")
		if queries := s.Server.Watches.Len(); queries != 3 {
			t.Errorf("%d queries: ZCARD is the same for all", queries)
		}
	})
}

// What cannot be answered is not taken out, and not made.
func TestDiceSortedSetRefusals(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		c, redis := s.diceClient(raw), s.client()
		const fraction = "ERR the score is not a whole number of 64 bits, and this protocol carries no other: read it with a Redis client"
		const binary = "ERR the value is not UTF-8, which this protocol cannot carry: read it with a Redis client"
		redis.want(":4", "ZADD", "z", "1", "a", "2.5", "b", "3", "\xff", "inf", "d")
		c.want(fraction, "ZRANGE", "z", "1", "2")
		c.want(binary, "ZRANGE", "z", "3", "3")
		c.want(fraction, "ZRANK", "z", "b")
		c.want(fraction, "ZPOPMIN", "z", "2")
		c.want(fraction, "ZPOPMAX", "z")
		c.want(fraction, "ZADD", "z", "INCR", "1", "b")
		c.want(fraction, "ZADD", "z", "INCR", "1", "d")
		c.want("OK 2", "ZCOUNT", "z", "2", "3")
		redis.want(`["a", "1", "b", "2.5", "\xff", "3", "d", "inf"]`, "ZRANGE", "z", "0", "-1", "WITHSCORES")
		c.want("OK \n1) 1, a", "ZPOPMIN", "z")
		c.want("OK 1", "ZREM", "z", "b")
		c.want(binary, "ZPOPMIN", "z")
		redis.want(`"inf"`, "ZSCORE", "z", "d")
		c.want("OK 0", "ZADD", "z", "7", "d")
		redis.want(`"7"`, "ZSCORE", "z", "d")
	})
}

// What is longer than a message is refused, and stays: few members that are
// long, or very many.
func TestDiceSortedSetTooLarge(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{1, false})
	c, redis := s.diceClient(false), s.client()
	const tooLarge = "ERR the reply is longer than the 32 MiB that this protocol carries: read it in parts, or with a Redis client"
	long := strings.Repeat("x", 1<<20)
	for i := range 33 {
		redis.want(":1", "ZADD", "long", strconv.Itoa(i), long+strconv.Itoa(i))
	}
	c.want(tooLarge, "ZRANGE", "long", "1", "-1")
	c.want(tooLarge, "ZPOPMIN", "long", "33")
	if got := c.ask("ZPOPMAX", "long", "20"); !strings.HasPrefix(got, "OK \n33) 32, x") {
		t.Errorf("%.100s", got)
	}
	redis.want(":13", "ZCARD", "long")
	const lot = 10000
	for n := 0; n <= dice.ElementsMax; n += lot {
		command := []string{"ZADD", "many"}
		for i := range lot {
			command = append(command, "1", strconv.Itoa(n+i))
		}
		redis.want(":"+strconv.Itoa(lot), command...)
	}
	c.want(tooLarge, "ZPOPMIN", "many", "9223372036854775807")
	c.want(tooLarge, "ZRANGE", "many", "0", "2", "BYSCORE")
	c.want("OK \n2) 1, 1", "ZRANGE", "many", "2", "2")
}

// byRank is the elements of a sorted set in their order, with ranks.
func byRank(model map[string]int64) (all []dicetest.Element) {
	for member, score := range model {
		all = append(all, dicetest.Element{Score: score, Member: member})
	}
	slices.SortFunc(all, func(a, b dicetest.Element) int {
		return cmp.Or(cmp.Compare(a.Score, b.Score), cmp.Compare(a.Member, b.Member))
	})
	for i := range all {
		all[i].Rank = int64(i) + 1
	}
	return all
}

// A sorted set under random commands is what a map is under the same, while it
// is small and when it is large.
func TestDiceSortedSetAtRandom(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		p := &diceTrial{t: t, c: s.diceClient(raw), model: map[string]int64{}, random: rand.New(rand.NewPCG(drawSeed(t), 0))}
		for range 3000 {
			p.step()
		}
		if len(p.model) < 130 {
			t.Errorf("%d members are few", len(p.model))
		}
	})
}

// diceTrial is a sorted set and what it should hold.
type diceTrial struct {
	t      *testing.T
	c      *diceClient
	model  map[string]int64
	random *rand.Rand
}

func (p *diceTrial) number(n int) string { return strconv.Itoa(p.random.IntN(2*n+1) - n) }

// step runs a command at random.
func (p *diceTrial) step() {
	all := byRank(p.model)
	member, score := "m"+strconv.Itoa(p.random.IntN(400)), int64(p.random.IntN(41)-20)
	switch p.random.IntN(24) {
	case 0:
		n := p.random.IntN(4) + 1
		popped := all[:min(n, len(all))]
		for i, e := range popped {
			popped[i].Rank = int64(i) + 1
			delete(p.model, e.Member)
		}
		p.want(popped, "ZPOPMIN", "z", strconv.Itoa(n))
	case 1:
		n := p.random.IntN(4) + 1
		popped := all[max(0, len(all)-n):]
		for _, e := range popped {
			delete(p.model, e.Member)
		}
		slices.Reverse(popped)
		p.want(popped, "ZPOPMAX", "z", strconv.Itoa(n))
	case 2, 3, 4:
		start, stop := p.number(450), p.number(450)
		p.want(span(all, rankFrom(start, len(all)), rankFrom(stop, len(all)), func(e dicetest.Element) int64 { return e.Rank }), "ZRANGE", "z", start, stop)
	case 5, 6, 7:
		start, stop := p.number(25), p.number(25)
		p.want(span(all, number(start), number(stop), func(e dicetest.Element) int64 { return e.Score }), "ZRANGE", "z", start, stop, "BYSCORE")
	default:
		p.model[member] = score
		p.c.ask("ZADD", "z", strconv.FormatInt(score, 10), member)
	}
}

func (p *diceTrial) want(elements []dicetest.Element, command ...string) {
	p.t.Helper()
	m, err := p.c.Ask(command...)
	got, _ := m.Value.([]dicetest.Element)
	if err != nil || m.Failed || !slices.Equal(got, elements) {
		p.t.Fatalf("%q: %s, %v, want %v", command, m.CLI(), err, elements)
	}
}

func number(word string) int64 {
	n, err := strconv.ParseInt(word, 10, 64)
	if err != nil {
		panic(err)
	}
	return n
}

// rankFrom is the rank that a word of ZRANGE means among n members.
func rankFrom(word string, n int) int64 {
	rank := number(word)
	if rank < 0 {
		rank = int64(n) + 1 + rank
	}
	return max(1, rank)
}

// span is the elements for which by is from start to stop, backwards if that
// is so.
func span(all []dicetest.Element, start, stop int64, by func(dicetest.Element) int64) (out []dicetest.Element) {
	low, high := min(start, stop), max(start, stop)
	for _, e := range all {
		if low <= by(e) && by(e) <= high {
			out = append(out, e)
		}
	}
	if start > stop {
		slices.Reverse(out)
	}
	return out
}
