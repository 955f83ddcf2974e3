package main

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp/redistest"
)

// Keys move between servers, ours and redis-server, and none is lost or comes
// twice unless the answer says so, whatever the network or another client does
// meanwhile.

// bridge is the address, over TCP, of a redis-server that listens on a unix
// socket. All links end with the test.
func bridge(t *testing.T, redis *redistest.Server) (host, port string) {
	return listen(t, func(conn net.Conn) {
		peer := redis.Dial()
		go func() {
			io.Copy(peer, conn)
			peer.CloseWrite()
		}()
		io.Copy(conn, peer)
		peer.Close()
	})
}

// listen serves each connection, until the test ends.
func listen(t *testing.T, serve func(net.Conn)) (host, port string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				serve(conn)
			}()
		}
	}()
	host, port, _ = net.SplitHostPort(l.Addr().String())
	return host, port
}

func (s *server) hostPort() (host, port string) {
	host, port, _ = net.SplitHostPort(s.addr)
	return host, port
}

// moved are commands that make a key of each type and form.
var moved = [][]string{
	{"SET", "int", "-12345"},
	{"SET", "text", "a text"},
	{"SET", "long", strings.Repeat("long ", 50_000)},
	{"SET", "binary", "\x00\xff\r\n"},
	{"SET", "", "of the empty key"},
	{"RPUSH", "list", "a", "1", strings.Repeat("b", 10_000), "c"},
	{"SADD", "numbers", "3", "-70000", "5"},
	{"SADD", "members", "a", "b", "3"},
	{"ZADD", "scores", "1.5", "a", "-inf", "b", "3", "c"},
	{"HSET", "hash", "f", "v", "n", "12", "long", strings.Repeat("field ", 10_000)},
}

func namesMoved() (names []string) {
	for _, words := range moved {
		names = append(names, words[1])
	}
	return names
}

// digests are those of keys, as DEBUG DIGEST-VALUE tells them here and there.
func digests(c *client, names []string) string {
	c.tb.Helper()
	return c.ask(append([]string{"DEBUG", "DIGEST-VALUE"}, names...)...)
}

// makeMoved makes the keys to be moved, one of them with an end.
func makeMoved(c *client) {
	c.tb.Helper()
	for _, words := range moved {
		if got := c.ask(words...); strings.HasPrefix(got, "-") {
			c.tb.Fatalf("%.60q is answered %s", words, got)
		}
	}
	c.want(":1", "EXPIRE", "text", "1000")
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	redisHost, redisPort := bridge(t, redis)
	f := func(name string, from, to *client, host, port string) {
		t.Run(name, func(t *testing.T) {
			from.tb, to.tb = t, t
			from.want("+OK", "FLUSHALL")
			to.want("+OK", "FLUSHALL")
			makeMoved(from)
			names := namesMoved()
			before := digests(from, names)
			to.want("+OK", "SELECT", "3")

			from.want("+OK", "MIGRATE", host, port, "int", "3", "5000", "COPY")
			from.want(`"-12345"`, "GET", "int")
			to.want(`"-12345"`, "GET", "int")
			from.want("-ERR Target instance replied with error: BUSYKEY Target key name already exists.",
				"MIGRATE", host, port, "int", "3", "5000")
			from.want(`"-12345"`, "GET", "int")
			from.want("+OK", append([]string{"MIGRATE", host, port, "", "3", "5000", "REPLACE", "KEYS", "missing"}, names...)...)
			from.want(":0", append([]string{"EXISTS"}, names...)...)
			from.want("+NOKEY", append([]string{"MIGRATE", host, port, "", "3", "5000", "REPLACE", "KEYS", "missing"}, names...)...)
			if after := digests(to, names); after != before {
				t.Errorf("the digests were\n%s and have become\n%s", before, after)
			}
			if left := to.ask("PTTL", "text"); len(left) != len(":999999") || left < ":900000" {
				t.Errorf("the time to live is %s ms", left)
			}
			to.want(":-1", "TTL", "long")

			from.want("+OK", "SET", "int", "1")
			from.want("-ERR Target instance replied with error: ERR DB index is out of range",
				"MIGRATE", host, port, "int", "99", "5000")
			from.want("-ERR Target instance replied with error: ERR AUTH <password> called without any password configured for the default user. Are you sure your configuration is correct?",
				"MIGRATE", host, port, "int", "1", "5000", "AUTH", "secret")
			from.want("-ERR Target instance replied with error: WRONGPASS invalid username-password pair or user is disabled.",
				"MIGRATE", host, port, "int", "1", "5000", "AUTH2", "nobody", "secret")
			from.want(`"1"`, "GET", "int")
		})
	}
	for _, sh := range []shape{{1, false}, {16, false}, {2, true}} {
		ours, other := startServer(t, sh), startServer(t, shape{shards: 2})
		theirs := &client{tb: t, conn: redis.Dial()}
		host, port := ours.hostPort()
		f(sh.String()+" to Redis", ours.client(), theirs, redisHost, redisPort)
		f(sh.String()+" from Redis", &client{tb: t, conn: redis.Dial()}, ours.client(), host, port)
		otherHost, otherPort := other.hostPort()
		f(sh.String()+" to ours", ours.client(), other.client(), otherHost, otherPort)
	}
}

