package rdb

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/shardtest"
	"github.com/troupedb/troupe/resp"
)

// The formats are what a real redis-server writes and reads.

// peer is a redis-server that is asked one thing after the other.
type peer struct {
	*shardtest.Redis
	t *testing.T
}

func dialPeer(t *testing.T) peer {
	p := peer{shardtest.DialRedis(t), t}
	p.ask("HELLO", "3")
	p.ask("CONFIG", "SET", "sanitize-dump-payload", "yes")
	return p
}

func (p peer) ask(words ...string) resp.Reply {
	p.t.Helper()
	var argv [][]byte
	for _, word := range words {
		argv = append(argv, []byte(word))
	}
	reply, _, err := resp.Decode(p.Ask([][][]byte{argv})[0])
	if err != nil {
		p.t.Fatal(err)
	}
	return reply
}

// do asks for what must go well.
func (p peer) do(words ...string) resp.Reply {
	p.t.Helper()
	reply := p.ask(words...)
	if reply.IsError() {
		p.t.Fatalf("%.100q is answered %s", words, reply.Str())
	}
	return reply
}

// members reads a key as it is shown to clients.
func (p peer) members(key string, typ keyspace.Type) (members []member) {
	p.t.Helper()
	switch typ {
	case keyspace.String:
		return []member{{text: p.do("GET", key).Str()}}
	case keyspace.List:
		return single(p.do("LRANGE", key, "0", "-1").Items())
	case keyspace.Set:
		return single(p.do("SMEMBERS", key).Items())
	case keyspace.Hash:
		items := p.do("HGETALL", key).Items()
		for i := 0; i < len(items); i += 2 {
			members = append(members, member{text: items[i].Str(), value: items[i+1].Str()})
		}
	case keyspace.SortedSet:
		for _, pair := range p.do("ZRANGE", key, "0", "-1", "WITHSCORES").Items() {
			members = append(members, member{text: pair.Items()[0].Str(), score: pair.Items()[1].Float()})
		}
	}
	return members
}

func single(items []resp.Reply) (members []member) {
	for _, item := range items {
		members = append(members, member{text: item.Str()})
	}
	return members
}

// ordered are members in an order that does not depend on how they are kept;
// that of lists stays. Redis does not tell negative zeros.
func ordered(typ keyspace.Type, members []member) []member {
	members = slices.Clone(members)
	if typ != keyspace.List {
		slices.SortFunc(members, func(a, b member) int { return strings.Compare(a.text, b.text) })
	}
	for i := range members {
		if members[i].score == 0 {
			members[i].score = 0
		}
	}
	return members
}

// opened reads a payload, which must be good.
func opened(t *testing.T, payload string) (Payload, []member) {
	t.Helper()
	p, err := Open([]byte(payload))
	if err == nil {
		err = p.Check()
	}
	if err != nil {
		t.Fatalf("%.60q: %v", payload, err)
	}
	var members []member
	for e := range p.Elements() {
		members = append(members, keep(e))
	}
	return p, members
}

// thresholds make redis-server keep values of few elements in each of its forms.
var thresholds = [][2]string{
	{"hash-max-listpack-entries", "8"}, {"hash-max-listpack-value", "64"}, {"zset-max-listpack-entries", "8"},
	{"zset-max-listpack-value", "64"}, {"set-max-intset-entries", "8"}, {"list-max-listpack-size", "5"},
}

// creations make a value of some elements.
var creations = map[keyspace.Type]func(key string, members []member) []string{
	keyspace.String: func(key string, m []member) []string { return []string{"SET", key, m[0].text} },
	keyspace.List:   func(key string, m []member) []string { return texts("RPUSH", key, m) },
	keyspace.Set:    func(key string, m []member) []string { return texts("SADD", key, m) },
	keyspace.SortedSet: func(key string, m []member) []string {
		words := []string{"ZADD", key}
		for _, one := range m {
			words = append(words, strconv.FormatFloat(one.score, 'g', -1, 64), one.text)
		}
		return words
	},
	keyspace.Hash: func(key string, m []member) []string {
		words := []string{"HSET", key}
		for _, one := range m {
			words = append(words, one.text, one.value)
		}
		return words
	},
}

func texts(name, key string, members []member) []string {
	words := []string{name, key}
	for _, one := range members {
		words = append(words, one.text)
	}
	return words
}

// Values of all types and forms: what redis-server dumps is read here, what is
// written here it restores, and it is the same value all along.
func TestExchangeWithRedis(t *testing.T) {
	t.Parallel()
	p := dialPeer(t)
	eachSeed(t, func(t *testing.T, rng *rand.Rand) {
		forms := map[Form]int{}
		for range 12 {
			for _, set := range thresholds {
				p.do("CONFIG", "SET", set[0], set[1])
			}
			p.do("CONFIG", "SET", "list-max-listpack-size", []string{"5", "-1", "-2", "1"}[rng.IntN(4)])
			p.do("DEBUG", "QUICKLIST-PACKED-THRESHOLD", []string{"100b", "1g"}[rng.IntN(2)])
			p.do("CONFIG", "SET", "rdbcompression", []string{"yes", "no"}[rng.IntN(2)])
			for _, k := range kept {
				forms[exchange(t, p, k.typ, drawMembers(rng, k.typ, k.enc))]++
			}
		}
		for _, form := range []Form{Text, Set, Hash, SortedSet, SetIntset, HashListpack, SortedSetListpack, Listpacks} {
			if forms[form] == 0 {
				t.Errorf("redis-server has dumped no %s", form)
			}
		}
	})
}

