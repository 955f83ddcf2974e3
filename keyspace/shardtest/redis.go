package shardtest

import (
	"net"
	"testing"

	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/redistest"
)

// Redis is a link to a real redis-server.
type Redis struct {
	tb   testing.TB
	conn *net.UnixConn
	in   []byte
}

// DialRedis starts a redis-server for the test and opens a link to it. The
// test is skipped where there is none.
func DialRedis(tb testing.TB, args ...string) *Redis {
	tb.Helper()
	conn := redistest.Start(tb, args...).Dial()
	tb.Cleanup(func() { conn.Close() })
	return &Redis{tb: tb, conn: conn}
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
