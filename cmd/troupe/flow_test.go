package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/troupedb/troupe/session"
)

// How bytes come and go: cut anywhere, faster than they are read, after the
// end of the other direction.

// aConversation is a stream of commands of all kinds, and aConversationAnswers
// what is answered, whatever the pieces in which it comes.
var aConversation = "SET k v\r\n" +
	"*3\r\n$3\r\nSET\r\n$2\r\nk2\r\n$4\r\n\r\n$1\r\n" +
	"\r\n*0\r\n" +
	"*5\r\n$4\r\nMSET\r\n$1\r\na\r\n$1\r\n1\r\n$1\r\nb\r\n$1\r\n2\r\n" +
	"*4\r\n$4\r\nMGET\r\n$1\r\na\r\n$1\r\nb\r\n$2\r\nk2\r\n" +
	"MULTI\n*2\r\n$4\r\nINCR\r\n$1\r\na\r\nEXEC\r\n" +
	"HELLO 3 SETNAME \"x\\x41\"\r\nCLIENT GETNAME\r\nHGETALL nokey\r\nNONSENSE\r\nHELLO 2\r\nDBSIZE\r\nQUIT\r\nGET k\r\n"

var aConversationAnswers = []string{
	"+OK", "+OK", "+OK", `["1", "2", "\r\n$1"]`, "+OK", "+QUEUED", "[:2]", "%{", `"xA"`, "%{}",
	`-"ERR unknown command 'NONSENSE', with args beginning with: "`, "[", ":4", "+OK",
}

func TestBytesCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, sh := range []shape{{1, false}, {16, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			s := startServer(t, sh)
			every := make([]int, len(aConversation))
			for i := range every {
				every[i] = i
				s.converseInPieces(aConversation, []int{i})
			}
			s.converseInPieces(aConversation, every)
		})
	}
}

// converseInPieces sends the stream cut at the places, each piece when the one
// before has been read, and compares the answers.
func (s *server) converseInPieces(stream string, cuts []int) {
	s.tb.Helper()
	c := s.client()
	defer c.conn.Close()
	c.want("+OK", "FLUSHALL")
	peer := s.peerOf(c.conn)
	before := peer.Read.Load()
	end := strings.Index(stream, "QUIT") + len("QUIT\r\n") // nothing is read after it
	sent := 0
	for _, cut := range append(cuts, len(stream)) {
		if sent >= end {
			break
		}
		c.send([]byte(stream[sent:cut]))
		sent = cut
		eventually(s.tb, "what was sent has been read", func() bool { return peer.Read.Load()-before >= int64(min(sent, end)) })
	}
	for i, want := range aConversationAnswers {
		if got := c.receive(); got != want && !(len(want) < 3 && strings.HasPrefix(got, want)) {
			s.tb.Fatalf("cut at %v, answer %d is %s, want %s", cuts[:1], i, got, want)
		}
	}
	if reply, err := c.next(); !errors.Is(err, io.EOF) {
		s.tb.Fatalf("cut at %v, the link ends with %s, %v", cuts[:1], reply.Str(), err)
	}
}

// peerOf is the session at the other end of a link.
func (s *server) peerOf(conn net.Conn) (peer *session.Session) {
	s.tb.Helper()
	eventually(s.tb, "the link has a session", func() bool {
		for _, one := range s.Server.Sessions() {
			if one.Address() == conn.LocalAddr().String() {
				peer = one
			}
		}
		return peer != nil
	})
	return peer
}

