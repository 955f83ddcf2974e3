package main

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"net"
	"runtime"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
)

// Clients that die, that send what is no command, or do not read: the server
// goes on, for everybody else as if they were not there, and nothing of them
// stays.

// deaths are the ways in which a client dies: what it has done before.
var deaths = map[string]func(*client){
	"silent":           func(*client) {},
	"half a header":    func(c *client) { c.send([]byte("*3\r\n$3\r\nSE")) },
	"half a text":      func(c *client) { c.send([]byte("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000000\r\nabc")) },
	"half a line":      func(c *client) { c.send([]byte("SET k")) },
	"a whole pipeline": func(c *client) { c.send(bytes.Repeat(request("MSET", "a", "1", "b", "2", "c", "3"), 5000)) },
	"a cut pipeline":   func(c *client) { c.send(bytes.Repeat(request("MGET", "a", "b", "c"), 5000)[:170_003]) },
	"one shard at a time": func(c *client) {
		for i := range 500 {
			c.send(request("SET", fmt.Sprint("k", i), "v"))
		}
	},
	"in a transaction": func(c *client) {
		c.want("+OK", "MULTI")
		c.want("+QUEUED", "MSET", "a", "1", "b", "2")
	},
	"at EXEC": func(c *client) {
		c.want("+OK", "WATCH", "a", "b", "watched")
		c.send(append(append(request("MULTI"), bytes.Repeat(request("MSET", "a", "1", "b", "2", "c", "3"), 100)...), request("EXEC")...))
	},
	"with a lock": func(c *client) { c.want("+OK", "WATCH", "a", "b", "watched") },
	"with a dirty lock": func(c *client) {
		c.want("+OK", "WATCH", "watched")
		c.ask("SET", "watched", "1")
		c.want("+OK", "MULTI")
	},
	"in another database": func(c *client) {
		c.want("+OK", "SELECT", "3")
		c.want("+OK", "WATCH", "a")
	},
	"after a flush": func(c *client) { c.send(append(request("FLUSHALL"), request("DBSIZE")...)) },
	"muted":         func(c *client) { c.send(append(request("CLIENT", "REPLY", "OFF"), request("KEYS", "*")...)) },
	"as a monitor":  func(c *client) { c.want("+OK", "MONITOR") },
	"as a watcher": func(c *client) {
		c.send(request("GET.WATCH", "watched"))
		c.receive()
	},
	"as a subscriber": func(c *client) { c.send(request("SUBSCRIBE", "__query__:GET watched")) },
	"after a mistake": func(c *client) { c.send([]byte("*1\r\n$x\r\n*1\r\n")) },
}

// It is not parallel, as it counts goroutines.
func TestClientsThatDie(t *testing.T) {
	for _, sh := range []shape{{1, false}, {16, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			before := runtime.NumGoroutine()
			s := startServer(t, sh)
			serving := runtime.NumGoroutine()
			witness := s.client()
			for name, live := range deaths {
				for _, abruptly := range []bool{false, true} {
					c := s.client()
					live(c)
					if abruptly {
						if err := c.conn.(*net.TCPConn).SetLinger(0); err != nil {
							t.Fatal(err)
						}
					}
					c.conn.Close()
					witness.want(`"`+name+`"`, "ECHO", name)
					witness.want("+OK", "SET", "watched", name)
				}
			}
			witness.want("+OK", "MSET", "a", "1", "b", "2", "c", "3")
			witness.conn.Close()
			s.wantNobody()
			eventually(t, "the goroutines of links are gone", func() bool { return runtime.NumGoroutine() <= serving })
			s.stop()
			eventually(t, "the goroutines of the server are gone", func() bool { return runtime.NumGoroutine() <= before })
		})
	}
}

// Links in trouble of every kind, all at once and kept open, while others go
// on: what is asserted is that they do, not how fast.
func TestTroubleOfOthers(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		for name, live := range deaths {
			if name != "after a flush" { // which may come between a write and its reading
				live(s.client())
			}
		}
		eager := s.client()
		eager.want("+OK", "SET", "big", strings.Repeat("x", 1<<20))
		stuck := s.client() // asks for more than it will ever read
		stuck.send(bytes.Repeat(request("GET", "big"), 100))
		for i := range 500 {
			key := fmt.Sprint("own", i)
			eager.want("+OK", "MSET", key, "1", "{other}"+key, "2")
			eager.want(`["1", "2"]`, "MGET", key, "{other}"+key)
		}
	})
}

