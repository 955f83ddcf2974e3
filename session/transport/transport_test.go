package transport

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math/rand"
	"net"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/session"
)

// How bytes, pauses and tasks go, on every transport.

func TestTransportEchoes(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echo)
		var clients sync.WaitGroup
		for i := range 20 {
			conn := s.dial()
			clients.Go(func() {
				for j := range 50 {
					message := fmt.Sprintf("client %d message %d", i, j)
					io.WriteString(conn, message)
					got := make([]byte, len(message))
					if _, err := io.ReadFull(conn, got); err != nil || string(got) != message {
						t.Errorf("read %q, %v; want %q", got, err, message)
						return
					}
				}
			})
		}
		clients.Wait()
	})
}

// What is not consumed is shown again with what follows, wherever the bytes
// are split.
func TestTransportSplitsAnywhere(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echoFrames)
		stream := frame("one") + frame("") + frame("three")
		conn := s.dial()
		for at := range len(stream) + 1 {
			send(t, conn, stream[:at])
			whole := 0
			eachFrame([]byte(stream[:at]), func(frame []byte) bool {
				expect(t, conn, fmt.Sprintf("[%s]", frame)) // so that the halves arrive apart
				whole++
				return true
			})
			send(t, conn, stream[at:])
			for _, reply := range []string{"[one]", "[]", "[three]"}[whole:] {
				expect(t, conn, reply)
			}
		}
		for i := range len(stream) {
			send(t, conn, stream[i:i+1])
		}
		expect(t, conn, "[one][][three]")
	})
}

// A large request that comes in small pieces is received, and looked at by the
// handler, in linear time: growth is tested with linkInput, the whole here.
func TestTransportGrowsForLargeRequests(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		const size = 1 << 20
		sum := make(chan int, 1)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				if len(data) < size {
					return 0
				}
				total := 0
				for _, b := range data[:size] {
					total += int(b)
				}
				sum <- total
				return size
			}
		})
		conn := s.dial()
		for range 2 {
			want := 0
			for i := range size / 1024 {
				piece := bytes.Repeat([]byte{byte(i)}, 1024)
				want += 1024 * int(byte(i))
				send(t, conn, string(piece))
			}
			if got := await(t, sum, "large request"); got != want {
				t.Fatalf("sum %d, want %d", got, want)
			}
		}
	})
}

// A paused link is shown nothing until it is resumed, then the left-over bytes.
func TestTransportPausesAndResumes(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		links := make(chan session.Link, 1)
		shown := make(chan string, 100)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			links <- link
			actor.received = func(data []byte) int {
				return eachFrame(data, func(frame []byte) bool {
					shown <- string(frame)
					link.Pause()
					return false
				})
			}
		})
		conn := s.dial()
		send(t, conn, frame("one")+frame("two")+frame("three"))
		link := await(t, links, "link")
		for _, want := range []string{"one", "two", "three", "four", "five"} {
			if got := await(t, shown, "frame"); got != want {
				t.Fatalf("shown %q, want %q", got, want)
			}
			settled := make(chan int)
			link.Post(func() { link.Post(func() { settled <- len(shown) }) })
			if early := await(t, settled, "task"); early != 0 {
				t.Fatalf("%d frames shown while paused", early)
			}
			if want == "three" {
				send(t, conn, frame("four")+frame("five")) // while paused
			}
			link.Post(link.Resume)
		}
	})
}

// Pausing and resuming within Received goes on with the rest.
func TestTransportResumesWithinReceived(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				return eachFrame(data, func(frame []byte) bool {
					link.Write(frame)
					link.Pause()
					link.Resume()
					return false
				})
			}
		})
		conn := s.dial()
		send(t, conn, frame("a")+frame("b")+frame("c")+frame("d")[:1])
		expect(t, conn, "abc")
		send(t, conn, frame("d")[1:])
		expect(t, conn, "d")
	})
}

