package shardtest

import (
	"net"
	"strings"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// Redis is a link to a real redis-server.
type Redis struct {
	tb     testing.TB
	server *redistest.Server
	conn   *net.UnixConn
	in     []byte
}

// DialRedis starts a redis-server for the test and opens a link to it. The
// test is skipped where there is none.
func DialRedis(tb testing.TB, args ...string) *Redis {
	tb.Helper()
	server := redistest.Start(tb, args...)
	conn := server.Dial()
	tb.Cleanup(func() { conn.Close() })
	return &Redis{tb: tb, server: server, conn: conn}
}

// pipelineMax is how many commands are sent before their replies are read: few
// enough that neither side's buffers fill.
const pipelineMax = 100

// Ask sends commands and returns the bytes of each reply.
func (r *Redis) Ask(commands [][][]byte) (replies [][]byte) {
	r.tb.Helper()
	for len(commands) > 0 {
		n := min(len(commands), pipelineMax)
		var request []byte
		for _, argv := range commands[:n] {
			request = resp.AppendHeader(request, '*', len(argv))
			for _, word := range argv {
				request = resp.AppendText(request, string(word))
			}
		}
		if _, err := r.conn.Write(request); err != nil {
			r.tb.Fatal(err)
		}
		for range n {
			replies = append(replies, r.next())
		}
		commands = commands[n:]
	}
	return replies
}

func (r *Redis) next() []byte {
	r.tb.Helper()
	var framer resp.Framer
	var buf [1 << 16]byte
	for {
		n, err := framer.Frame(r.in)
		if err != nil {
			r.tb.Fatal(err)
		}
		if n > 0 {
			reply := append([]byte(nil), r.in[:n]...)
			r.in = r.in[n:]
			return reply
		}
		if n, err = r.conn.Read(buf[:]); err != nil {
			r.tb.Fatal(err)
		}
		r.in = append(r.in, buf[:n]...)
	}
}

// Play runs the examples of a command, which hold no directives, and compares
// the replies in RESP3 with those written there.
func (r *Redis) Play(examples string) {
	r.tb.Helper()
	r.Ask([][][]byte{{[]byte("HELLO"), []byte("3")}, {[]byte("FLUSHALL")}})
	for rest := examples; rest != ""; {
		line, after, _ := strings.Cut(rest, "\n")
		want, next, err := resp.ParsePrefix(after)
		if err != nil {
			r.tb.Fatalf("after %s: %v", line, err)
		}
		argv, _ := resp.SplitLine([]byte(strings.TrimPrefix(line, "> ")))
		got, _, err := resp.Decode(r.Ask([][][]byte{argv})[0])
		if err != nil || resp.Format(got) != resp.Format(want) {
			r.tb.Errorf("%s\nRedis has %s\n  written %s", line, resp.Format(got), resp.Format(want))
		}
		rest = next
	}
}

// Events are what a redis-server's keyspace notifications tell.
type Events struct {
	link *Redis
}

// endMark ends what Events.Until waits for.
const endMark = "end of events"

// Subscribe opens a second link, which hears the channels that match.
func (r *Redis) Subscribe(pattern string) *Events {
	r.tb.Helper()
	link := &Redis{tb: r.tb, conn: r.server.Dial()}
	r.tb.Cleanup(func() { link.conn.Close() })
	link.Ask([][][]byte{
		{[]byte("SUBSCRIBE"), []byte(endMark)},
		{[]byte("PSUBSCRIBE"), []byte(pattern)},
	})
	return &Events{link}
}

// Until returns what has been told of since the last call, each in the form
// "0 set key".
func (e *Events) Until(r *Redis) (events []string) {
	r.tb.Helper()
	r.Ask([][][]byte{{[]byte("PUBLISH"), []byte(endMark), nil}})
	for {
		message, _, err := resp.Decode(e.link.next())
		if err != nil {
			r.tb.Fatal(err)
		}
		items := message.Items()
		if items[1].Str() == endMark {
			return events
		}
		channel, event, _ := strings.Cut(items[2].Str(), "__:")
		events = append(events, strings.TrimPrefix(channel, "__keyevent@")+" "+event+" "+items[3].Str())
	}
}
