package main

import (
	"bytes"
	"fmt"
	"net"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// What bounds a client, each bound with its error and its counter in INFO.

// flags makes settings of "name value" texts.
func flags(lines ...string) (all []config.Flag) {
	for _, line := range lines {
		words := strings.Fields(line)
		all = append(all, config.Flag{Name: words[0], Words: words[1:]})
	}
	return all
}

// counter is a number of INFO.
func (c *client) counter(name string) int {
	c.tb.Helper()
	c.send(request("INFO", "everything"))
	reply, err := c.next()
	if err != nil {
		c.tb.Fatal(err)
	}
	for line := range strings.Lines(reply.Str()) {
		if text, found := strings.CutPrefix(line, name+":"); found {
			n, err := strconv.Atoi(strings.TrimSpace(text))
			if err != nil {
				c.tb.Fatal(err)
			}
			return n
		}
	}
	c.tb.Fatalf("INFO has no %s", name)
	return 0
}

// wantEnd reads to the end of the link; what comes before it must be the text.
func (c *client) wantEnd(want string) {
	c.tb.Helper()
	got := ""
	for {
		reply, err := c.next()
		if err != nil {
			break
		}
		got += resp.Format(reply)
	}
	if got != want {
		c.tb.Errorf("the link ends with %q, want %q", got, want)
	}
}

// eachTransport runs f over both transports.
func eachTransport(t *testing.T, f func(t *testing.T, sh shape)) {
	t.Parallel()
	for _, sh := range []shape{{2, false}, {2, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			f(t, sh)
		})
	}
}

func TestMaxClients(t *testing.T) {
	eachTransport(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, flags("maxclients 3")...)
		admin, second, third := s.client(), s.client(), s.client()
		for _, c := range []*client{admin, second, third} {
			c.want("+PONG", "PING")
		}
		s.client().wantEnd("-ERR max number of clients reached")
		second.conn.Close()
		eventually(t, "a place is free", func() bool { return s.Server.Connected() == 2 })
		s.client().want("+PONG", "PING")
		admin.want("+OK", "CONFIG", "SET", "maxclients", "2")
		third.want("+PONG", "PING") // those who are there stay
		if got := admin.counter("rejected_connections"); got != 1 {
			t.Errorf("%d were rejected", got)
		}
	})
}

// Who does not read is cut off by what he is, at once or after a while.
func TestOutputLimits(t *testing.T) {
	eachTransport(t, func(t *testing.T, sh shape) {
		f := func(limit string, cut bool, begin func(c *client), write func(witness *client)) {
			t.Helper()
			s := startServer(t, sh, append(flags("client-output-buffer-limit "+limit), flags("client-output-buffer-limit pubsub 0 0 0")...)...)
			witness := s.client()
			witness.want("+OK", "SET", "big", strings.Repeat("x", 256<<10))
			c := s.client()
			begin(c)
			for range 60 {
				write(witness)
			}
			if cut {
				eventually(t, "the link is cut off, with "+limit, func() bool {
					write(witness)
					return witness.counter("client_output_buffer_limit_disconnections") == 1
				})
				eventually(t, "it has gone", func() bool { return s.Server.Connected() == 1 })
			} else if got := witness.counter("client_output_buffer_limit_disconnections"); got != 0 {
				t.Errorf("%s: %d were cut off", limit, got)
			}
		}
		ask := func(c *client) { c.send(bytes.Repeat(request("GET", "big"), 60)) }
		ping := func(c *client) { c.want("+PONG", "PING") }
		f("normal 1 0 0", true, ask, ping)
		f("normal 0 1 1", true, ask, ping)
		f("normal 0 0 0", false, ask, ping)
		f("pubsub 1 0 0", false, ask, ping)
		follow := func(c *client) {
			c.want("+OK", "CLIENT", "REPLY", "ON")
			c.send(request("GET.WATCH", "big"))
		}
		times := 0
		change := func(c *client) {
			times++
			c.want(":262144", "SETRANGE", "big", "0", fmt.Sprint(times))
		}
		f("watch 1 0 0", true, follow, change)
		f("watch 0 0 0", false, follow, change)
	})
}

