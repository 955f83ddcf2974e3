package cli

import (
	"bytes"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// What is printed is compared, byte for byte, with what redis-cli prints when the
// same server answers it with the same bytes.

var seedFlag = flag.Uint64("seed", 0, "of the random tests; 0 draws one")

// parrot answers every command with one reply, and HELLO as servers do.
func parrot(t *testing.T, reply []byte) (port string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go chatter(conn, reply)
		}
	}()
	return fmt.Sprint(listener.Addr().(*net.TCPAddr).Port)
}

func chatter(conn net.Conn, reply []byte) {
	defer conn.Close()
	var held []byte
	for buf := make([]byte, 4096); ; {
		request, n, err := resp.Decode(held)
		if err != nil {
			return
		}
		if n == 0 {
			if n, err = conn.Read(buf); err != nil {
				return
			}
			held = append(held, buf[:n]...)
			continue
		}
		held = held[n:]
		answer := reply
		if request.Items()[0].Str() == "HELLO" {
			answer = resp.V3.Append(nil, resp.Map(resp.BulkString("proto"), resp.Int(3)))
		}
		if _, err := conn.Write(answer); err != nil {
			return
		}
	}
}

// ours is what this package prints.
func ours(t *testing.T, in string, args ...string) (out, complaints string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = Run(parse(t, args...), Streams{In: strings.NewReader(in), Out: &o, Err: &e, Environ: func(string) string { return "" }})
	return o.String(), e.String(), code
}

func sameAsRedisCLI(t *testing.T, r resp.Reply, forms []string, protocols ...string) {
	t.Helper()
	redis := redistest.Program(t, "redis-cli")
	for _, protocol := range protocols {
		encoded := resp.V2.Append(nil, r)
		if protocol == "-3" {
			encoded = resp.V3.Append(nil, r)
		}
		port := parrot(t, encoded)
		for _, form := range forms {
			want, err := exec.Command(redis, "-p", port, protocol, form, "SAY").Output()
			if err != nil {
				t.Fatalf("redis-cli: %v: %s", err, want)
			}
			got, _, code := ours(t, "", "-p", port, protocol, form, "SAY")
			if got != string(want) || code != 0 {
				t.Errorf("%s %s of %s prints (exit code %d)\n%s\nredis-cli prints\n%s", protocol, form, resp.Format(r), code, got, want)
			}
		}
	}
}

var (
	allForms  = []string{"--no-raw", "--raw", "--csv", "--json"}
	protocols = []string{"-2", "-3"}
)

func TestFormsAreThoseOfRedisCLI(t *testing.T) {
	t.Parallel()
	text := resp.BulkString
	eleven := make([]resp.Reply, 11)
	for i := range eleven {
		eleven[i] = text(strings.Repeat("x", i))
	}
	f := func(r resp.Reply) {
		t.Helper()
		sameAsRedisCLI(t, r, allForms, protocols...)
	}
	f(resp.OK)
	f(resp.Nil)
	f(resp.NilArray)
	f(resp.Int(-12))
	f(text(""))
	f(text("plain"))
	f(text("lines\nand\ttabs, \"quotes\", back\\slashes, \x01\x1b\r\b\f\a and é"))
	f(resp.Double(1.5))
	f(resp.Double(-3e17))
	f(resp.Bool(true))
	f(resp.Bool(false))
	f(resp.VerbatimText("txt", "two\nlines\n"))
	f(resp.EmptyList)
	f(resp.Map())
	f(resp.Set())
	f(resp.Array(eleven...))
	f(resp.Set(text("a"), text("b")))
	f(resp.Map(text("a"), resp.Int(1), text("b c"), resp.Nil))
	f(resp.Map(text("list"), resp.Array(eleven...), text("empty"), resp.EmptyList, text("map"), resp.Map(text("k"), resp.Set(text("v")))))
	f(resp.Array(resp.Array(resp.Array(text("deep")), resp.Map(text("a"), resp.Array(resp.Int(1), resp.Int(2)))), resp.Nil, resp.OK))
	f(resp.Twos(text("member"), resp.Double(1), text("other"), resp.Double(2.25)))
	f(resp.Map(resp.Int(1), resp.Bool(true), resp.Int(2), resp.Bool(false)))
	for _, form := range allForms[:3] { // in JSON redis-cli's errors are none, and these can't be numbers
		sameAsRedisCLI(t, resp.Error("ERR wrong"), []string{form}, protocols...)
		sameAsRedisCLI(t, resp.Array(resp.One, resp.Error("ERR wrong")), []string{form}, protocols...)
		sameAsRedisCLI(t, resp.Double(math.Inf(-1)), []string{form}, protocols...)
		sameAsRedisCLI(t, text("\xff\x00"), []string{form}, protocols...)
	}
}