// With a password that is right, and keys of another database.
func TestMigrateWithPassword(t *testing.T) {
	t.Parallel()
	target := startServer(t, shape{shards: 2}, config.Flag{Name: "requirepass", Words: []string{"secret"}})
	host, port := target.hostPort()
	c, there := startServer(t, shape{shards: 2}).client(), target.client()
	there.want("+OK", "AUTH", "secret")
	c.want("+OK", "SELECT", "5")
	for _, login := range [][]string{{"AUTH", "secret"}, {"AUTH2", "default", "secret"}} {
		c.want("+OK", "SET", "k", login[0])
		c.want("+OK", append([]string{"MIGRATE", host, port, "k", "0", "5000", "REPLACE"}, login...)...)
		c.want("_", "GET", "k")
		there.want(`"`+login[0]+`"`, "GET", "k")
	}
	c.want("+OK", "SET", "k", "v")
	c.want("-ERR Target instance replied with error: NOAUTH Authentication required.", "MIGRATE", host, port, "k", "0", "5000", "REPLACE")
	c.want("-ERR Target instance replied with error: WRONGPASS invalid username-password pair or user is disabled.",
		"MIGRATE", host, port, "k", "0", "5000", "REPLACE", "AUTH", "guess")
	c.want(`"v"`, "GET", "k")
}

// slowTarget is a target that reads the commands of one migration, says so, and
// then does what it is told: answer (+OK to so many), or hang up.
type slowTarget struct {
	host, port string
	received   chan struct{}
	answer     chan string
}

func startSlowTarget(t *testing.T, commands int) *slowTarget {
	s := &slowTarget{received: make(chan struct{}), answer: make(chan string)}
	s.host, s.port = listen(t, func(conn net.Conn) {
		in := bufio.NewReader(conn)
		for range commands {
			if !skipCommand(in) {
				return
			}
		}
		select {
		case s.received <- struct{}{}:
		case <-t.Context().Done():
			return
		}
		select {
		case answer := <-s.answer:
			conn.Write([]byte(answer))
		case <-t.Context().Done():
		}
	})
	return s
}

// skipCommand reads a command and forgets it.
func skipCommand(in *bufio.Reader) bool {
	var words, size int
	if _, err := fmt.Fscanf(in, "*%d\r\n", &words); err != nil {
		return false
	}
	for range words {
		if _, err := fmt.Fscanf(in, "$%d\r\n", &size); err != nil {
			return false
		}
		if _, err := in.Discard(size + 2); err != nil {
			return false
		}
	}
	return true
}

