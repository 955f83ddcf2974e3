package dice

import (
	"bytes"
	"encoding/hex"
	"math"
	"strconv"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/dice/dicetest"
)

// limits are those of a server without configuration.
var limits = Limits{Bytes: MessageMax, Args: 1 << 20, ArgBytes: MessageMax}

// Vectors taken from DiceDB's own servers and documentation.
func TestFingerprint(t *testing.T) {
	t.Parallel()
	f := func(text string, raw, framed uint64) {
		t.Helper()
		if got := Raw.Fingerprint(text); raw != 0 && got != raw {
			t.Errorf("raw, %q: %d, want %d", text, got, raw)
		}
		if got := Framed.Fingerprint(text); framed != 0 && got != framed {
			t.Errorf("framed, %q: %d, want %d", text, got, framed)
		}
	}
	f("GET k", 2894570460, 17334076746399234250)
	f("GET.WATCH k", 455956094, 6645377565653310095)
	f("GET.WATCH k1", 2356444921, 18024512288852834729)
	f("GET.WATCH k2", 3359610418, 13874500961829614238)
	f("GET.WATCH nope", 3266248465, 7072496480276105547)
	f("HGETALL.WATCH k", 4237011426, 2180283542607005391)
	f("HGETALL.WATCH h", 3157040175, 10229926470516113873)
	f("HGET.WATCH h f1", 3208566342, 1982637288860843106)
	f("ZRANGE.WATCH z 1 25 BYSCORE", 3273342186, 6906130947539334643)
	f("ZRANK.WATCH z bob", 1496387933, 15368921549932547988)
	f("ZCARD.WATCH z", 2869973945, 16740679624571058911)
	f("ZCOUNT.WATCH z 1 25", 3012256088, 8497037171666791682)
	f("ZRANGE z 0 -1 WITHSCORES REV", 1809329176, 0)
	f("PFCOUNT p", 2235600841, 0)
}

func TestDetect(t *testing.T) {
	t.Parallel()
	f := func(first string, want Protocol) {
		t.Helper()
		if p, clear := Detect([]byte(first)); !clear || p != want {
			t.Errorf("%q: %d %v, want %d", first, p, clear, want)
		}
	}
	f("\x00\x00\x00\x06\n\x04PING", Framed)
	f("\x00", Framed)
	f("\x02", Framed)
	f("\x03", None)
	f("\n\x04PING", Raw)
	f("\n\x09HANDSHAKE\x12\x04id-1", Raw)
	f("\x12\x01a", Raw)
	f("*1\r\n", None)
	f("PING\r\n", None)
	f("\r\n", None)
	f("\nPING\r\n", None)     // an empty line: P is longer than any name
	f("\n\nPING\r\n", None)   // as long as EXPIRETIME, but no name
	f("\n\r\nPING\r\n", None) // as long as HGETALL.WATCH
	f("\n\n\nPING\r\n", None)
	f("\n\x00", None)
	f("\n\tGET key\r\n", None) // words have blanks, names do not
	f("\n*1\r\n", None)
	g := func(first string) {
		t.Helper()
		if p, clear := Detect([]byte(first)); clear {
			t.Errorf("%q: %d is clear already", first, p)
		}
	}
	g("")
	g("\n")
	g("\n\x04")
	g("\n\x04PIN")
}

// Every prefix of a first request is unclear or what the whole is.
func TestDetectPrefixes(t *testing.T) {
	t.Parallel()
	for _, first := range []string{"\x00\x00\x00\x06\n\x04PING", "\n\x0dHGETALL.WATCH\x12\x01k", "\n*1\r\n$4\r\nPING\r\n", "\r\n\r\nPING\r\n"} {
		want, _ := Detect([]byte(first))
		for n := range len(first) {
			if p, clear := Detect([]byte(first[:n])); clear && p != want {
				t.Errorf("%q is %d, all of %q is %d", first[:n], p, first, want)
			}
		}
	}
}

