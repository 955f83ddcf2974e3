package session

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

var seedFlag = flag.Uint64("seed", uint64(time.Now().UnixNano()), "the seed of the random tests")

// conversation feeds a stream to a Reader, cut into pieces before the given
// places, and answers as a redis-server does that knows PING alone. Each piece
// is shown in new memory, as a read buffer that grows may move.
func conversation(stream []byte, cuts []int, lim Limits) (answer string) {
	var r Reader
	var out, pending []byte
	from := 0
	for _, cut := range append(cuts, len(stream)) {
		pending = append(bytes.Clone(pending), stream[from:cut]...)
		from = cut
		for {
			args, n, status := r.Next(pending, nil, &lim)
			pending = pending[n:]
			switch status {
			case Invalid:
				return string(resp.V2.Append(out, r.Failure()))
			case Foreign:
				return "" // redis-server throws away even the answers before
			}
			if status == Incomplete {
				break
			}
			out = resp.V2.Append(out, pingServer(args, lim))
		}
	}
	return string(out)
}

func pingServer(args [][]byte, lim Limits) resp.Reply {
	switch {
	case !strings.EqualFold(string(args[0]), "PING"):
		return unknownToRedis(args)
	case !lim.Authenticated:
		return resp.ErrNoAuth
	case len(args) == 1:
		return resp.Pong
	case len(args) == 2:
		return resp.Bulk(args[1])
	}
	return resp.ErrArity("ping")
}

// unknownToRedis shows the arguments as redis-server does, so that a wrong one
// shows up in the comparison.
func unknownToRedis(args [][]byte) resp.Reply {
	clip := func(word []byte, n int) string {
		word, _, _ = bytes.Cut(word, []byte{0})
		return string(word[:min(len(word), n)])
	}
	shown := ""
	for _, arg := range args[1:] {
		if len(shown) < 128 {
			shown += "'" + clip(arg, 128-len(shown)) + "' "
		}
	}
	return resp.Error("ERR unknown command '" + clip(args[0], 128) + "', with args beginning with: " + shown)
}

// wireCases are streams and what is answered to them, each confirmed by
// redis-server where there is one.
func wireCases() [][2]string {
	long := strings.Repeat("1", 70000)
	const (
		pong       = "+PONG\r\n"
		badCount   = "-ERR Protocol error: invalid multibulk length\r\n"
		badLength  = "-ERR Protocol error: invalid bulk length\r\n"
		unbalanced = "-ERR Protocol error: unbalanced quotes in request\r\n"
		ping       = "*1\r\n$4\r\nPING\r\n"
	)
	return [][2]string{
		{ping + ping, pong + pong},
		{"*2\r\n$4\r\nping\r\n$3\r\na\x00\n\r\n", "$3\r\na\x00\n\r\n"},
		{"*2\r\n$4\r\nPING\r\n$0\r\n\r\n", "$0\r\n\r\n"},
		{"*1\r\n$4\r\nPING", ""},
		{"*1\r\n$4\r\nPINGxx" + ping, pong + pong}, // the two bytes are not looked at
		{"*1\rx$4\rxPINGxx" + ping, pong + pong},
		{"*-1\r\n" + ping, pong},
		{"*0\r\n*-5\r\n*-9223372036854775808\r\n" + ping, pong},
		{"*-9223372036854775809\r\n", badCount},
		{"*1\r\n$0\r\n\r\n", "-ERR unknown command '', with args beginning with: \r\n"},
		{"*2147483648\r\n", badCount},
		{"*2147483647\r\n", ""},
		{"*x\r\n", badCount},
		{"*\r\n", badCount},
		{"*-\r\n", badCount},
		{"*-0\r\n", badCount},
		{"*+1\r\n", badCount},
		{"*01\r\n", badCount},
		{"*1 \r\n", badCount},
		{"*3\n$4\r\nPING\r\n", badCount},
		{"*1\n", ""},
		{"*1\x00\r\n", ""}, // a NUL hides the end of the line
		{"*1\r\n$-2\r\n", badLength},
		{"*1\r\n$-1\r\n", badLength},
		{"*1\r\n$04\r\nPING\r\n", badLength},
		{"*1\r\n$4\nPING\r\n", badLength},
		{"*1\r\n$\r\n", badLength},
		{"*1\r\n$9223372036854775807\r\n", badLength},
		{"*1\r\n$9223372036854775808\r\n", badLength},
		{"*1\r\n$536870912\r\n", ""},
		{"*1\r\n$536870913\r\n", badLength},
		{ping + "*1\r\n:4\r\nPING\r\n", pong + "-ERR Protocol error: expected '$', got ':'\r\n"},
		{"*1\r\nPING", ""}, // waits for the end of the header before it looks
		{"*2\r\n\r\n\r\n", "-ERR Protocol error: expected '$', got ' '\r\n"},
		{"*1\r\n\n4\r\n", "-ERR Protocol error: expected '$', got ' '\r\n"},
		{"*1\r\n\xff4\r\n", "-ERR Protocol error: expected '$', got '\xff'\r\n"},
		{"*" + long, "-ERR Protocol error: too big mbulk count string\r\n"},
		{"*1\r\n$" + long, "-ERR Protocol error: too big bulk count string\r\n"},
		{"*1\r\n" + long, "-ERR Protocol error: too big bulk count string\r\n"},
		{long + long, "-ERR Protocol error: too big inline request\r\n"},
		{"\x00" + long + long, "-ERR Protocol error: too big inline request\r\n"},
		{"PING\r\n", pong},
		{"PING\n", pong},
		{"PING\r\r\n", pong},
		{"PING", ""},
		{"PING\r", ""},
		{"\r\n\n \t\r\n \v ping\t\v\r\n", pong},
		{"PING\vx\r\n", "-ERR unknown command 'PING\vx', with args beginning with: \r\n"},
		{"PING \x00\r\nPING\r\n", ""},
		{"$4 PING\r\nPING\r\n", "-ERR unknown command '$4', with args beginning with: 'PING' \r\n" + pong},
		{"\"\\x50ING\" 'it\\'s'\r\n", "$4\r\nit's\r\n"},
		{"PING \"\\n\\r\\t\\b\\a\\q\\xzz\\x4\\x0a\"\r\n", "$12\r\n\n\r\t\b\aqxzzx4\n\r\n"},
		{"PING \\x41\r\n", "$4\r\n\\x41\r\n"},
		{"PING a\"b c\"\r\n", "$4\r\nab c\r\n"},
		{"\"\"\r\n", "-ERR unknown command '', with args beginning with: \r\n"},
		{"PING \"a\r\n" + ping, unbalanced},
		{"PING 'a'b\r\n" + ping, unbalanced},
		{"\"PING\"x\r\n", unbalanced},
		{"PING\r\nPOST / HTTP/1.1\r\nPING\r\n", ""},
		{"PING\r\nhOST: example.org\r\nPING\r\n", ""},
		{"*1\r\n$4\r\npost\r\n" + ping, ""},
		{"Hosts: x\r\n", "-ERR unknown command 'Hosts:', with args beginning with: 'x' \r\n"},
	}
}