func TestRandomRepliesLookAsInRedisCLI(t *testing.T) {
	t.Parallel()
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	for range 12 {
		sameAsRedisCLI(t, drawReply(random, 3), allForms, protocols...)
	}
}

// drawReply draws any reply that redis-cli has a form for.
func drawReply(random *rand.Rand, depth int) resp.Reply {
	kinds := 11
	if depth == 0 {
		kinds = 7
	}
	some := func(step int) (items []resp.Reply) {
		for range random.IntN(13) * step {
			if step == 2 && len(items)%2 == 0 {
				items = append(items, resp.BulkString(fmt.Sprintf("f%d \n", random.IntN(99))))
				continue
			}
			items = append(items, drawReply(random, depth-1))
		}
		return items
	}
	switch random.IntN(kinds) {
	case 0:
		return resp.Int(random.Int64() - random.Int64())
	case 1:
		return resp.Double(math.Round(random.NormFloat64()*1e6) / 1e3)
	case 2:
		return resp.Bool(random.IntN(2) == 0)
	case 3:
		return resp.Nil
	case 4:
		return resp.Simple("FINE")
	case 5:
		return resp.VerbatimText("txt", "some\ntext")
	case 6:
		return resp.BulkString(string([]rune{rune(random.IntN(127)), rune(160 + random.IntN(900)), '"', '\\'}))
	case 7:
		return resp.Set(some(1)...)
	case 8:
		return resp.Map(some(2)...)
	}
	return resp.Array(some(1)...)
}

func TestJSONIsAlwaysJSON(t *testing.T) {
	t.Parallel()
	f := func(r resp.Reply, want string) {
		t.Helper()
		if got := string(appendJSON(nil, r)); got != want {
			t.Errorf("%s is %s in JSON, want %s", resp.Format(r), got, want)
		}
	}
	f(resp.Error("ERR \"no\""), `{"error":"ERR \"no\""}`)
	f(resp.BulkString("\xff"), `{"base64":"/w=="}`)
	f(resp.Double(math.Inf(1)), `"inf"`)
	f(resp.Big("123456789012345678901234567890"), `"123456789012345678901234567890"`)
	f(resp.Map(resp.Nil, resp.One, resp.Array(resp.One), resp.One), `{"null":1,"[1]":1}`)
}

func TestTextForPeopleIsNotQuoted(t *testing.T) {
	t.Parallel()
	redis := redistest.Program(t, "redis-cli")
	for _, reply := range []resp.Reply{resp.BulkString("# Server\r\na:b\r\n"), resp.VerbatimText("txt", "# Server\r\na:b\r\n"), resp.Error("ERR x")} {
		port := parrot(t, resp.V3.Append(nil, reply))
		for _, form := range allForms {
			for _, words := range [][]string{{"INFO"}, {"CLIENT", "LIST"}, {"memory", "doctor"}, {"client", "id"}} {
				if form == "--json" && reply.IsError() && words[1%len(words)] == "id" {
					continue
				}
				want, err := exec.Command(redis, append([]string{"-3", "-p", port, form}, words...)...).Output()
				if err != nil {
					t.Fatal(err)
				}
				if got, _, _ := ours(t, "", append([]string{"-3", "-p", port, form}, words...)...); got != string(want) {
					t.Errorf("%s %v prints %q, redis-cli %q", form, words, got, want)
				}
			}
		}
	}
}

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(m.Run())
}
