package main_test

import (
	"bufio"
	"crypto/tls"
	"fmt"
	"net"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

// Slowloris: 1,000 links that send a request a byte at a time and never come to
// its end. Those that must log in first do not stay.
func TestAbuseSlowloris(t *testing.T) {
	t.Parallel()
	s := startAbused(t, "--handshake-timeout", "1")
	drip := func(links []*client) {
		request := resp.V2.Append(nil, resp.Strings("SET", "slow", strings.Repeat("x", 100)))
		for _, b := range request[:len(request)/2] {
			for _, c := range links {
				c.conn.Write([]byte{b}) // it may be closed already
			}
		}
	}
	open := func() (links []*client) {
		for range linksPossible(t, sized(1000, 200)) {
			links = append(links, s.patient())
		}
		return links
	}
	admin := s.patient()
	s.beside(40, func() {
		links := open()
		drip(links)
		for _, c := range links {
			c.conn.Close()
		}
	})
	admin.want(":0", "EXISTS", "slow")
	admin.want("+OK", "ACL", "SETUSER", "admin", "on", ">x", "~*", "+@all")
	admin.want("+OK", "CONFIG", "SET", "requirepass", "secret")
	links := open()
	drip(links)
	for _, c := range links {
		if !c.ended() {
			t.Fatal("a link that does not log in stays")
		}
	}
	if got := admin.counter("handshake_timeouts"); got != len(links) {
		t.Errorf("%d links were closed for it, of %d", got, len(links))
	}
}

// 1,000 links that begin TLS and do not go on, some of them never having begun.
func TestAbuseHandshakes(t *testing.T) {
	t.Parallel()
	s := startTLS(t, "--handshake-timeout", "1", "--tls-auth-clients", "no")
	neighbour, _ := s.dialTLS()
	neighbour.SetDeadline(time.Time{})
	ping := func() {
		t.Helper()
		answer := make([]byte, 7)
		if _, err := neighbour.Write([]byte("PING\r\n")); err != nil {
			t.Fatal(err)
		}
		if _, err := neighbour.Read(answer); err != nil || string(answer) != "+PONG\r\n" {
			t.Fatalf("%q, %v", answer, err)
		}
	}
	var links []net.Conn
	for i := range linksPossible(t, sized(1000, 200)) {
		conn, err := net.Dial("tcp", "127.0.0.1:"+s.port)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		conn.Write([]byte("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03")[:i%12])
		links = append(links, conn)
		ping()
	}
	for _, conn := range links {
		if !(&client{t: t, conn: conn, in: bufio.NewReader(conn)}).ended() {
			t.Fatal("a link that does not go on stays")
		}
		ping()
	}
	conn, err := tls.Dial("tcp", "127.0.0.1:"+s.port, &tls.Config{InsecureSkipVerify: true})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
}

// tcpRepair is a socket option of Linux, which lets a socket go without a word to
// its peer, as when a machine is switched off.
const tcpRepair = 19

// Half-open links: their peers have vanished. TCP's probes find them out.
func TestAbuseHalfOpen(t *testing.T) {
	t.Parallel()
	s := startAbused(t, "--tcp-keepalive", "1")
	admin := s.patient()
	for range 20 {
		c := s.patient()
		c.want("+PONG", "PING")
		c.want("+OK", "WATCH", "k")
		raw, err := c.conn.(*net.TCPConn).SyscallConn()
		if err != nil {
			t.Fatal(err)
		}
		var failed error
		raw.Control(func(fd uintptr) { failed = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, tcpRepair, 1) })
		if failed != nil {
			t.Skipf("links cannot be made to vanish here: TCP_REPAIR: %v", failed)
		}
		c.conn.Close()
	}
	eventually(t, func() error {
		if n := admin.counter("connected_clients"); n != 1 {
			return fmt.Errorf("%d links are left", n)
		}
		return nil
	})
}

// 50,000 links, as many at once as the program takes and the system allows.
func TestAbuseConnects(t *testing.T) {
	t.Parallel()
	atOnce := linksPossible(t, sized(10_000, 1500))
	most := atOnce * 3 / 4
	s := startAbused(t, "--maxclients", fmt.Sprint(most))
	admin := s.patient()
	total := sized(50_000, 4000)
	s.beside(30+most/40, func() { // 25 KB a link
		for opened := 0; opened < total; opened += atOnce {
			var links []net.Conn
			for range min(atOnce, total-opened) {
				conn, err := net.Dial("tcp", s.addresses[0])
				if err != nil {
					t.Fatal(err)
				}
				links = append(links, conn)
			}
			for _, conn := range links {
				conn.Close()
			}
		}
	})
	eventually(t, func() error {
		if n := admin.counter("connected_clients"); n != 1 {
			return fmt.Errorf("%d links are left", n)
		}
		return nil
	})
	if got := admin.counter("total_connections_received"); got < total {
		t.Errorf("%d links were counted, of %d", got, total)
	}
	if got := admin.counter("rejected_connections"); total >= atOnce && got == 0 {
		t.Errorf("nobody was refused, though %d came at once and %d may be there", atOnce, most)
	}
}

// Clients ask for 1 GB of replies each, and read nothing of it.
func TestAbuseNeverReads(t *testing.T) {
	t.Parallel()
	s := startAbused(t)
	admin := s.patient()
	big := strings.Repeat("x", 1<<20)
	admin.want("+OK", "SET", "big", big)
	for range 1000 {
		admin.want(fmt.Sprint(":", admin.length("list")+1), "RPUSH", "list", big[:1000])
	}
	s.settle()
	asks := sized(1024, 128)
	s.beside(80, func() {
		var group sync.WaitGroup
		for _, request := range [][]byte{
			resp.V2.Append(nil, resp.Strings("GET", "big")), resp.V2.Append(nil, resp.Strings("LRANGE", "list", "0", "-1")),
			resp.V2.Append(nil, resp.Strings("MGET", "big")), resp.V2.Append(nil, resp.Strings("EVAL", "return redis.call('GET', KEYS[1])", "1", "big")),
		} {
			c := s.patient()
			group.Go(func() {
				c.conn.SetWriteDeadline(time.Now().Add(3 * time.Second)) // the server need not take them all
				for range asks {
					if _, err := c.conn.Write(request); err != nil {
						return
					}
				}
			})
		}
		group.Wait()
		for range 100 {
			admin.want("+PONG", "PING")
		}
	})
}

func (c *client) length(list string) int {
	c.t.Helper()
	n := 0
	fmt.Sscanf(c.ask("LLEN", list), ":%d", &n)
	return n
}
