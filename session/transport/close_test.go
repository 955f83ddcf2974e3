package transport

import (
	"bytes"
	"io"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupedb/troupe/session"
)

// How links end, on every transport.

// After a half-close everything that was received is answered, also what is
// answered late, and all of it is sent, before the link is closed.
func TestTransportAnswersAHalfClosedPipeline(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		const frames = 3000
		reply := string(bytes.Repeat([]byte("r"), 5000))
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				return eachFrame(data, func(frame []byte) bool {
					link.Pause()
					link.Post(func() { // as a shard on another goroutine would
						link.Write([]byte(reply))
						link.Resume()
					})
					return false
				})
			}
		})
		conn := s.dial()
		for range frames {
			send(t, conn, frame("request"))
		}
		send(t, conn, frame("half a request")[:5])
		if err := conn.CloseWrite(); err != nil {
			t.Fatal(err)
		}
		for range frames {
			expect(t, conn, reply)
		}
		expectEnd(t, conn, "")
		if err := s.awaitClosed(); err != nil {
			t.Fatalf("Closed(%v)", err)
		}
	})
}

func TestTransportClosesAfterHalfClose(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echo)
		conn := s.dial()
		send(t, conn, "last words")
		conn.CloseWrite()
		expectEnd(t, conn, "last words")
		if err := s.awaitClosed(); err != nil {
			t.Fatalf("Closed(%v)", err)
		}
	})
}

// A handler that waits for something hears that its peer is gone, once.
func TestTransportTellsAPausedHandlerOfHalfClose(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		gone := make(chan session.Link, 5)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Pause()
				return len(data)
			}
			actor.gone = func() { gone <- link }
		})
		conn := s.dial()
		send(t, conn, "BLPOP")
		conn.CloseWrite()
		link := await(t, gone, "PeerClosed")
		link.Post(func() {
			link.Write([]byte("nil"))
			link.Resume()
		})
		expectEnd(t, conn, "nil")
		if err := s.awaitClosed(); err != nil || len(gone) != 0 {
			t.Fatalf("Closed(%v) and %d more PeerClosed", err, len(gone))
		}
	})
}

// It hears of it behind what has come since, and if the end had come before it
// began to wait.
func TestTransportTellsOfHalfCloseHoweverItComes(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		shown, gone := make(chan int, 1000), make(chan bool, 5)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			busy := 0
			actor.received = func(data []byte) int {
				link.Pause()
				if busy++; busy <= 200 && data[0] == 'b' {
					link.Resume()
					return 0
				}
				shown <- len(data)
				return len(data)
			}
			actor.gone = func() {
				gone <- true
				link.Close()
			}
		})
		f := func(what string, pieces ...string) {
			t.Helper()
			conn := s.dial()
			send(t, conn, pieces[0])
			for _, piece := range pieces[1:] {
				await(t, shown, what)
				send(t, conn, piece)
			}
			conn.CloseWrite()
			await(t, gone, what)
			if err := s.awaitClosed(); err != nil || len(gone) != 0 {
				t.Fatalf("%s: Closed(%v), and %d more PeerClosed", what, err, len(gone))
			}
		}
		f("the end alone", "wait")
		f("the end behind more", "wait", "more")
		f("the end while it is busy", "busy")
	})
}

func TestTransportClosesAfterWrites(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		big := string(bytes.Repeat([]byte("b"), 8<<20))
		var shown atomic.Int32
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				shown.Add(1)
				link.Write([]byte(big))
				link.CloseAfterWrites()
				link.CloseAfterWrites()
				return len(data)
			}
		})
		conn := s.dial()
		send(t, conn, "x")
		expect(t, conn, big[:1])
		send(t, conn, "this is thrown away")
		expectEnd(t, conn, big[1:])
		if err := s.awaitClosed(); err != nil {
			t.Fatalf("Closed(%v)", err)
		}
		if n := shown.Load(); n != 1 {
			t.Fatalf("shown %d times", n)
		}
	})
}