// Bytes that were consumed stay valid while the link is paused, however much
// the loop reads for others.
func TestTransportKeepsConsumedBytesWhilePaused(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		type batch struct {
			link  session.Link
			bytes []byte
		}
		batches := make(chan batch, 10)
		s := newStage(t, kind, Config{Loops: 1}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				if data[0] == 'x' {
					link.Write(data)
					return len(data)
				}
				link.Pause()
				batches <- batch{link, data}
				return len(data)
			}
		})
		conn, other := s.dial(), s.dial()
		noise := string(bytes.Repeat([]byte{'x'}, 40_000))
		for range 3 {
			send(t, conn, "batch")
			held := await(t, batches, "batch")
			send(t, conn, noise)
			go io.WriteString(other, noise)
			expect(t, other, noise)
			if string(held.bytes) != "batch" {
				t.Fatalf("held bytes became %.20q", held.bytes)
			}
			held.link.Post(held.link.Resume)
			expect(t, conn, noise)
		}
	})
}

// Output that the socket does not take is kept, in order, and Drained follows.
func TestTransportDrainsToASlowReader(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		const size = 32 << 20
		seed := time.Now().UnixNano()
		t.Logf("seed %d", seed)
		data := make([]byte, size)
		rand.New(rand.NewSource(seed)).Read(data)
		unsent := make(chan int, 2)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(request []byte) int {
				for rest := data; len(rest) > 0; {
					n := min(len(rest), 100_000)
					link.Write(rest[:n])
					rest = rest[n:]
				}
				unsent <- link.Unsent()
				return len(request)
			}
			actor.drained = func() {
				unsent <- link.Unsent()
				link.Write([]byte("drained"))
			}
		})
		conn := s.dial()
		send(t, conn, "go")
		if n := await(t, unsent, "answer"); n == 0 || n > size {
			t.Fatalf("%d bytes unsent of %d", n, size)
		}
		expect(t, conn, string(data))
		if n := await(t, unsent, "Drained"); n != 0 {
			t.Fatalf("%d bytes unsent when drained", n)
		}
		expect(t, conn, "drained")
	})
}

// A link reads on while its output is stuck, or a client that writes all
// before it reads would wait for ever.
func TestTransportReadsWhileOutputIsStuck(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echo)
		conn := s.dial()
		data := string(bytes.Repeat([]byte("0123456789"), 2<<20))
		send(t, conn, data)
		expect(t, conn, data)
	})
}

func TestTransportPostsInOrder(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		const posters, posts = 8, 2000
		links := make(chan session.Link, 1)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) { links <- link })
		s.dial()
		link := await(t, links, "link")
		var seen [posters]int // the loop's alone
		done := make(chan bool)
		left := posters * posts
		for poster := range posters {
			go func() {
				for i := range posts {
					link.Post(func() {
						if seen[poster] != i {
							t.Errorf("poster %d: task %d ran as number %d", poster, i, seen[poster])
						}
						seen[poster]++
						if left--; left == 0 {
							close(done)
						}
					})
				}
			}()
		}
		await(t, done, "last task")
	})
}

// A task posted by a task runs, after it and not within it.
func TestTransportPostsFromItsOwnLoop(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Post(func() {
					link.Write([]byte("2"))
					link.Post(func() { link.Write([]byte("4")) })
					link.Write([]byte("3"))
				})
				link.Write([]byte("1"))
				return len(data)
			}
		})
		conn := s.dial()
		for range 100 {
			send(t, conn, "x")
			expect(t, conn, "1234")
		}
	})
}

func TestTransportRefuses(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{Accept: func(link session.Link) session.Handler {
			link.Write([]byte("-ERR max number of clients reached\r\n"))
			return nil
		}}, nil)
		expectEnd(t, s.dial(), "-ERR max number of clients reached\r\n")
	})
}

