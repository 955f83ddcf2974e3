package transport

import (
	"fmt"
	"net"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/resp"
)

// watchLink is a client's end of a link.
type watchLink struct {
	t      *testing.T
	conn   net.Conn
	in     []byte
	framer resp.Framer
}

func dialWatch(t *testing.T, s *stage) *watchLink {
	t.Helper()
	return &watchLink{t: t, conn: s.dial()}
}

func (k *watchLink) ask(words ...string) resp.Reply {
	k.t.Helper()
	if _, err := k.conn.Write(resp.V2.Append(nil, resp.Strings(words...))); err != nil {
		k.t.Error(err)
	}
	return k.next()
}

func (k *watchLink) next() resp.Reply {
	k.t.Helper()
	for buf := make([]byte, 16<<10); ; {
		n, err := k.framer.Frame(k.in)
		if err != nil {
			k.t.Error(err)
			return resp.Nothing
		}
		if n > 0 {
			reply, _, err := resp.Decode(k.in[:n])
			k.in = k.in[n:]
			if err != nil {
				k.t.Error(err)
			}
			return reply
		}
		if n, err = k.conn.Read(buf); err != nil {
			k.t.Error(err)
			return resp.Nothing
		}
		k.in = append(k.in, buf[:n]...)
	}
}

// count takes a frame apart: the counter that it shows, what it covers, and its
// version. Anything else is a mistake, told as -1.
func count(frame resp.Reply) (n, covered, version int) {
	items := frame.Items()
	if len(items) != 13 || items[0].Str() != "observe" {
		return -1, 0, 0
	}
	n, _ = strconv.Atoi(items[4].Str())
	return n, int(items[8].Int()), int(items[6].Int())
}

// Links change loops all the time while they are told of a counter: each sees
// it rise by what it is told, and its end.
func TestWatchersChangeLoops(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		const links, writers, writes = 40, 3, 400
		server, stage := newTestServer(t, kind, Config{
			Loops:  2,
			window: 50 * time.Microsecond,
			decide: func(self int, loads []loopLoad) (loopMove, bool) {
				return loopMove{to: 1 - self, links: 1 + loads[self].links/2}, true
			},
		})
		var group sync.WaitGroup
		for range links {
			k := dialWatch(t, stage)
			last, _, version := count(k.ask("GET.WATCH", "n"))
			group.Go(func() {
				for last < writers*writes {
					n, covered, newer := count(k.next())
					if n != last+covered || newer <= version {
						t.Errorf("%d at version %d, covering %d, after %d at %d", n, newer, covered, last, version)
						return
					}
					last, version = n, newer
				}
			})
		}
		for range writers {
			k := dialWatch(t, stage)
			group.Go(func() {
				for range writes {
					k.ask("INCR", "n")
				}
			})
		}
		group.Wait()
		if queries := server.Watches.Len(); queries != 1 {
			t.Errorf("%d queries", queries)
		}
	})
}

// More news than may leave in one turn arrives whole.
func TestNewsLeavesInParts(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		_, stage := newTestServer(t, kind, Config{Loops: 1})
		k := dialWatch(t, stage)
		const queries, size = 40, 3000
		value := make([]byte, size)
		writer := dialWatch(t, stage)
		writer.ask("SET", "k", string(value))
		for i := range queries {
			k.ask("GETRANGE.WATCH", "k", "0", fmt.Sprint(size+i))
		}
		value[0] = 'x'
		writer.ask("SET", "k", string(value))
		seen := map[string]bool{}
		for range queries {
			frame := k.next()
			seen[frame.Items()[2].Str()] = true
			if frame.Items()[4].Str() != string(value) {
				t.Error("a frame has the wrong value")
			}
		}
		if len(seen) != queries {
			t.Errorf("%d queries are told, want %d", len(seen), queries)
		}
	})
}