// The reply that says why a link is closed arrives, though input is unread.
func TestTransportClosesAfterWritesWithInputUnread(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Write([]byte("-ERR Protocol error\r\n"))
				link.CloseAfterWrites()
				return 0
			}
		})
		garbage := string(bytes.Repeat([]byte("g"), 100_000))
		for range 20 {
			conn := s.dial()
			send(t, conn, garbage)
			expectEnd(t, conn, "-ERR Protocol error\r\n")
		}
	})
}

// Nor is it lost when the peer goes on sending.
func TestTransportLingersForItsLastReply(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{Accept: func(link session.Link) session.Handler {
			link.Write([]byte("-ERR max number of clients reached"))
			return nil
		}}, nil)
		for range 20 {
			conn := s.dial()
			expect(t, conn, "-ERR max")
			send(t, conn, "PING")
			send(t, conn, "PING")
			expectEnd(t, conn, " number of clients reached")
			conn.Close()
		}
		// One that never closes its side is closed all the same.
		conn := s.dial()
		expectEnd(t, conn, "-ERR max number of clients reached")
		for {
			if _, err := conn.Write([]byte("more")); err != nil {
				break
			}
		}
	})
}

// Close loses what is unsent, and Closed comes from the loop afterwards.
func TestTransportClosesNow(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		order := make(chan string, 10)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Write(make([]byte, 64<<20))
				link.Close()
				order <- "after Close"
				link.Write([]byte("nothing"))
				link.Resume()
				link.Pause()
				link.CloseAfterWrites()
				link.Close()
				link.Post(func() { order <- "task" })
				return len(data)
			}
		})
		conn := s.dial()
		send(t, conn, "x")
		if got := await(t, order, "Close"); got != "after Close" {
			t.Fatalf("got %q", got)
		}
		if err := s.awaitClosed(); err != nil {
			t.Fatalf("Closed(%v)", err)
		}
		if got := await(t, order, "task of a closed link"); got != "task" {
			t.Fatalf("got %q", got)
		}
		if n, _ := io.Copy(io.Discard, conn); n == 64<<20 {
			t.Fatal("everything was sent")
		}
	})
}

func TestTransportNoticesAReset(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		f := func(what string, play func(session.Link, *script)) {
			t.Helper()
			shown := make(chan bool, 10)
			s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
				play(link, actor)
				inner := actor.received
				actor.received = func(data []byte) int {
					defer func() { shown <- true }()
					return inner(data)
				}
			})
			conn := s.dial()
			send(t, conn, "x")
			await(t, shown, "input")
			conn.reset()
			if err := s.awaitClosed(); err == nil {
				t.Fatalf("%s: Closed(nil) after a reset", what)
			}
		}
		f("reading", func(link session.Link, actor *script) {
			actor.received = func(data []byte) int { return len(data) }
		})
		f("paused", func(link session.Link, actor *script) {
			actor.received = func(data []byte) int { link.Pause(); return len(data) }
		})
		f("paused, with left-over bytes", func(link session.Link, actor *script) {
			actor.received = func(data []byte) int { link.Pause(); return 0 }
		})
		f("writing", func(link session.Link, actor *script) {
			actor.received = func(data []byte) int { link.Write(make([]byte, 64<<20)); return len(data) }
		})
		f("paused and writing", func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Pause()
				link.Write(make([]byte, 64<<20))
				return 0
			}
		})
	})
}

// Bytes of a batch that is still being answered outlive a reset of its link.
func TestTransportKeepsBytesOfAPausedLinkThatEnds(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		held := make(chan []byte, 1)
		s := newStage(t, kind, Config{Loops: 1}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				if data[0] == 'h' {
					link.Pause()
					held <- data
				} else {
					link.Write(data)
				}
				return len(data)
			}
		})
		victim, other := s.dial(), s.dial()
		send(t, victim, "held")
		batch := await(t, held, "batch")
		victim.reset()
		if s.awaitClosed() == nil {
			t.Fatal("Closed(nil) after a reset")
		}
		noise := string(bytes.Repeat([]byte("n"), 40_000))
		go io.WriteString(other, noise)
		expect(t, other, noise)
		if string(batch) != "held" {
			t.Fatalf("held bytes became %q", batch)
		}
	})
}