// Bytes taken from DiceDB's own servers.
func TestBytes(t *testing.T) {
	t.Parallel()
	f := func(p Protocol, command string, reply resp.Reply, want string) {
		t.Helper()
		want = strings.ReplaceAll(want, " ", "")
		if got := hex.EncodeToString(p.Encoder(command).Append(nil, reply)); got != want {
			t.Errorf("%s: %s, want %s", command, got, want)
		}
	}
	f(Framed, "PING", resp.Pong, "0000000c 12024f4b 62060a04504f4e47")
	f(Framed, "HANDSHAKE", resp.OK, "00000006 12024f4b 7200")
	f(Framed, "SET", resp.OK, "00000007 12024f4b 8a0100")
	f(Framed, "SET", resp.Nil, "00000007 12024f4b 8a0100")
	f(Framed, "GET.WATCH", Watched(Framed.Fingerprint("GET.WATCH k"), resp.BulkString("v1")),
		"00000015 12024f4b 188fb5f6f8fef5c79c5c 8201040a027631")
	f(Framed, "", resp.Error("ERR unknown command '', with args beginning with: "),
		"0000001c 0801 1218 4552524f5220756e6b6e6f776e20636f6d6d616e64202727")
	f(Raw, "PING", resp.Pong, "2204504f4e47")
	f(Raw, "SET", resp.OK, "22024f4b")
	f(Raw, "GET", resp.Nil, "1001")
	f(Raw, "GET", resp.Empty, "2200")
	f(Raw, "TTL", resp.Int(42), "182a")
	f(Raw, "TTL", resp.Zero, "1800")
	f(Raw, "TTL", resp.Int(-2), "18feffffffffffffffff01")
	f(Raw, "HGETALL", resp.Map(resp.BulkString("f"), resp.BulkString("v")), "4a060a0166120176")
	f(Raw, "HGETALL", resp.Map(), "1001")
	f(Raw, "GET.WATCH", Watched(Raw.Fingerprint("GET.WATCH k1"), resp.BulkString("v2")),
		"3a1d0a1b0a0b66696e6765727072696e74120c1a0a32333536343434393231 22027632")
	f(Framed, "GEODIST", resp.Nil, "00000007 12024f4b a20300")
	f(Framed, "GEOHASH", resp.Array(resp.Nil), "00000009 12024f4b b20302 0a00")
	f(Framed, "GEOPOS", resp.Array(resp.NilArray), "00000009 12024f4b ba0302 0a00")
	f(Framed, "GEOSEARCH", resp.Strings("a"), "0000000e 12024f4b aa0307 0a05 0a0161 1200")
	bob := elements(dicetest.Element{Rank: 2, Score: 20, Member: "bob"})
	f(Framed, "ZRANK", bob, "00000014 12024f4b ea020d 0802 1209 0814 1203626f62 1802")
	f(Framed, "ZRANK", resp.Nil, "00000009 12024f4b ea0202 1200")
	f(Framed, "ZRANGE", bob, "00000012 12024f4b ca020b 0a09 0814 1203626f62 1802")
	f(Framed, "ZRANGE", resp.EmptyList, "00000007 12024f4b ca0200")
	f(Framed, "ZADD", resp.Nil, "00000007 12024f4b ba0200")
	f(Raw, "ZRANK", bob, "1802")
	f(Raw, "ZRANK", resp.Nil, "1001")
	f(Raw, "ZRANK", elements(dicetest.Element{Member: "bob"}), "1001")
	f(Raw, "ZRANGE", resp.EmptyList, "1001")
	f(Raw, "ZRANGE", bob, "423a 2a38 0a11 0a0472616e6b 1209 110000000000000040 0a12 0a0573636f7265 1209 110000000000003440 0a0f 0a066d656d626572 1205 1a03626f62")
	f(Raw, "GET", resp.ErrArity("get"), "0a2b77726f6e67206e756d626572206f6620617267756d656e747320666f7220274745542720636f6d6d616e64")
}