func TestReaderAnswers(t *testing.T) {
	t.Parallel()
	for _, c := range wireCases() {
		if got := conversation([]byte(c[0]), nil, DefaultLimits); got != c[1] {
			t.Errorf("%.60q is answered %q, want %q", c[0], got, c[1])
		}
	}
}

// Whatever the pieces, the answers are those to the stream in one piece: each
// stream is cut everywhere, and then into single bytes.
func TestReaderAnswersInPieces(t *testing.T) {
	t.Parallel()
	lim := DefaultLimits
	lim.InlineMax = 50 // so that lines too long are short enough to cut
	streams := [][]byte{[]byte("PING " + strings.Repeat("x", 46) + "\r\n"), []byte("*1\r\n$4" + strings.Repeat(" ", 50))}
	for _, c := range wireCases() {
		streams = append(streams, []byte(c[0])[:min(len(c[0]), 90)])
	}
	for _, stream := range streams {
		want := conversation(stream, nil, lim)
		var all []int
		for cut := range stream {
			all = append(all, cut)
			if got := conversation(stream, []int{cut}, lim); got != want {
				t.Errorf("%.60q cut at %d is answered %q, want %q", stream, cut, got, want)
			}
		}
		if got := conversation(stream, all, lim); got != want {
			t.Errorf("%.60q byte by byte is answered %q, want %q", stream, got, want)
		}
	}
}

// loginCases are what a link hears that has to log in first.
func loginCases() [][2]string {
	const ping, noauth = "*1\r\n$4\r\nPING\r\n", "-NOAUTH Authentication required.\r\n"
	words := strings.Repeat("$1\r\nx\r\n", 10)
	return [][2]string{
		{ping + "PING\r\n", noauth + noauth},
		{"*10\r\n" + words, string(resp.V2.Append(nil, unknownToRedis(bytes.Fields(bytes.Repeat([]byte("x "), 10)))))},
		{"*11\r\n" + words, "-ERR Protocol error: unauthenticated multibulk length\r\n"},
		{"*2147483648\r\n", "-ERR Protocol error: invalid multibulk length\r\n"},
		{"*1\r\n$16384\r\n" + strings.Repeat("x", 16386), string(resp.V2.Append(nil, unknownToRedis([][]byte{bytes.Repeat([]byte("x"), 200)})))},
		{"*1\r\n$16385\r\n", "-ERR Protocol error: unauthenticated bulk length\r\n"},
		{"*1\r\n$16385\r\n" + strings.Repeat("x", 16387), "-ERR Protocol error: unauthenticated bulk length\r\n"},
		{"*1\r\n$536870913\r\n", "-ERR Protocol error: invalid bulk length\r\n"},
	}
}

