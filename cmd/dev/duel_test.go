package main

import (
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/draw"
	"github.com/troupedb/troupe/resp/redistest"
)

// Some seconds of what go run ./cmd/dev duel does for as long as one likes.
func TestDuel(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	c := &duelCmd{Seed: rand.Uint64(), Turns: 1000, Shrink: 30 * time.Second}
	asked := 0
	for begin := time.Now(); time.Since(begin) < 5*time.Second; c.Seed++ {
		n, err := c.round(c.Seed, &side{dial: func() (net.Conn, error) { return redis.Dial(), nil }})
		if err != nil {
			t.Fatalf("go run ./cmd/dev duel --turns %d --seed %d: %v", c.Turns, c.Seed, err)
		}
		asked += n
	}
	t.Logf("%d commands were answered alike, the last of them with --seed %d", asked, c.Seed-1)
}

// A difference is found, and the conversation that leads to it made short.
func TestDuelShrinks(t *testing.T) {
	t.Parallel()
	theirs, ours := redistest.Start(t), redistest.Start(t)
	d := &duel{
		ours:   &side{dial: func() (net.Conn, error) { return ours.Dial(), nil }},
		theirs: &side{dial: func() (net.Conn, error) { return theirs.Dial(), nil }},
	}
	turns := drawTurns(draw.Source{Rand: rand.New(rand.NewPCG(1, 2))}, 40)
	turns[30] = turn{client: 1, fresh: true, proto: 2, commands: [][]string{{"SET", "a", "1"}, {"CONFIG", "GET", "unixsocket"}, {"GET", "a"}}}
	found, err := d.play(turns)
	if err != nil || found == nil || found.turn != 30 {
		t.Fatalf("found %v, %v", found, err)
	}
	want := "the servers differ after\n# client 2 comes anew, in RESP2\n2> CONFIG GET unixsocket\n2> CONFIG GET unixsocket\n"
	if err := d.shrink(turns[:31], time.Minute); err == nil || !strings.HasPrefix(err.Error(), want) {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDuelCompares(t *testing.T) {
	t.Parallel()
	f := func(command, ours, theirs string, want bool) {
		t.Helper()
		a, err := resp.Parse(ours)
		if err != nil {
			t.Fatal(err)
		}
		b, err := resp.Parse(theirs)
		if err != nil {
			t.Fatal(err)
		}
		if got := comparisonOf(strings.Fields(command))(a, b); got != want {
			t.Errorf("%s: %s and %s are equal: %v, want %v", command, ours, theirs, got, want)
		}
	}
	f("GET k", `"v"`, `"v"`, true)
	f("GET k", `"v"`, `"w"`, false)
	f("GET k", `"1"`, `:1`, false)
	f("HGETALL h", `%{"a": "1", "b": "2"}`, `%{"b": "2", "a": "1"}`, true)
	f("HGETALL h", `["a", "1", "b", "2"]`, `["b", "2", "a", "1"]`, true)
	f("HGETALL h", `["a", "1", "b", "2"]`, `["a", "2", "b", "1"]`, false)
	f("HGETALL h", `[]`, `%{}`, false)
	f("KEYS *", `["a", "b"]`, `["b", "a"]`, true)
	f("KEYS *", `["a", "b"]`, `["b", "b"]`, false)
	f("RANDOMKEY", `"a"`, `"b"`, true)
	f("RANDOMKEY", `"a"`, `_`, false)
	f("TTL k", ":100", ":40", true)
	f("TTL k", ":100", ":39", false)
	f("TTL k", ":-1", ":-2", false)
	f("HSCAN h 0", `["0", ["a", "1", "b", "2"]]`, `["0", ["b", "2", "a", "1"]]`, true)
	f("HSCAN h 0", `["0", ["a", "1"]]`, `["0", ["b", "2"]]`, false)
	f("HSCAN h 0", `["5", ["a", "1"]]`, `["0", ["b", "2"]]`, true)
	f("X", `-"ERR a\x00b"`, `-"ERR a', with"`, true)
	f("X", `-"ERR a"`, `-"ERR a', with"`, false)
}
