package main

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp/dice/dicetest"
)

// Links of DiceDB's protocols as bytes: cut, piled up, damaged, of another
// protocol, and closed to strangers.

// diceClient opens a link that speaks one of the protocols.
func (s *server) diceClient(raw bool) *diceClient {
	return &diceClient{s.tb, dicetest.Conn{Conn: s.dial(), Raw: raw}}
}

// diceClient is a link that asks and is answered, in DiceDB's client's words.
type diceClient struct {
	tb testing.TB
	dicetest.Conn
}

func (c *diceClient) ask(words ...string) string {
	c.tb.Helper()
	m, err := c.Ask(words...)
	if err != nil {
		c.tb.Fatalf("%q: %v", words, err)
	}
	return m.CLI()
}

func (c *diceClient) want(reply string, words ...string) {
	c.tb.Helper()
	if got := c.ask(words...); got != reply {
		c.tb.Errorf("%q is answered %s, want %s", words, got, reply)
	}
}

// next is the next message, which nobody asked for.
func (c *diceClient) next() string {
	c.tb.Helper()
	m, err := c.Receive()
	if err != nil {
		c.tb.Fatal(err)
	}
	return m.CLI()
}

// bothProtocols runs f as a subtest for each.
func bothProtocols(t *testing.T, f func(t *testing.T, raw bool)) {
	for _, raw := range []bool{true, false} {
		t.Run(map[bool]string{true: "raw", false: "framed"}[raw], func(t *testing.T) {
			t.Parallel()
			f(t, raw)
		})
	}
}

// conversation is a stream of commands and the bytes of their replies; ends are
// the places in it where a field of the raw protocol ends within a command.
func conversation(raw bool) (in, out []byte, ends map[int]bool) {
	ends = map[int]bool{}
	for _, step := range [][2]string{
		{"HANDSHAKE id command", "22024f4b 0000000612024f4b7200"},
		{"SET k v1", "22024f4b 0000000712024f4b8a0100"},
		{"GET k", "22027631 0000000b12024f4b8201040a027631"},
		{"PING", "2204504f4e47 0000000c12024f4b62060a04504f4e47"},
		{"GET nokey", "1001 0000000712024f4b820100"},
		{"DEL k", "1801 0000000912024f4b9201020801"},
	} {
		words := strings.Split(step[0], " ")
		for i := 1; i < len(words); i++ {
			ends[len(in)+len(dicetest.Encode(raw, words[:i]...))] = true
		}
		in = append(in, dicetest.Encode(raw, words...)...)
		replies := strings.Split(step[1], " ")
		reply, err := hex.DecodeString(replies[map[bool]int{true: 0, false: 1}[raw]])
		if err != nil {
			panic(err)
		}
		out = append(out, reply...)
	}
	return in, out, ends
}

// Wherever the network cuts a stream, it is answered the same. Only between two
// arguments of a raw command the server would have to wait for a moment; these
// places are cut without waiting in between.
func TestDiceCuts(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		in, out, ends := conversation(raw)
		for cut := range in {
			conn := s.dial()
			before, _ := s.Server.Traffic()
			got := make([]byte, len(out))
			if _, err := conn.Write(in[:cut]); err != nil {
				t.Fatal(err)
			}
			if !raw || !ends[cut] {
				eventually(t, "the first part is read", func() bool {
					read, _ := s.Server.Traffic()
					return read-before >= int64(cut)
				})
			}
			if _, err := conn.Write(in[cut:]); err != nil {
				t.Fatal(err)
			}
			if _, err := io.ReadFull(withDeadline(conn), got); err != nil || !bytes.Equal(got, out) {
				t.Fatalf("cut at %d: %x, want %x (%v)", cut, got, out, err)
			}
			conn.Close()
		}
	})
}

// Many commands at once are all answered, in order.
func TestDicePipeline(t *testing.T) {
	t.Parallel()
	for _, sh := range []shape{{1, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			c := startServer(t, sh).diceClient(false)
			const n = 5000
			var all []byte
			for i := range n {
				key := fmt.Sprint("k", i%10)
				all = append(all, c.Encode("SET", key, fmt.Sprint(i))...)
				all = append(all, c.Encode("GET", key)...)
				all = append(all, c.Encode("EXISTS", key, "a", "b", "c", key)...)
			}
			go c.Write(all)
			for i := range n {
				for _, want := range []string{"OK ", fmt.Sprintf("OK %q", fmt.Sprint(i)), "OK 2"} {
					if got := c.next(); got != want {
						t.Fatalf("reply %d: %s, want %s", i, got, want)
					}
				}
			}
		})
	}
}

// Large values go both ways, at the lengths where their clients' reads end too.
func TestDiceLargeValues(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		c := startServer(t, shape{1, false}).diceClient(raw)
		sizes := []int{1 << 20, 1 << 24}
		if raw {
			sizes = nil
			for size := 16384 - 30; size < 16384+2; size++ {
				sizes = append(sizes, size)
			}
		}
		for _, size := range sizes {
			value := strings.Repeat("x", size)
			if got := c.ask("SET", "k", value); !strings.HasPrefix(got, "OK") {
				t.Fatalf("%d bytes: %s", size, got)
			}
			if got := c.ask("GET", "k"); strings.Trim(got, `OK "`) != value {
				t.Fatalf("of %d bytes %d are read", size, len(got))
			}
		}
	})
}