// What a Reader says it needs is where the argument ends that is arriving.
func TestReaderNeeds(t *testing.T) {
	t.Parallel()
	f := func(stream string, needs int) {
		t.Helper()
		var r Reader
		lim := DefaultLimits
		lim.BulkMax = math.MaxInt
		if _, _, status := r.Next([]byte(stream), nil, &lim); status != Incomplete || r.Needs() != needs {
			t.Errorf("%q: status %d, needs %d, want %d", stream, status, r.Needs(), needs)
		}
	}
	f("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000\r\nxx", len("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$1000\r\n")+1002)
	f("*3\r\n$300\r\n", len("*3\r\n$300\r\n")+302)
	f("*3\r\n$30", 0)
	f("PING", 0)
	huge := "*1\r\n$9223372036854775807\r\n"
	f(huge, len(huge)+2+math.MaxInt/2)
	var r Reader
	for _, part := range []string{"*1\r\n$4\r\nPI", "*1\r\n$4\r\nPING\r\n"} {
		r.Next([]byte(part), nil, &DefaultLimits)
	}
	if r.Needs() != 0 {
		t.Errorf("needs %d after the command", r.Needs())
	}
}

func TestReaderBeforeLogin(t *testing.T) {
	t.Parallel()
	lim := DefaultLimits
	lim.Authenticated = false
	for _, c := range loginCases() {
		if got := conversation([]byte(c[0]), nil, lim); got != c[1] {
			t.Errorf("%.60q is answered %q, want %q", c[0], got, c[1])
		}
	}
}

func TestReaderOwnLimits(t *testing.T) {
	t.Parallel()
	f := func(stream string, lim Limits, want Status) {
		t.Helper()
		var r Reader
		if _, _, status := r.Next([]byte(stream), nil, &lim); status != want {
			t.Errorf("%q with %+v: %v, want %v", stream, lim, status, want)
		}
	}
	lim := Limits{BulkMax: 3, ArgsMax: 2, InlineMax: 8, Authenticated: true}
	f("*2\r\n$3\r\nabc\r\n$3\r\nabc\r\n", lim, Ready)
	f("*1\r\n$4\r\nabcd\r\n", lim, Invalid)
	f("*3\r\n$1\r\na\r\n", lim, Invalid)
	f("12345678\n", lim, Ready)
	f("123456789\n", lim, Invalid)
	f("12345678", lim, Incomplete)
	f("123456789", lim, Invalid)
	lim.BulkMax, lim.InlineMax = math.MaxInt, 64
	f("*1\r\n$9223372036854775807\r\nx", lim, Incomplete)
}

// The commands of one read share an arena, and keep their arguments when it
// grows.
func TestReaderFillsOneArena(t *testing.T) {
	t.Parallel()
	data := frames(100, func(i int) []string { return []string{"SET", wireKey(i), strconv.Itoa(i)} })
	lim := DefaultLimits
	var r Reader
	var args [][]byte
	var commands [][][]byte
	for rest := data; ; {
		before := len(args)
		var n int
		var status Status
		if args, n, status = r.Next(rest, args, &lim); status != Ready {
			break
		}
		rest = rest[n:]
		commands = append(commands, args[before:])
	}
	if len(commands) != 100 || len(args) != 300 {
		t.Fatalf("%d commands of %d arguments", len(commands), len(args))
	}
	for i, c := range commands {
		if got, want := fmt.Sprintf("%s", c[:3]), fmt.Sprintf("[SET %s %d]", wireKey(i), i); got != want {
			t.Errorf("command %d is %s, want %s", i, got, want)
		}
	}
}

// A frame that comes byte by byte is examined once: if each byte led to a look
// at all before it, these would be 10^12 looks and the test would not end.
func TestReaderTakesLinearTime(t *testing.T) {
	t.Parallel()
	f := func(stream []byte, count int) {
		t.Helper()
		var r Reader
		lim := DefaultLimits
		for i := 1; i < len(stream); i++ {
			if _, n, status := r.Next(stream[:i], nil, &lim); n != 0 || status != Incomplete {
				t.Fatalf("after %d bytes: %d, %v", i, n, status)
			}
		}
		args, n, status := r.Next(stream, nil, &lim)
		if len(args) != count || n != len(stream) || status != Ready {
			t.Errorf("%d arguments, %d bytes, %v", len(args), n, status)
		}
	}
	f(append([]byte("*200000\r\n"), bytes.Repeat([]byte("$1\r\nx\r\n"), 200000)...), 200000)
	f([]byte("*1\r\n$2000000\r\n"+strings.Repeat("x", 2000002)), 1)
	f([]byte(strings.Repeat("x", 65535)+"\n"), 1)
}