// What is encoded in a shape is what a decoder that knows nothing of it finds.
func TestShapes(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("x", 1000)
	values := map[string][]any{
		"textShape":     {"", "v", "héllo", long},
		"numberShape":   {int64(0), int64(1), int64(-1), int64(math.MinInt64), int64(math.MaxInt64)},
		"truthShape":    {true, false},
		"textsShape":    {[]string(nil), []string{"a", "", long}},
		"pairsShape":    {[][2]string(nil), [][2]string{{"a", "1"}, {"", ""}, {long, long}}},
		"emptyShape":    {nil},
		"elementsShape": {[]dicetest.Element(nil), []dicetest.Element{{Rank: 1, Score: -5, Member: "a"}, {Rank: 2}, {Rank: 3, Score: math.MaxInt64, Member: long}}},
		"distanceShape": {0.0, 2.4167, -1e300},
		"coordsShape":   {[]dicetest.Coords(nil), []dicetest.Coords{{Longitude: 13.361389338970184, Latitude: 38.1155563954963}, {}, {Latitude: -1}}},
		"placesShape": {[]dicetest.Place(nil), []dicetest.Place{{Member: "a"}, {Member: "b", Distance: 1.5}, {Member: "c", Hash: 1 << 51},
			{Member: long, Coords: dicetest.Coords{Longitude: 1, Latitude: -2}}, {Member: "e", Distance: 2, Hash: 3, Coords: dicetest.Coords{Latitude: 5}}}},
		"elementShape": {dicetest.Element{}, dicetest.Element{Member: "a"}, dicetest.Element{Rank: 300, Score: math.MinInt64, Member: long}},
	}
	names := map[shape]string{distanceShape: "distanceShape", coordsShape: "coordsShape", placesShape: "placesShape", elementsShape: "elementsShape", elementShape: "elementShape", textShape: "textShape", numberShape: "numberShape", truthShape: "truthShape",
		textsShape: "textsShape", pairsShape: "pairsShape", emptyShape: "emptyShape"}
	for _, c := range Commands {
		for _, value := range values[names[c.shape]] {
			b := Framed.Encoder(c.Name).Append(nil, replyOf(value))
			m, err := dicetest.DecodeResult(b[4:])
			if c.shape == emptyShape {
				m.Value = nil
			}
			if err != nil || m.Failed || !equal(m.Value, value) {
				t.Errorf("%s: %v became %+v, %v", c.Name, value, m, err)
			}
		}
	}
}

func equal(a, b any) bool {
	x, y := dicetest.Message{Raw: true, Field: "v", Value: a}, dicetest.Message{Raw: true, Field: "v", Value: b}
	return x.JSON() == y.JSON()
}

func replyOf(value any) resp.Reply {
	switch v := value.(type) {
	case string:
		return resp.BulkString(v)
	case int64:
		return resp.Int(v)
	case bool:
		return resp.Flag(v)
	case []string:
		return resp.Strings(v...)
	case [][2]string:
		var items []resp.Reply
		for _, pair := range v {
			items = append(items, resp.BulkString(pair[0]), resp.BulkString(pair[1]))
		}
		return resp.Map(items...)
	case dicetest.Element:
		if v == (dicetest.Element{}) {
			return resp.Nil
		}
		return elements(v)
	case []dicetest.Element:
		return elements(v...)
	case float64:
		return numberReply(v)
	case []dicetest.Coords:
		var items []resp.Reply
		for _, c := range v {
			items = append(items, coordsReply(c))
		}
		return resp.Array(items...)
	case []dicetest.Place:
		var items []resp.Reply
		for _, p := range v {
			items = append(items, placeReply(p))
		}
		return resp.Array(items...)
	}
	return resp.OK
}

// numberReply is a number as RESP2 has it: a text.
func numberReply(f float64) resp.Reply { return resp.BulkString(strconv.FormatFloat(f, 'g', -1, 64)) }

func coordsReply(c dicetest.Coords) resp.Reply {
	if c == (dicetest.Coords{}) {
		return resp.NilArray
	}
	return resp.Array(numberReply(c.Longitude), resp.Double(c.Latitude))
}

// placeReply is an element of GEOSEARCH's reply.
func placeReply(p dicetest.Place) resp.Reply {
	items := []resp.Reply{resp.BulkString(p.Member)}
	if p.Distance != 0 {
		items = append(items, numberReply(p.Distance))
	}
	if p.Hash != 0 {
		items = append(items, resp.Int(int64(p.Hash)))
	}
	if p.Coords != (dicetest.Coords{}) {
		items = append(items, coordsReply(p.Coords))
	}
	if len(items) == 1 {
		return items[0]
	}
	return resp.Array(items...)
}

func elements(all ...dicetest.Element) resp.Reply {
	var items []resp.Reply
	for _, e := range all {
		items = AppendElement(items, Element{e.Rank, e.Score, []byte(e.Member)})
	}
	return resp.Array(items...)
}

// A reply that their clients' decoder would refuse is an error instead.
func TestUnspeakable(t *testing.T) {
	t.Parallel()
	f := func(command string, reply resp.Reply, want string) {
		t.Helper()
		for _, p := range []Protocol{Raw, Framed} {
			m, err := decode(p, p.Encoder(command).Append(nil, reply))
			if err != nil || !m.Failed || !strings.Contains(m.Text, want) {
				t.Errorf("%+v, %v, want an error with %q", m, err, want)
			}
		}
	}
	f("GET", resp.BulkString("\xff"), "not UTF-8")
	f("HGETALL", resp.Map(resp.BulkString("f"), resp.BulkString("a\xc0")), "not UTF-8")
	f("GET", resp.BulkString(strings.Repeat("x", MessageMax)), "32 MiB")
	f("GET.WATCH", Watched(1, resp.BulkString("\xff")), "not UTF-8")
	f("ZRANGE", elements(dicetest.Element{Rank: 1, Member: "\xff"}), "not UTF-8")
	f("ZRANGE", elements(make([]dicetest.Element, ElementsMax)...), "32 MiB")
}

