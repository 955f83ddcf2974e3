package actors

import (
	"bufio"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/subscription/watch"
)

// unknown is a message that no actor knows: it panics.
type unknown struct{}

func (s *System) crash(path string) {
	pid := s.tree.system.NewLocalPID(path)
	if n, ok := strings.CutPrefix(path, watch.Address+"/"); ok {
		pid = actor.NewPID(watch.Address, n)
	}
	s.tree.system.Root.Send(pid, unknown{})
}

// reads reads from a link until the text has come.
func reads(t *testing.T, from *bufio.Reader, text string) {
	t.Helper()
	for {
		line, err := from.ReadString('\n')
		if err != nil {
			t.Fatalf("%q does not come: %v", text, err)
		}
		if strings.Contains(line, text) {
			return
		}
	}
}

// dial opens a link on which anything may take its time, but not for ever.
func dial(t *testing.T, s *System) (net.Conn, *bufio.Reader) {
	t.Helper()
	conn, err := net.Dial("tcp", s.Addresses()[0])
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn, bufio.NewReader(conn)
}

func say(t *testing.T, to net.Conn, lines ...string) {
	t.Helper()
	if _, err := io.WriteString(to, strings.Join(lines, "\r\n")+"\r\n"); err != nil {
		t.Fatal(err)
	}
}

// A session that crashes takes its link with it and leaves nothing behind,
// whichever comes first, its actor's end or its link's.
func TestSessionsCrash(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}, Loops: 2})
	for range 40 {
		call(t, s.Addresses()[0], "GET.WATCH k")
	}
	for _, one := range s.Actors() {
		if strings.HasPrefix(one.Path, "session/") {
			s.crash(one.Path)
		}
	}
	for end := time.Now().Add(patience); s.Server.Connected() > 0 || s.Server.Watches.Len() > 0; {
		if time.Now().After(end) {
			t.Fatalf("%d sessions and %d live queries are left", s.Server.Connected(), s.Server.Watches.Len())
		}
	}
	for _, one := range s.Actors() {
		if strings.HasPrefix(one.Path, "session/") {
			t.Errorf("%s is left", one.Path)
		}
	}
	if _, got := call(t, s.Addresses()[0], "PING"); got != "+PONG" {
		t.Error(got)
	}
}

// A live query that crashes tells its watchers; who asks for it next gets
// another.
func TestLiveQueryCrashes(t *testing.T) {
	t.Parallel()
	s := run(t, Options{Binds: []string{"127.0.0.1"}})
	conn, in := dial(t, s)
	say(t, conn, "SET k v", "HELLO 3", "GET.WATCH k")
	reads(t, in, "state")
	s.crash("subscription/1")
	reads(t, in, "the live query failed")
	other, from := dial(t, s)
	say(t, other, "HELLO 3", "GET.WATCH k")
	reads(t, from, "state")
	say(t, conn, "SET k other")
	reads(t, from, "other")
	conn.Close()
	say(t, other, "PING")
	reads(t, from, "PONG")
	if n := s.Server.Watches.Len(); n != 1 {
		t.Errorf("%d live queries", n)
	}
}

// blocked is the owner of batches that hold up shards.
type blocked struct{ left atomic.Int32 }

func (b *blocked) Executed(*keyspace.Execute) { b.left.Add(-1) }

// Commands that take long, on all shards but one at once, hold up nobody else:
// neither commands on that one nor its live queries.
func TestHeavyCommandsLeaveWorkersFree(t *testing.T) {
	t.Parallel()
	const shards = 6
	s := run(t, Options{Binds: []string{"127.0.0.1"}, Shards: shards, Loops: 1})
	end, b := make(chan bool), &blocked{}
	free := s.Node.ShardOf([]byte("k"))
	begun := make(chan bool, shards)
	for shard := range shards {
		if shard == free {
			continue
		}
		x := &keyspace.Execute{Encoder: resp.V2, Heavy: true}
		x.Requests = append(x.Requests, keyspace.Request{Do: func(*keyspace.Tx) resp.Reply {
			begun <- true
			<-end
			return resp.OK
		}})
		x.Visit(shard)
		b.left.Add(1)
		s.Node.Post(x, b)
	}
	for range shards - 1 {
		<-begun
	}
	conn, in := dial(t, s)
	say(t, conn, "HELLO 3", "SET k first", "GET.WATCH k")
	reads(t, in, "first")
	say(t, conn, "SET k second")
	reads(t, in, "second")
	close(end)
	for until := time.Now().Add(patience); b.left.Load() > 0; {
		if time.Now().After(until) {
			t.Fatal("batches are never done")
		}
	}
}
