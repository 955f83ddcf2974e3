package web_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/dice/dicetest"
)

// A key is changed in one way after the other, and watched by every protocol that
// there is. Each change is waited for by all, so that none is covered by the next:
// the states that they are told are the same, and those that GET answers.

// telling gives what a watcher is told next: the value of the key, "" for none.
type telling func() (value string, err error)

// protocols are all means by which GET k can be watched.
func (p *port) protocols() map[string]telling {
	p.Helper()
	events, socket := p.watch("", "GET k"), p.socket("?q=GET%20k")
	return map[string]telling{
		"server-sent events": func() (string, error) {
			e, ok := events.next()
			if !ok {
				return "", errors.New("the stream has ended")
			}
			return unquoted(string(e.frame.Result)), nil
		},
		"WebSocket": func() (string, error) {
			_, f := socket.told()
			return unquoted(string(f.Result)), nil
		},
		"RESP2":                 p.overRESP(2, "GET.WATCH", "k"),
		"RESP3":                 p.overRESP(3, "GET.WATCH", "k"),
		"OBSERVE in RESP3":      p.overRESP(3, "OBSERVE", "GET", "k"),
		"EVERY in RESP3":        p.overRESP(3, "OBSERVE", "EVERY", "GET", "k"),
		"a channel in RESP2":    p.overRESP(2, "SUBSCRIBE", "__query__:GET k"),
		"a channel in RESP3":    p.overRESP(3, "SUBSCRIBE", "__query__:GET k"),
		"DiceDB's raw frames":   p.overDice(true),
		"DiceDB's sized frames": p.overDice(false),
	}
}

// unquoted is the value of a reply in JSON.
func unquoted(json string) string {
	if json == "null" {
		return ""
	}
	return strings.Trim(json, `"`)
}

func (p *port) dial() net.Conn {
	p.Helper()
	conn, err := net.Dial("tcp", p.system.Addresses()[0])
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(patience))
	}
	if err != nil {
		p.Fatal(err)
	}
	p.Cleanup(func() { conn.Close() })
	return conn
}

func (p *port) overRESP(proto int, words ...string) telling {
	p.Helper()
	wire := resp.NewWire(p.dial())
	for _, command := range [][]string{{"HELLO", fmt.Sprint(proto)}, words} {
		wire.Add(bytesOf(command)...)
		if err := wire.Flush(); err != nil {
			p.Fatal(err)
		}
		if command[0] != "HELLO" && command[0] != "SUBSCRIBE" {
			break
		}
		if _, err := wire.Read(); err != nil {
			p.Fatal(err)
		}
	}
	return func() (string, error) {
		reply, err := wire.Read()
		switch items := reply.Items(); {
		case err != nil:
			return "", err
		case len(items) == 13:
			return items[4].Str(), nil
		case len(items) == 3 && items[0].Str() == "message":
			_, rest, _ := strings.Cut(items[2].Str(), `"result":`)
			result, _, _ := strings.Cut(rest, `,"version"`)
			return unquoted(result), nil
		}
		return "", fmt.Errorf("got %s", resp.Format(reply))
	}
}

func (p *port) overDice(raw bool) telling {
	p.Helper()
	c := dicetest.Conn{Conn: p.dial(), Raw: raw}
	if err := c.Send("GET.WATCH", "k"); err != nil {
		p.Fatal(err)
	}
	return func() (string, error) {
		m, err := c.Receive()
		_, value, _ := strings.Cut(m.CLI(), "] ")
		if value == "(nil)" {
			value = ""
		}
		return strings.Trim(value, `"`), err
	}
}

// changes are ways to change k; %d is another number each time.
var changes = []string{
	"SET k v%d", "SET k v%d", "SET k v%d EX 1000", "APPEND k a%d", "DEL k", "GETDEL k", "FLUSHALL", "PEXPIREAT k 1", "MSET k m%d other m%d",
	"EVAL \"redis.call('DEL',KEYS[1]) redis.call('SET',KEYS[1],'half') return redis.call('SET',KEYS[1],ARGV[1])\" 1 k s%d",
	"EVAL \"redis.call('SET',KEYS[2],ARGV[1]) return redis.call('RESTORE',KEYS[1],0,redis.call('DUMP',KEYS[2]),'REPLACE')\" 2 k other r%d",
	"SWAPDB 0 1", "COPY other k REPLACE", "RENAME other k",
}

func TestSameStatesInEveryProtocol(t *testing.T) {
	t.Parallel()
	for _, shards := range []int{1, 16} {
		t.Run(fmt.Sprint(shards), func(t *testing.T) {
			t.Parallel()
			p := start(t, fmt.Sprint("shards ", shards))
			seed := uint64(time.Now().UnixNano())
			t.Logf("seed %d", seed)
			random := rand.New(rand.NewPCG(seed, 0))
			all := p.protocols()
			before := "the beginning"
			for n := range 150 {
				if n > 0 {
					words, _ := resp.SplitLine([]byte(strings.ReplaceAll(changes[random.IntN(len(changes))], "%d", fmt.Sprint(n))))
					var texts []string
					for _, word := range words {
						texts = append(texts, string(word))
					}
					p.ask(texts...)
				}
				now := unquoted(strings.TrimPrefix(p.ask("GET", "k"), "_"))
				if now == before {
					continue // nobody is told
				}
				before = now
				for name, next := range all {
					if got, err := next(); got != now || err != nil {
						t.Fatalf("change %d: by %s %q is told, %v; GET answers %q", n, name, got, err, now)
					}
				}
			}
		})
	}
}