func TestTransportTellsAddresses(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		type facts struct {
			remote, local string
			unix          bool
			loop          int
		}
		told := make(chan facts, 1)
		s := newStage(t, kind, Config{FirstLoop: 7, Loops: 1}, func(link session.Link, actor *script) {
			told <- facts{link.RemoteAddr(), link.LocalAddr(), link.Unix(), link.Loop()}
		})
		f := func(network, address string) {
			t.Helper()
			bound, err := s.transport.Listen(network, address)
			if err != nil {
				t.Fatal(err)
			}
			conn, err := net.Dial(network, bound)
			if err != nil {
				t.Fatal(err)
			}
			defer conn.Close()
			want := facts{conn.LocalAddr().String(), conn.RemoteAddr().String(), network == "unix", 7}
			if want.unix {
				want.remote = address
			}
			if got := await(t, told, "link"); got != want {
				t.Fatalf("told %+v, want %+v", got, want)
			}
		}
		f("tcp", "127.0.0.1:0")
		f("tcp4", "127.0.0.1:0")
		f("unix", filepath.Join(t.TempDir(), "s"))
		if ln, err := net.Listen("tcp6", "[::1]:0"); err == nil {
			ln.Close()
			f("tcp", "[::1]:0")
			f("tcp6", "[::1]:0")
		}
	})
}

// An IPv6 address leaves the port free for IPv4.
func TestTransportListensOnBothFamilies(t *testing.T) {
	if ln, err := net.Listen("tcp6", "[::1]:0"); err != nil {
		t.Skip("no IPv6 here")
	} else {
		ln.Close()
	}
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echo)
		bound, err := s.transport.Listen("tcp", "0.0.0.0:0")
		if err != nil {
			t.Fatal(err)
		}
		_, port, _ := net.SplitHostPort(bound)
		if _, err := s.transport.Listen("tcp", "[::]:"+port); err != nil {
			t.Fatal(err)
		}
		for _, host := range []string{"127.0.0.1", "::1"} {
			conn, err := net.Dial("tcp", net.JoinHostPort(host, port))
			if err != nil {
				t.Fatal(err)
			}
			send(t, conn, host)
			expect(t, conn, host)
			conn.Close()
		}
		if _, err := s.transport.Listen("tcp", bound); err == nil {
			t.Fatal("a bound port was bound again")
		}
		if _, err := s.transport.Listen("udp", bound); err == nil {
			t.Fatal("udp was bound")
		}
	})
}

func TestTransportStopsListening(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		s := newStage(t, kind, Config{}, echo)
		conn := s.dial()
		send(t, conn, "before")
		expect(t, conn, "before")
		s.transport.StopListening()
		if other, err := net.Dial("tcp", s.address); err == nil {
			other.Close()
			t.Fatal("a connection was accepted after StopListening")
		}
		send(t, conn, "after")
		expect(t, conn, "after")
		s.transport.Close()
		if _, err := s.transport.Listen("tcp", s.address); !errors.Is(err, net.ErrClosed) {
			t.Fatalf("Listen after Close: %v", err)
		}
		if err := s.awaitClosed(); err != nil {
			t.Fatalf("Closed(%v) by Close", err)
		}
		expectEnd(t, conn, "")
	})
}

// A task that finds another link on its own loop may call it, even one that is
// on its way to that loop.
func TestTransportCallsNeighbours(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) { callNeighbours(t, kind) })
}

func callNeighbours(t *testing.T, kind string) {
	const count, calls = 8, 3000
	links := make(chan session.Link, count)
	s := newStage(t, kind, Config{
		Loops:  2,
		window: 50 * time.Microsecond,
		decide: func(self int, loads []loopLoad) (loopMove, bool) {
			return loopMove{to: 1 - self, links: loads[self].links}, true
		},
	}, func(link session.Link, actor *script) {
		echo(link, actor)
		links <- link
	})
	var readers sync.WaitGroup
	all := make([]session.Link, count)
	for i := range all {
		conn := s.dial()
		all[i] = await(t, links, "link")
		readers.Go(func() { io.Copy(io.Discard, conn) })
	}
	told := make(chan bool, calls)
	for i := range calls {
		from := all[i%count]
		from.Post(func() {
			for _, link := range all {
				if link.Loop() == from.Loop() {
					link.Write([]byte("hello"))
				}
			}
			told <- true
		})
		if i%100 == 0 {
			await(t, told, "call")
		}
	}
	for _, link := range all {
		link.Post(link.CloseAfterWrites)
	}
	for range all {
		if err := s.awaitClosed(); err != nil {
			t.Fatal(err)
		}
	}
	readers.Wait()
}