func TestReaderAllocatesNothing(t *testing.T) {
	lim := DefaultLimits
	args := make([][]byte, 0, 16)
	var r Reader
	f := func(stream string) {
		t.Helper()
		data := make([]byte, 0, len(stream))
		n := testing.AllocsPerRun(50, func() {
			data = append(data[:0], stream...)
			for i := range data {
				r.Next(data[:i], args[:0], &lim)
			}
			if _, _, status := r.Next(data, args[:0], &lim); status != Ready {
				t.Fatal(status)
			}
		})
		if n != 0 {
			t.Errorf("%q: %v allocations", stream, n)
		}
	}
	f("*3\r\n$3\r\nSET\r\n$1\r\nk\r\n$16\r\n0123456789abcdef\r\n")
	f("SET k \"a\\x41\"\r\n")
}

// The table is confirmed by a real server.
func TestReaderAnswersAsRedis(t *testing.T) {
	t.Parallel()
	open, closed := redistest.Start(t), redistest.Start(t, "--requirepass", "secret")
	for _, c := range wireCases() {
		if got := string(open.Exchange([]byte(c[0]))); got != c[1] {
			t.Errorf("%.60q is answered by Redis %q, the table has %q", c[0], got, c[1])
		}
	}
	for _, c := range loginCases() {
		if got := string(closed.Exchange([]byte(c[0]))); got != c[1] {
			t.Errorf("before login %.60q is answered by Redis %q, the table has %q", c[0], got, c[1])
		}
	}
}

// Streams made at random are answered as Redis answers them, in one piece and
// in several. Their letters make no command that Redis has.
func TestRandomStreamsAnswerAsRedis(t *testing.T) {
	t.Parallel()
	redis := redistest.Start(t)
	t.Logf("-seed %d", *seedFlag)
	rng := rand.New(rand.NewPCG(*seedFlag, 1))
	refused := 0
	for range 6000 {
		stream := randomStream(rng)
		want := string(redis.Exchange(stream))
		if strings.Contains(want, "Protocol error") {
			refused++
		}
		if got := conversation(stream, nil, DefaultLimits); got != want {
			t.Fatalf("%q is answered\n%q, by Redis\n%q", stream, got, want)
		}
		cuts := []int{rng.IntN(len(stream) + 1)}
		cuts = append(cuts, cuts[0]+rng.IntN(len(stream)-cuts[0]+1))
		if got := conversation(stream, cuts, DefaultLimits); got != want {
			t.Fatalf("%q cut at %d is answered\n%q, by Redis\n%q", stream, cuts, got, want)
		}
	}
	t.Logf("%d of 6000 streams were refused", refused)
}

// randomStream is a few requests, mostly with a few bytes of them changed.
func randomStream(rng *rand.Rand) []byte {
	const alphabet = "xy01259-+*$ \t\v\r\n\r\n\"'\\\x00\xff"
	var stream []byte
	for range 1 + rng.IntN(4) {
		stream = append(stream, randomRequest(rng)...)
	}
	for range rng.IntN(4) {
		at := rng.IntN(len(stream))
		c := alphabet[rng.IntN(len(alphabet))]
		switch rng.IntN(4) {
		case 0:
			stream[at] = c
		case 1:
			stream = append(stream[:at], append([]byte{c}, stream[at:]...)...)
		case 2:
			stream = append(stream[:at], stream[min(len(stream), at+1+rng.IntN(3)):]...)
			stream = append(stream, c)
		case 3:
			stream = stream[:max(1, at)]
		}
	}
	return stream
}

func randomRequest(rng *rand.Rand) []byte {
	words := make([]string, 1+rng.IntN(4))
	for i := range words {
		words[i] = randomWord(rng)
	}
	switch rng.IntN(8) {
	case 0:
		return []byte(strings.Join(words, " ") + "\r\n")
	case 1:
		var line []byte
		for _, w := range words {
			line = append(resp.AppendQuoted(line, w), ' ')
		}
		return append(line, '\n')
	case 2:
		return []byte("'" + strings.Join(words, "' '") + "'\r\n")
	case 3:
		return []byte("*" + strconv.Itoa(rng.IntN(3)-2) + "\r\n")
	}
	return frames(1, func(int) []string { return words })
}

func randomWord(rng *rand.Rand) string {
	const alphabet = "xxxxyyyy \r\n\\\"'$*:\x00\xff"
	word := make([]byte, rng.IntN(14))
	for i := range word {
		word[i] = alphabet[rng.IntN(len(alphabet))]
	}
	return string(word)
}