// Who must log in has a while for it, whatever he sends meanwhile.
func TestHandshakeTimeout(t *testing.T) {
	eachTransport(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, flags("handshake-timeout 1", "requirepass secret")...)
		witness := s.client()
		witness.want("+OK", "AUTH", "secret")
		idle, slow, eager, wrong := s.client(), s.client(), s.client(), s.client()
		slow.send([]byte("*3\r\n$3\r\nSET\r\n$1\r\n"))
		eager.want("-NOAUTH Authentication required.", "GET", "k")
		wrong.want("-WRONGPASS invalid username-password pair or user is disabled.", "AUTH", "guess")
		for _, c := range []*client{idle, slow, eager, wrong} {
			c.wantEnd("-ERR not logged in within handshake-timeout")
		}
		witness.want("+PONG", "PING")
		if got := witness.counter("handshake_timeouts"); got != 4 {
			t.Errorf("%d were too slow", got)
		}
		if got := witness.counter("acl_access_denied_auth"); got != 1 {
			t.Errorf("%d passwords were wrong", got)
		}
		witness.want("+RESET", "RESET") // and has as long again
		witness.want("+OK", "AUTH", "secret")
		witness.want("+OK", "CONFIG", "SET", "handshake-timeout", "0")
	})
}

// Without a password nobody needs to log in, and nobody is let go for it.
func TestHandshakeTimeoutWithoutPassword(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false}, flags("handshake-timeout 1")...)
	silent := s.client()
	eventually(t, "it is there", func() bool { return s.Server.Connected() == 1 })
	s.Server.SweepStrangers(-1) // nobody is too young
	silent.want("+PONG", "PING")
}

// An address that opens links all the time is refused some; others are not.
func TestConnectionRate(t *testing.T) {
	eachTransport(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh, flags("max-new-connections-per-second 5")...)
		witness := s.client()
		witness.want("+PONG", "PING")
		refused := 0
		eventually(t, "a link is refused", func() bool {
			c := s.client()
			c.conn.Write(request("PING")) // it may be closed already
			reply, err := c.next()
			if err != nil {
				t.Fatal(err)
			}
			if got := reply.Str(); got == "ERR too many connections in a second from this address (max-new-connections-per-second)" {
				refused++
			} else if got != "PONG" {
				t.Fatal(got)
			}
			return refused > 0
		})
		if got := witness.counter("rate_limited_connections"); got != refused {
			t.Errorf("%d are counted, %d were refused", got, refused)
		}
		witness.want("+OK", "CONFIG", "SET", "max-new-connections-per-second", "0")
		for range 20 {
			s.client().want("+PONG", "PING")
		}
	})
}

// Without a password, only this machine's own are served, wherever it listens.
func TestProtectedMode(t *testing.T) {
	eachTransport(t, func(t *testing.T, sh shape) {
		outside := ownAddress(t)
		s := startServer(t, sh, flags("bind 127.0.0.1 "+outside)...)
		admin := s.client()
		foreign := func() *client {
			s.addr = s.Addresses()[1]
			return s.client()
		}
		refused := func() {
			t.Helper()
			c := foreign()
			reply, err := c.next()
			if err != nil || !strings.HasPrefix(reply.Str(), "DENIED Troupe is running in protected mode") {
				t.Errorf("a stranger gets %s, %v", reply.Str(), err)
			}
			c.wantEnd("")
		}
		refused()
		admin.want("+OK", "CONFIG", "SET", "protected-mode", "no")
		foreign().want("+PONG", "PING")
		admin.want("+OK", "CONFIG", "SET", "protected-mode", "yes")
		refused()
		admin.want("+OK", "CONFIG", "SET", "requirepass", "secret")
		foreign().want("-NOAUTH Authentication required.", "PING")
		if got := admin.counter("rejected_connections"); got != 2 {
			t.Errorf("%d were rejected", got)
		}
		// Whoever comes from outside has no use of what only this machine may.
		c := foreign()
		c.want("+OK", "AUTH", "secret")
		c.want("-ERR CONFIG SET failed (possibly related to argument 'dir') - can't set protected config", "CONFIG", "SET", "dir", "/tmp")
	})
}

// ownAddress is an address of this machine that is not of the loopback.
func ownAddress(t *testing.T) string {
	t.Helper()
	all, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range all {
		if ip, ok := one.(*net.IPNet); ok && ip.IP.To4() != nil && !ip.IP.IsLoopback() {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but those of the loopback")
	return ""
}