func decode(p Protocol, b []byte) (dicetest.Message, error) {
	if p == Framed {
		return dicetest.DecodeResult(b[4:])
	}
	return dicetest.DecodeResponse(b)
}

// No reply of Raw has a length after which its clients would wait for more.
func TestRawPadding(t *testing.T) {
	t.Parallel()
	for n := rawReadBytes - 10; n < rawReadBytes+2; n++ {
		for _, pages := range []int{0, 1, 3} {
			value := strings.Repeat("x", n+pages*rawReadBytes)
			b := Raw.Encoder("GET").Append([]byte("before"), resp.BulkString(value))[6:]
			m, err := dicetest.DecodeResponse(b)
			if len(b)%rawReadBytes == 0 || err != nil || m.Value != value {
				t.Errorf("a text of %d bytes takes %d: %v", len(value), len(b), err)
			}
		}
	}
}

// Appending allocates nothing when there is room.
func TestEncodeAllocates(t *testing.T) { // not parallel: it counts allocations
	dst := make([]byte, 0, 1024)
	f := func(command string, reply resp.Reply) {
		t.Helper()
		for _, p := range []Protocol{Raw, Framed} {
			e := p.Encoder(command)
			if n := testing.AllocsPerRun(100, func() { dst = e.Append(dst[:0], reply) }); n != 0 {
				t.Errorf("%s, protocol %d: %v allocations", command, p, n)
			}
		}
	}
	f("GET", resp.BulkString("some value"))
	f("ZRANGE", elements(dicetest.Element{Rank: 1, Score: 10, Member: "a"}, dicetest.Element{Rank: 2, Score: 20, Member: "b"}))
	f("ZRANK", resp.Nil)
}

func TestMessages(t *testing.T) {
	t.Parallel()
	f := func(command string, reply resp.Reply, want string) {
		t.Helper()
		m, err := dicetest.DecodeResult(Framed.Encoder(command).Append(nil, reply)[4:])
		if err != nil || !m.Failed || m.Text != want {
			t.Errorf("%+v, want %q (%v)", m, want, err)
		}
	}
	f("HGET", resp.ErrWrongType, "wrongtype operation against a key holding the wrong kind of value")
	f("GET", resp.ErrWrongType, "unknown object type")
	f("INCR", resp.ErrNotInteger, "wrongtype operation against a key holding the wrong kind of value")
	f("", resp.ErrNotInteger, "value is not an integer or out of range")
	f("GET.WATCH", resp.ErrArity("get.watch"), "wrong number of arguments for 'GET' command")
	f("EXPIRE", resp.ErrExpireTime("expire"), "invalid expire time in 'EXPIRE' command")
	f("", resp.Error("ERR invalid expire time in 'EXPIRE' command"), "invalid expire time in 'EXPIRE' command")
	f("SET", resp.ErrSyntax, "invalid syntax for 'SET' command")
	f("GEOADD", resp.ErrNotFloat, "value is not an integer or a float")
	f("GET", resp.ErrNoAuth, "NOAUTH Authentication required.")
	f("", resp.Error("ERR unknown command 'it's', with args beginning with: 'a', with args beginning with: '"), "ERROR unknown command 'it's'")
}

// A failed watch has its fingerprint, so that its client knows which it was.
func TestWatchedError(t *testing.T) {
	t.Parallel()
	for _, p := range []Protocol{Raw, Framed} {
		m, err := decode(p, p.Encoder("GET.WATCH").Append(nil, Watched(42, resp.ErrWrongType)))
		if err != nil || !m.Failed || m.Text != "unknown object type" || m.Fingerprint != "42" {
			t.Errorf("%+v, %v", m, err)
		}
	}
}

func TestCommandsHaveRows(t *testing.T) {
	t.Parallel()
	seen := map[int]string{}
	for _, c := range Commands {
		if c.field == 0 || c.Since == None {
			t.Errorf("%s has no field or protocol", c.Name)
		}
		if other := seen[c.field]; other != "" && c.Name != "AUTH" && c.Name != "PERSIST" {
			t.Errorf("%s and %s share a field", c.Name, other)
		}
		seen[c.field] = c.Name
	}
}

func joined(words [][]byte) string { return string(bytes.Join(words, []byte(" "))) }