// Many links come and go; each handler hears of its end exactly once.
func TestTransportChurn(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echo)
		s.churn(10, 200)
		if len(s.closed) != 0 {
			t.Fatalf("%d links were closed twice", len(s.closed))
		}
	})
}

// churn opens and closes links, half of them rudely, and waits for their ends.
func (s *stage) churn(clients, rounds int) {
	s.t.Helper()
	var running sync.WaitGroup
	for range clients {
		running.Go(func() {
			for i := range rounds {
				s.visit(i%2 == 0)
			}
		})
	}
	running.Wait()
	for range clients * rounds {
		s.awaitClosed()
	}
	s.transport.Close()
}

func (s *stage) visit(rude bool) {
	conn, err := s.open()
	if err != nil {
		s.t.Error(err)
		return
	}
	io.WriteString(conn, "ping")
	if _, err := io.ReadFull(conn, make([]byte, 4)); err != nil {
		s.t.Error(err)
	}
	if rude {
		conn.reset()
	} else {
		conn.Close()
	}
}

// Close ends every link, whatever it is doing, and tells each handler.
func TestTransportCloseEndsAll(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		ready := make(chan bool, 100)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				defer func() { ready <- true }()
				switch data[0] {
				case 'p':
					link.Pause()
				case 'w':
					link.Write(make([]byte, 32<<20))
				case 'c':
					link.Write(make([]byte, 32<<20))
					link.CloseAfterWrites()
				}
				return 0
			}
		})
		for _, what := range []string{"p", "w", "c", "i", "p"} {
			send(t, s.dial(), what)
			await(t, ready, "input")
		}
		s.transport.Close()
		if n := len(s.closed); n != 5 {
			t.Fatalf("%d of 5 links were told of their end by the time Close returned", n)
		}
		s.transport.Close()
	})
}

func TestTransportUnixSocketFile(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		path := filepath.Join(t.TempDir(), "socket")
		s := newStage(t, kind, Config{UnixMode: 0o606}, echo)
		listen := func(s *stage) error {
			_, err := s.transport.Listen("unix", path)
			return err
		}
		mustListen := func(s *stage) {
			t.Helper()
			if err := listen(s); err != nil {
				t.Fatal(err)
			}
			info, err := os.Stat(path)
			if err != nil || info.Mode() != fs.ModeSocket|0o606 {
				t.Fatalf("mode %v, %v", info.Mode(), err)
			}
		}
		mustListen(s)
		conn, err := net.Dial("unix", path)
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		send(t, conn, "over a file")
		expect(t, conn, "over a file")

		other := newStage(t, kind, Config{UnixMode: 0o606}, echo)
		if listen(other) == nil {
			t.Fatal("a socket in use was taken over")
		}
		s.transport.StopListening()
		if _, err := os.Stat(path); err == nil {
			t.Fatal("the file is still there")
		}
		leaveStaleSocket(t, path)
		mustListen(other)
		other.transport.Close()

		if err := os.WriteFile(path, []byte("precious"), 0o600); err != nil {
			t.Fatal(err)
		}
		if listen(newStage(t, kind, Config{}, echo)) == nil {
			t.Fatal("a file that is not a socket was replaced")
		}
		if text, _ := os.ReadFile(path); string(text) != "precious" {
			t.Fatalf("the file became %q", text)
		}
		if left, _ := os.ReadDir(filepath.Dir(path)); len(left) != 1 {
			t.Fatalf("files left over: %v", left)
		}
	})
}

// A socket file that something else has put in our place is not removed.
func TestTransportLeavesOthersSocketFile(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		path := filepath.Join(t.TempDir(), "socket")
		s := newStage(t, kind, Config{}, echo)
		if _, err := s.transport.Listen("unix", path); err != nil {
			t.Fatal(err)
		}
		leaveStaleSocket(t, path+".other")
		if err := os.Rename(path+".other", path); err != nil {
			t.Fatal(err)
		}
		s.transport.Close()
		if _, err := os.Lstat(path); err != nil {
			t.Fatal(err)
		}
	})
}

// leaveStaleSocket leaves a file that nothing listens on.
func leaveStaleSocket(t *testing.T, path string) {
	t.Helper()
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	ln.SetUnlinkOnClose(false)
	ln.Close()
}