// Bytes that are no commands, from many links. A link may live on or be closed;
// the server lives.
func TestGarbage(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	eachShape(t, func(t *testing.T, sh shape) {
		rng := rand.New(rand.NewPCG(seed, 0))
		s := startServer(t, sh)
		witness := s.client()
		for range 200 {
			conn := s.dial()
			conn.Write(drawGarbage(rng)) // a server that has closed is no mistake
			conn.Close()
			witness.want("+PONG", "PING")
		}
		witness.conn.Close()
		s.wantNobody()
	})
}

// drawGarbage draws bytes, most of which begin as a command does.
func drawGarbage(rng *rand.Rand) []byte {
	good := bytes.Repeat(append(request("SET", "k", "value"), request("MGET", "a", "b")...), 1+rng.IntN(20))
	for range rng.IntN(8) {
		at := rng.IntN(len(good))
		switch rng.IntN(4) {
		case 0:
			good[at] = byte(rng.IntN(256))
		case 1:
			good = good[:at+1]
		case 2:
			good = append(good[:at], append([]byte("*-1\r\n$-1\r\n$9223372036854775807\r\n"), good[at:]...)...)
		default:
			good = append(good[:at], append([]byte{'\r', '\n', 0, '*'}, good[at:]...)...)
		}
	}
	return good
}

// A request that grows past what a link may send is refused, in time.
func TestTooMuch(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh,
			config.Flag{Name: "client-query-buffer-limit", Words: []string{"1mb"}},
			config.Flag{Name: "proto-max-bulk-len", Words: []string{"2mb"}})
		f := func(stream []byte, want string) {
			t.Helper()
			c := s.client()
			c.conn.Write(stream) // the server may close before it has all
			reply, err := c.next()
			if got := reply.Str(); err != nil || got != want {
				t.Errorf("%.60q is answered %s, %v, want %s", stream, got, err, want)
			}
			if reply, err := c.next(); err == nil {
				t.Errorf("%.60q is answered %s after that", stream, reply.Str())
			}
		}
		const tooLong = "ERR Protocol error: the request is longer than client-query-buffer-limit"
		f(bytes.Repeat([]byte("x"), 70<<10), "ERR Protocol error: too big inline request")
		f(append([]byte("*"), bytes.Repeat([]byte("1"), 70<<10)...), "ERR Protocol error: too big mbulk count string")
		f(append([]byte("*1\r\n$"), bytes.Repeat([]byte("1"), 70<<10)...), "ERR Protocol error: too big bulk count string")
		f([]byte("*1\r\n$2097153\r\n"), "ERR Protocol error: invalid bulk length")
		f(append([]byte("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2000000\r\n"), make([]byte, 1_900_000)...), tooLong)
		f(append(append([]byte("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$2000000\r\n"), make([]byte, 2_000_000)...), "\r\n"...), tooLong)
		f(append([]byte("*1000000\r\n"), bytes.Repeat([]byte("$1\r\nx\r\n"), 300_000)...), tooLong)
		s.client().want("+PONG", "PING")
		s.client().want("_", "GET", "k")
	})
}

// Two thousand links that say nothing, and some of them later something.
func TestIdleLinks(t *testing.T) {
	t.Parallel()
	const links = 2200
	for _, sh := range []shape{{2, false}, {2, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			s := startServer(t, sh)
			if most := s.Server.Clients.Load(); most < links {
				t.Skipf("this system lets a process have too few descriptors: %d clients at most", most)
			}
			var all []*client
			for range links {
				all = append(all, s.client())
			}
			for i := 0; i < links; i += 97 {
				all[i].want("+PONG", "PING")
			}
			eventually(t, "all are connected", func() bool { return s.Server.Connected() == links })
			for i := links - 1; i > 0; i -= 113 {
				all[i].want("+OK", "SET", fmt.Sprint("k", i), "v")
			}
			for _, c := range all {
				c.conn.Close()
			}
			s.wantNobody()
		})
	}
}
