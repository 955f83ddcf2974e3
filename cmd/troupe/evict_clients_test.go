package main

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
)

// With maxmemory-clients the clients that take most are let go until the others
// take no more than that together; those who have asked for CLIENT NO-EVICT stay,
// however much they take.
func TestClientsAreEvicted(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "maxmemory-clients", Words: []string{"4mb"}})
		hoard := func(words int, first ...string) *client {
			c := s.client()
			for _, line := range append(first, "MULTI") {
				c.want("+OK", strings.Fields(line)...)
			}
			for range words {
				c.want("+QUEUED", "SET", "k", strings.Repeat("x", 100_000))
			}
			return c
		}
		watcher, kept, small := s.client(), hoard(60, "CLIENT NO-EVICT on"), hoard(10)
		large := s.client()
		large.want("+OK", "MULTI")
		for err := error(nil); err == nil; {
			large.conn.Write(request("SET", "k", strings.Repeat("x", 100_000))) // an error is told by what follows
			_, err = large.next()
		}
		eventually(t, "one client was evicted", func() bool { return s.Server.EvictedClients() == 1 })
		watcher.want("+PONG", "PING")
		small.want("+QUEUED", "PING")
		kept.want("+QUEUED", "PING")
		if info := watcher.ask("INFO", "stats"); !strings.Contains(info, `evicted_clients:1\r\n`) {
			t.Errorf("INFO tells %s", info)
		}
	})
}

// Whoever follows a key hears when it is evicted: live queries, caches, and
// keyspace notifications; and a transaction that depends on it is not run.
func TestEvictionsAreTold(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, config.Flag{Name: "maxmemory-policy", Words: []string{"allkeys-lru"}},
			config.Flag{Name: "notify-keyspace-events", Words: []string{"Ke"}})
		writer, live, cache, hears, locks := s.client(), s.client(), s.client(), s.client(), s.client()
		writer.want("+OK", "SET", "k", "v")
		live.ask("HELLO", "3")
		if first := live.ask("GET.WATCH", "k"); !strings.Contains(flat(first), `"result", "v",`) {
			t.Errorf("the first state is %s", first)
		}
		cache.ask("HELLO", "3")
		cache.want("+OK", "CLIENT", "TRACKING", "on")
		cache.want(`"v"`, "GET", "k")
		hears.ask("SUBSCRIBE", "__keyspace@0__:k")
		locks.want("+OK", "WATCH", "k")
		locks.want("+OK", "MULTI")
		locks.want("+QUEUED", "PING")
		writer.want("+OK", "CONFIG", "SET", "maxmemory", "1")
		if next := live.receive(); !strings.Contains(flat(next), `"result", _,`) {
			t.Errorf("the live query is told %s", next)
		}
		if got, want := cache.receive(), `>["invalidate", ["k"]]`; got != want {
			t.Errorf("the cache is told %s, want %s", got, want)
		}
		if got, want := hears.receive(), `["message", "__keyspace@0__:k", "evicted"]`; got != want {
			t.Errorf("notified %s, want %s", got, want)
		}
		locks.want("*-1", "EXEC")
		writer.want("_", "GET", "k")
		writer.want("-OOM command not allowed when used memory > 'maxmemory'.", "SET", "k", "v")
	})
}

// flat is a reply in one line.
func flat(reply string) string { return strings.Join(strings.Fields(reply), " ") }