// A raw command of many arguments that is longer than a packet waits for more
// of its kind, and is run when none comes.
func TestDiceDenseCommand(t *testing.T) {
	t.Parallel()
	c := startServer(t, shape{1, false}).diceClient(true)
	command := []string{"HSET", "h"}
	for i := range 50 {
		command = append(command, fmt.Sprint("field", i), strings.Repeat("v", 40))
	}
	c.want("OK 50", command...)
	c.want("ERR wrong number of arguments for 'GET' command", "GET")
}

// What cannot be read ends the link, behind the replies to what was before it.
func TestDiceDamage(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	pong := map[bool]string{true: "2204504f4e47", false: "0000000c12024f4b62060a04504f4e47"}
	f := func(raw bool, damage string) {
		t.Helper()
		conn := s.dial()
		defer conn.Close()
		in := append(dicetest.Encode(raw, "PING"), damage...)
		if _, err := conn.Write(in); err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(withDeadline(conn))
		if err != nil && !errors.Is(err, syscall.ECONNRESET) || hex.EncodeToString(got) != pong[raw] {
			t.Errorf("%q: %x, %v", damage, got, err)
		}
	}
	f(false, "\x00\x00\x00\x00")
	f(false, "\x02\x00\x00\x01")
	f(false, "\xff\xff\xff\xff")
	f(false, "\x00\x00\x00\x02\x0a\x05")
	f(false, "\x00\x00\x00\x03\x0a\x01\xff")
	f(false, "*1\r\n$4\r\nPING\r\n")
	f(false, "GET / HTTP/1.1\r\n\r\n")
	f(false, string(dicetest.Encode(true, "PING")))
	f(true, "*1\r\n$4\r\nPING\r\n")
	f(true, "\x00\x00\x00\x06\x0a\x04PING")
	f(true, "\x0a\xff\xff\xff\xff\x7f")
	f(true, "\x1a\x01a")
	s.diceClient(false).want(`OK "PONG"`, "PING")
}

// A link that speaks RESP goes on to, whatever it sends.
func TestDiceBytesInRESP(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{1, false})
	c := s.client()
	c.want("+PONG", "PING")
	c.send([]byte("\x0a\x04PING\r\n"))
	if got := c.receive(); !strings.Contains(got, "unknown command") {
		t.Errorf("%s", got)
	}
	c.want("+PONG", "PING")
}

// A frame that only says that it is long costs nothing, and an argument takes
// two bytes of a message and more here: there may not be too many.
func TestDiceBounds(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{1, false})
	idle := s.dial()
	if _, err := idle.Write(binary.BigEndian.AppendUint32(nil, 32<<20)); err != nil {
		t.Fatal(err)
	}
	many := s.dial()
	body := append(dicetest.Encode(true, "DEL"), bytes.Repeat([]byte{0x12, 0}, 1<<20+1)...)
	go many.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	if n, err := withDeadline(many).Read(make([]byte, 1)); n > 0 || err == nil {
		t.Errorf("%d bytes, %v", n, err)
	}
	s.diceClient(false).want("ERR the client's id is too long", "HANDSHAKE", strings.Repeat("x", 1025), "command")
	var open net.Error
	idle.SetReadDeadline(time.Now())
	if _, err := idle.Read(make([]byte, 1)); !errors.As(err, &open) || !open.Timeout() {
		t.Errorf("a link that has sent part of a frame: %v", err)
	}
}

// Values that Redis clients wrote and that are not text are told apart from
// failures of the link.
func TestDiceNotText(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false})
		c, redis := s.diceClient(raw), s.client()
		redis.want("+OK", "SET", "k", "\xff\xfe")
		redis.want(":1", "HSET", "h", "f", "\xff")
		redis.want("+OK", "SET", "\xff", "v")
		const says = "ERR the value is not UTF-8, which this protocol cannot carry: read it with a Redis client"
		c.want(says, "GET", "k")
		c.want(says, "GETDEL", "k")
		redis.want(":1", "EXISTS", "k")
		c.want(says, "HGETALL", "h")
		if !raw {
			c.want(says, "KEYS", "*")
			c.want("OK string", "TYPE", "k")
		}
		c.ask("SET", "k", "héllo")
		if got := c.ask("GET", "k"); !strings.Contains(got, "héllo") {
			t.Errorf("%s", got)
		}
	})
}