// While keys are on their way their shards serve everybody, and what is written
// to them then is not lost.
func TestMigrateWhileOthersWrite(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		c, other := s.client(), s.client()
		f := func(want string, meanwhile func()) {
			t.Helper()
			target := startSlowTarget(t, 4)
			other.want("+OK", "MSET", "a", "1", "b", "2", "c", "3")
			c.send(request("MIGRATE", target.host, target.port, "", "0", "60000", "KEYS", "a", "b", "c"))
			<-target.received
			meanwhile()
			target.answer <- "+OK\r\n+OK\r\n+OK\r\n+OK\r\n"
			if got := c.receive(); got != want {
				t.Errorf("answered %s, want %s", got, want)
			}
		}
		const changed = "-ERR Changed here while on the way, so not deleted here and old at the target: "
		f("+OK", func() { other.want(`["1", "2", "3"]`, "MGET", "a", "b", "c") })
		other.want(":0", "EXISTS", "a", "b", "c")
		f(changed+`"b"`, func() { other.want("+OK", "SET", "b", "new") })
		other.want(`[_, "new", _]`, "MGET", "a", "b", "c")
		f(changed+`"a", "c"`, func() {
			other.want(":1", "DEL", "a")
			other.want(":1", "EXPIRE", "c", "1000")
		})
		other.want(`[_, _, "3"]`, "MGET", "a", "b", "c")
		f(changed+`"a", "b", "c"`, func() {
			other.want("+OK", "FLUSHALL")
			other.want("+OK", "SET", "b", "2")
		})
		other.want(`[_, "2", _]`, "MGET", "a", "b", "c")
		f("+OK", func() { other.want("+OK", "SET", "d", "4") })
		if n := s.watchedKeys(); n > 0 {
			t.Errorf("%d keys are still watched", n)
		}
	})
}

// A key that ends on the way ends there too.
func TestMigrateOfWhatEnds(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2})
	c, other := s.client(), s.client()
	target := startSlowTarget(t, 2)
	other.want("+OK", "SET", "a", "1", "PX", "5000")
	c.send(request("MIGRATE", target.host, target.port, "a", "0", "60000"))
	<-target.received
	other.want("+OK", "DEBUG", "ADVANCE", "6000")
	eventually(t, "the key has ended", func() bool { return other.ask("EXISTS", "a") == ":0" })
	target.answer <- "+OK\r\n+OK\r\n"
	if got := c.receive(); got != "+OK" {
		t.Errorf("answered %s", got)
	}
}

// What the target has said to have goes from here, the rest stays, when the
// link breaks, when the target is too slow, and when it is no such server.
func TestMigrateInTrouble(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2})
	c, other := s.client(), s.client()
	f := func(answer, timeout, want, left string) {
		t.Helper()
		target := startSlowTarget(t, 4)
		other.want("+OK", "MSET", "a", "1", "b", "2", "c", "3")
		c.send(request("MIGRATE", target.host, target.port, "", "0", timeout, "KEYS", "a", "b", "c"))
		<-target.received
		if answer != "" {
			target.answer <- answer
		}
		if got := c.receive(); got != want {
			t.Errorf("to %q: answered %s, want %s", answer, got, want)
		}
		other.want(left, "MGET", "a", "b", "c")
	}
	const reading = "-IOERR error or timeout reading to target instance"
	f("+OK\r\n+OK\r\n", "60000", reading, `[_, "2", "3"]`)
	f("+OK\r\n+OK\r\n+OK", "60000", reading, `[_, "2", "3"]`)
	f("", "50", reading, `["1", "2", "3"]`)
	f("+OK\r\n-BUSY a script\r\n+OK\r\n+OK\r\n", "60000", "-ERR Target instance replied with error: BUSY a script", `["1", _, _]`)
	f("-ERR no\r\n+OK\r\n+OK\r\n+OK\r\n", "60000", "-ERR Target instance replied with error: ERR no", `["1", "2", "3"]`)
	f("-ERR no\r\n", "60000", "-ERR Target instance replied with error: ERR no", `["1", "2", "3"]`)
	f("HTTP/1.1 400 Bad Request\r\n\r\n", "60000", "-ERR Target instance replied with error: HTTP/1.1 400 Bad Request", `["1", "2", "3"]`)
	f("+OK\r\n"+strings.Repeat("x", 10_000)+"\r\n", "60000", reading, `["1", "2", "3"]`)
}