// Who half-closes the link has all replies still to come.
func TestHalfClose(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		const turns = 3000
		s := startServer(t, sh)
		c := s.client()
		var stream []byte
		for i := range turns {
			key := fmt.Sprint("k", i)
			stream = append(stream, request("SET", key, key)...)
			stream = append(stream, request("MGET", key, "k0", fmt.Sprint("k", i/2))...)
		}
		stream = append(stream, request("DBSIZE")...)
		sent := make(chan error, 1)
		go func() {
			_, err := c.conn.Write(stream)
			sent <- errors.Join(err, c.conn.(*net.TCPConn).CloseWrite())
		}()
		for i := range turns {
			if got := c.receive(); got != "+OK" {
				t.Fatal(got)
			}
			if got, want := c.receive(), fmt.Sprintf("[\"k%d\", \"k0\", \"k%d\"]", i, i/2); got != want {
				t.Fatalf("got %s, want %s", got, want)
			}
		}
		if got, want := c.receive(), fmt.Sprint(":", turns); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
		if _, err := c.next(); !errors.Is(err, io.EOF) {
			t.Errorf("the link ends with %v", err)
		}
		if err := <-sent; err != nil {
			t.Error(err)
		}
		s.wantNobody()
	})
}

// P05: 100,000 commands in one write, whose replies are read later.
func TestDeepPipeline(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		const commands = 100_000
		s := startServer(t, sh)
		c := s.client()
		var stream []byte
		for i := range commands {
			stream = append(stream, request("SET", fmt.Sprint("k", i), "v")...)
		}
		sent := make(chan error, 1)
		go func() {
			_, err := c.conn.Write(stream)
			sent <- err
		}()
		// The replies fit into the sockets' buffers or they do not: then the
		// server waits, and so does the client's write.
		other := s.client()
		eventually(t, "it has begun", func() bool { return other.ask("EXISTS", "k0") == ":1" })
		answers := make([]byte, commands*len("+OK\r\n"))
		if err := c.conn.SetReadDeadline(time.Now().Add(patience)); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(c.conn, answers); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(answers, bytes.Repeat([]byte("+OK\r\n"), commands)) {
			t.Error("not all are answered +OK")
		}
		if err := <-sent; err != nil {
			t.Fatal(err)
		}
		c.want(fmt.Sprint(":", commands), "DBSIZE")
		if left := s.peerOf(c.conn).Unsent.Load(); left != 0 {
			t.Errorf("%d bytes are said to be unsent", left)
		}
	})
}

// A client that asks for much and does not read is not answered further than
// some bound; the others are, and when it reads it gets everything.
// It is not parallel, as it measures the heap.
func TestSlowReader(t *testing.T) {
	for _, sh := range []shape{{1, false}, {16, false}, {16, true}} {
		t.Run(sh.String(), func(t *testing.T) {
			const size, asks, heapMost = 1 << 20, 150, 48 << 20
			s := startServer(t, sh)
			other := s.client()
			big := strings.Repeat("x", size)
			other.want("+OK", "SET", "big", big)
			other.want("+OK", "SET", "{1}big", big)
			before := heapInUse()
			slow := s.client()
			for range asks / 3 {
				slow.send(append(request("GET", "big"), request("MGET", "big", "{1}big")...))
			}
			peer := s.peerOf(slow.conn)
			stood := int64(-1)
			eventually(t, "the slow client is not answered any further", func() bool {
				for range 50 {
					other.want("+PONG", "PING")
				}
				was := stood
				stood = peer.Written.Load()
				return was == stood && stood > 0
			})
			if unsent := peer.Unsent.Load(); unsent > heapMost/2 {
				t.Errorf("%d bytes wait for the client", unsent)
			}
			if grown := heapInUse() - before; grown > heapMost {
				t.Errorf("the heap has grown by %d bytes for a client that does not read", grown)
			}
			one := fmt.Sprintf("$%d\r\n%s\r\n", size, big)
			want := []byte(one + "*2\r\n" + one + one)
			got := make([]byte, len(want))
			for i := range asks / 3 {
				if _, err := io.ReadFull(slow.conn, got); err != nil || !bytes.Equal(got, want) {
					t.Fatalf("reply %d is not what was asked for, %v", i, err)
				}
			}
			slow.want("+PONG", "PING")
			eventually(t, "the memory is given back", func() bool { return heapInUse()-before < heapMost/4 })
		})
	}
}

func heapInUse() int64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}