func exchange(t *testing.T, p peer, typ keyspace.Type, members []member) Form {
	t.Helper()
	p.do("DEL", "k", "again")
	p.do(creations[typ]("k", members)...)
	payload := p.do("DUMP", "k").Str()
	got, read := opened(t, payload)
	want := p.members("k", typ)
	if got.Type() != typ || !slices.Equal(ordered(typ, read), ordered(typ, want)) {
		t.Fatalf("a %s of %d elements is read as %s of %d", typ, len(want), got.Type(), len(read))
	}
	digest := resp.Format(p.do("DEBUG", "DIGEST-VALUE", "k"))
	for _, k := range kept {
		if k.typ != typ || k.enc == keyspace.Intset && payload[0] != byte(SetIntset) {
			continue
		}
		p.do("RESTORE", "again", "0", string(Dump(valueOf(typ, k.enc, read))), "REPLACE")
		if again := resp.Format(p.do("DEBUG", "DIGEST-VALUE", "again")); again != digest {
			t.Fatalf("a %s of %d elements, written as one kept as %s, is another one to redis-server", typ, len(read), k.enc)
		}
	}
	return Form(payload[0])
}

// Short values that redis-server dumps are written here as the same bytes.
func TestSameBytesAsRedis(t *testing.T) {
	t.Parallel()
	p := dialPeer(t)
	f := func(typ keyspace.Type, enc keyspace.Encoding, members ...member) {
		t.Helper()
		p.do("DEL", "k")
		p.do(creations[typ]("k", members)...)
		want := p.do("DUMP", "k").Str()
		_, read := opened(t, want)
		if got := string(Dump(valueOf(typ, enc, read))); got != want {
			t.Errorf("%s: %q, redis-server writes %q", typ, got, want)
		}
	}
	f(keyspace.String, keyspace.Raw, member{text: "a short text"})
	f(keyspace.List, keyspace.Quicklist, member{text: "a"}, member{text: "-1"}, member{text: "1000"})
	f(keyspace.Set, keyspace.Intset, member{text: "3"}, member{text: "-1"})
	f(keyspace.Set, keyspace.HashTable, member{text: "a"})
	f(keyspace.SortedSet, keyspace.Listpack, member{text: "a", score: 1}, member{text: "b"})
	f(keyspace.Hash, keyspace.Listpack, member{text: "a", value: "1"}, member{text: "b", value: "c"})
	p.do("CONFIG", "SET", "rdbcompression", "no")
	for bit := range 64 {
		for _, n := range []int64{1<<bit - 1, 1 << bit, -1 << bit, -1<<bit - 1} {
			f(keyspace.List, keyspace.Quicklist, member{text: fmt.Sprint(n)})
		}
	}
}

// Forms that redis-server 7.0 no longer writes, but reads.
func TestOldFormsAreReadAsByRedis(t *testing.T) {
	t.Parallel()
	p := dialPeer(t)
	f := func(form Form, payload []byte) {
		t.Helper()
		got, read := opened(t, string(payload))
		p.do("RESTORE", "k", "0", string(payload), "REPLACE")
		want := p.members("k", got.Type())
		if payload[0] != byte(form) || !slices.Equal(ordered(got.Type(), read), ordered(got.Type(), want)) {
			t.Errorf("%s: %.200v, redis-server reads %.200v", form, read, want)
		}
	}
	all := manyTexts()
	fields := all[:len(all)&^1]
	var scores []string
	for i, text := range []string{"a", "b", "3", "-70000", "d", "e", "f"} {
		scores = append(scores, text, []string{"1", "-70000", "1.5", "inf", "-inf", "1e300", "12345678901"}[i])
	}
	plain := NewEncoder([]byte{byte(List)})
	plain.Length(uint64(len(all)))
	for _, text := range all {
		plain.Text([]byte(text))
	}
	f(List, closed(plain.Bytes()))
	digits := NewEncoder([]byte{byte(SortedSetDigits), 6})
	for i, score := range []string{"\x011", "\x04-1.5", "\xfe", "\xff", "\x171.0000000000000001e-300", "\x0512e10"} {
		digits.Text([]byte(fmt.Sprint("member", i)))
		digits.out = append(digits.out, score...)
	}
	f(SortedSetDigits, closed(digits.Bytes()))
	f(HashZipmap, wrapped(HashZipmap, zipmap(fields...)))
	f(ListZiplist, wrapped(ListZiplist, ziplist(all...)))
	f(SortedSetZiplist, wrapped(SortedSetZiplist, ziplist(scores...)))
	f(HashZiplist, wrapped(HashZiplist, ziplist(fields...)))
	f(HashListpack, wrapped(HashListpack, listpack(fields...)))
	f(SortedSetListpack, wrapped(SortedSetListpack, listpack(scores...)))
	blocks := NewEncoder([]byte{byte(Ziplists)})
	blocks.Length(4)
	for _, part := range [][]string{all[:10], nil, all[10:11], all[11:]} {
		blocks.Text(ziplist(part...))
	}
	f(Ziplists, closed(blocks.Bytes()))
}