// A password is asked for. Links that can say AUTH do; of the others the id
// begins with it.
func TestDicePassword(t *testing.T) {
	t.Parallel()
	bothProtocols(t, func(t *testing.T, raw bool) {
		s := startServer(t, shape{2, false}, config.Flag{Name: "requirepass", Words: []string{"se:c@ret"}})
		const noAuth = "ERR NOAUTH Authentication required."
		ok := map[bool]string{true: "OK OK", false: "OK "}[raw]
		c := s.diceClient(raw)
		c.want(ok, "HANDSHAKE", "me", "command")
		c.want(noAuth, "GET", "k")
		c.want(noAuth, "GET.WATCH", "k")
		c.want(noAuth, "HANDSHAKE", "me", "watch")
		c.want("ERR WRONGPASS invalid username-password pair or user is disabled.", "AUTH", "nope")
		c.want("ERR WRONGPASS the client's id does not begin with a valid user:password@", "HANDSHAKE", "nope@me", "watch")
		c.want(ok, "AUTH", "se:c@ret")
		c.ask("SET", "k", "v1")
		c.ask("GET.WATCH", "k")
		w := s.diceClient(raw)
		w.want(ok, "HANDSHAKE", "default:se:c@ret@me", "watch")
		c.ask("SET", "k", "v2")
		if got := w.next(); !strings.Contains(got, "v2") {
			t.Errorf("pushed %s", got)
		}
		stranger := s.dial()
		go stranger.Write(dicetest.Encode(raw, "HANDSHAKE", "me", strings.Repeat("x", 17000)))
		if n, err := withDeadline(stranger).Read(make([]byte, 1)); n > 0 || err == nil {
			t.Errorf("a long request before the login: %d bytes, %v", n, err)
		}
	})
}

// Nobody is shown the id of another's link, which may hold a password. What is
// given away under Redis's name is not to be had under DiceDB's.
func TestDiceOperation(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false}, config.Flag{Name: "rename-command", Words: []string{"FLUSHDB", ""}})
	monitor := s.client()
	monitor.want("+OK", "MONITOR")
	c := s.diceClient(false)
	c.want("OK ", "HANDSHAKE", "secret", "command")
	if line := monitor.receive(); strings.Contains(line, "secret") || !strings.Contains(line, "HANDSHAKE") {
		t.Error(line)
	}
	c.want("ERR ERROR unknown command 'FLUSHDB'", "FLUSHDB")
	c.ask("GET.WATCH", "k")
	c.ask("SET", "k", "v")
	list := s.client().ask("CLIENT", "LIST")
	if !strings.Contains(list, "cmd=set") || !strings.Contains(list, "live=1") {
		t.Error(list)
	}
	stats := s.client().ask("INFO", "commandstats")
	if !strings.Contains(stats, "cmdstat_set:calls=1") || !strings.Contains(stats, "cmdstat_get.watch:calls=1") {
		t.Error(stats)
	}
}

// Whatever bytes a link sends after it began in one of the protocols, the others
// are served.
func TestDiceAtRandom(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{2, false})
	random := rand.New(rand.NewPCG(drawSeed(t), 0))
	names := strings.Fields("GET SET GET.WATCH HSET KEYS UNWATCH ZADD ZRANGE ZRANGE.WATCH ZCOUNT ZPOPMAX ZPOPMIN ZRANK.WATCH")
	for i := range 200 {
		conn := s.dial()
		raw := i%2 == 0
		in := dicetest.Encode(raw, "HANDSHAKE", "x", "watch")
		for range random.IntN(20) {
			command := dicetest.Encode(raw, names[random.IntN(len(names))], "k", "1", "2")
			if random.IntN(3) == 0 {
				command[random.IntN(len(command))] = byte(random.IntN(256))
			}
			in = append(in, command...)
		}
		conn.Write(in)
		conn.Close()
	}
	s.diceClient(false).want(`OK "PONG"`, "PING")
	eventually(t, "nobody watches", func() bool { return s.Server.Watches.Len() == 0 })
}

// diceNames are the commands of DiceDB's last release, and those that its last
// library knows beside them.
const diceNames = "DECR DECRBY DEL ECHO EXISTS EXPIRE EXPIREAT EXPIRETIME FLUSHDB GET GETDEL GETEX GETSET HANDSHAKE HGET HGETALL HSET INCR INCRBY " +
	"KEYS PING SET TTL TYPE UNWATCH ZADD ZCARD ZCOUNT ZPOPMAX ZPOPMIN ZRANGE ZRANK ZREM GEOADD GEODIST GEOHASH GEOPOS GEOSEARCH"

// All of DiceDB's commands are there, and have a live form where DiceDB has one.
func TestDiceNames(t *testing.T) {
	t.Parallel()
	s := startServer(t, shape{1, false})
	c := s.diceClient(false)
	for name := range strings.FieldsSeq(diceNames) {
		for _, live := range []string{"", ".WATCH"} {
			unknown := strings.Contains(c.ask(name+live), "unknown command")
			watchable := live == "" || strings.Contains(" GET HGET HGETALL ZCARD ZCOUNT ZRANGE ZRANK ", " "+name+" ")
			if unknown == watchable {
				t.Errorf("%s%s: unknown is %v", name, live, unknown)
			}
		}
	}
}