// A target that takes nothing, or is not there.
func TestMigrateToNobody(t *testing.T) {
	t.Parallel()
	c := startServer(t, shape{shards: 2}).client()
	host, port := listen(t, func(conn net.Conn) { <-t.Context().Done() })
	c.want("+OK", "SET", "k", strings.Repeat("abcdefghijklmnop", 10))
	c.want("+OK", "SET", "big", string(incompressible(20<<20)))
	c.want("-IOERR error or timeout reading to target instance", "MIGRATE", host, port, "k", "0", "50")
	c.want("-IOERR error or timeout writing to target instance", "MIGRATE", host, port, "big", "0", "50")
	c.want("-IOERR error or timeout connecting to the client", "MIGRATE", "no such host", port, "k", "0", "50")
	c.want("-IOERR error or timeout connecting to the client", "MIGRATE", host, "port", "k", "0", "50")
	c.want(":2", "EXISTS", "k", "big")
}

// incompressible are bytes of which none tells of another.
func incompressible(n int) []byte {
	b := make([]byte, n)
	x := uint32(1)
	for i := range b {
		x = x*1664525 + 1013904223
		b[i] = byte(x >> 24)
	}
	return b
}

// A migration neither holds back the end of the server, nor outlives it.
func TestMigrateWhileServerEnds(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2})
	c := s.client()
	target := startSlowTarget(t, 2)
	c.want("+OK", "SET", "k", "v")
	c.send(request("MIGRATE", target.host, target.port, "k", "0", "3600000"))
	<-target.received
	began := time.Now()
	s.stop()
	if took := time.Since(began); took > patience/2 {
		t.Errorf("the end took %v", took)
	}
}

// A redis-server that knows no deadlines of fields says so, and nothing is
// lost; one of ours takes them.
func TestMigrateOfFieldsThatEnd(t *testing.T) {
	t.Parallel()
	redisHost, redisPort := bridge(t, redistest.Start(t))
	other := startServer(t, shape{shards: 2})
	host, port := other.hostPort()
	c, there := startServer(t, shape{shards: 2}).client(), other.client()
	c.want(":2", "HSET", "h", "f", "v", "g", "w")
	c.want("[:1]", "HEXPIREAT", "h", "33177117420", "FIELDS", "1", "f")
	c.want("-ERR Target instance replied with error: ERR DUMP payload version or checksum are wrong", "MIGRATE", redisHost, redisPort, "h", "0", "5000")
	c.want("[:33177117420, :-1]", "HEXPIRETIME", "h", "FIELDS", "2", "f", "g")
	c.want("+OK", "MIGRATE", host, port, "h", "0", "5000")
	c.want(":0", "EXISTS", "h")
	there.want("[:33177117420, :-1]", "HEXPIRETIME", "h", "FIELDS", "2", "f", "g")
}

// In a transaction there would be no going on elsewhere.
func TestMigrateInMulti(t *testing.T) {
	t.Parallel()
	c := startServer(t, shape{shards: 2}).client()
	c.want("+OK", "MULTI")
	c.want("-ERR Command not allowed inside a transaction", "MIGRATE", "127.0.0.1", "1", "k", "0", "50")
	c.want("-EXECABORT Transaction discarded because of previous errors.", "EXEC")
}

// Passwords are shown to nobody.
func TestMigrateKeepsSecrets(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{shards: 2})
	c, monitor := s.client(), s.client()
	monitor.want("+OK", "MONITOR")
	c.want("+NOKEY", "MIGRATE", "h", "1", "k", "0", "50", "AUTH", "secret")
	c.want("+NOKEY", "MIGRATE", "h", "1", "", "0", "50", "AUTH2", "somebody", "secret", "KEYS", "AUTH", "shown")
	for _, want := range []string{
		`"AUTH" "(redacted)"`, `"AUTH2" "(redacted)" "(redacted)" "KEYS" "AUTH" "shown"`,
	} {
		if got := strings.ReplaceAll(monitor.receive(), `\"`, `"`); !strings.Contains(got, want) || strings.Contains(got, "secret") {
			t.Errorf("MONITOR shows %s", got)
		}
	}
}
