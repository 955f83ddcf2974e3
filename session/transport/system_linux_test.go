package transport

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/troupedb/troupe/session"
)

func init() { transports["loops"] = NewEventLoops }

// Not parallel: it counts the descriptors of the process.
func TestTransportLeaksNoDescriptors(t *testing.T) {
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			count := func() int {
				entries, err := os.ReadDir("/proc/self/fd")
				if err != nil {
					t.Fatal(err)
				}
				return len(entries)
			}
			newStage(t, kind, Config{}, echo).churn(1, 1) // opens what net opens once
			before := count()
			newStage(t, kind, Config{}, echo).churn(10, 50)
			for deadline := time.Now().Add(patience); count() > before; runtime.Gosched() {
				if time.Now().After(deadline) { // others may still be closing theirs
					t.Fatalf("%d descriptors before, %d after", before, count())
				}
			}
		})
	}
}

// Not parallel: it measures the heap of the process.
func TestTransportIdleLinksAreSmall(t *testing.T) {
	const links, bytesMax = 1000, 2 << 10
	heap := func() uint64 {
		var stats runtime.MemStats
		runtime.GC()
		runtime.GC()
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc
	}
	idle := &script{closed: make(chan error, links)} // shared, to count the transport alone
	s := newStage(t, "loops", Config{Accept: func(link session.Link) session.Handler {
		link.Write([]byte("hello"))
		return idle
	}}, nil)
	conns := make([]peer, links)
	for i := range conns {
		conns[i] = s.dial()
		expect(t, conns[i], "hello")
	}
	with := heap()
	s.transport.Close()
	without := heap()
	if each := int64(with-without) / links; each > bytesMax {
		t.Fatalf("an idle link holds %d bytes", each)
	}
	runtime.KeepAlive(conns)
}

// Links that change loops all the time lose and reorder nothing: not the bytes
// received, not the tasks posted, not the output kept back.
func TestTransportMovesLinks(t *testing.T) {
	t.Parallel()
	for _, kind := range []string{"loops", "loops" + overTLS} {
		t.Run(kind, func(t *testing.T) {
			t.Parallel()
			moveLinks(t, kind)
		})
	}
}

func moveLinks(t *testing.T, kind string) {
	const links, rounds, posts = 12, 300, 300
	var moves atomic.Int64
	s := newStage(t, kind, Config{
		Loops:  3,
		window: 50 * time.Microsecond,
		decide: func(self int, loads []loopLoad) (loopMove, bool) {
			moves.Add(1)
			return loopMove{to: (self + 1) % 3, links: 1 + loads[self].links/2}, true
		},
	}, func(link session.Link, actor *script) {
		echoFrames(link, actor)
		inner, tasks := actor.received, 0
		actor.received = func(data []byte) int {
			if tasks == 0 {
				go postInOrder(t, link, &tasks, posts)
			}
			if tasks++; tasks%3 == 0 { // by way of another goroutine
				link.Pause()
				go link.Post(link.Resume)
				return 0
			}
			return inner(data)
		}
	})
	var clients sync.WaitGroup
	for range links {
		conn := s.dial()
		clients.Go(func() { exchange(t, conn, rounds) })
	}
	clients.Wait()
	for range links {
		s.awaitClosed()
	}
	if moves.Load() < 10 {
		t.Fatalf("only %d moves", moves.Load())
	}
}

// postInOrder posts tasks that touch what the handler touches, so that the race
// detector sees whether both run on one loop at a time.
func postInOrder(t testing.TB, link session.Link, shared *int, posts int) {
	next := 0
	for i := range posts {
		link.Post(func() {
			*shared++
			if next != i {
				t.Errorf("task %d ran as number %d", i, next)
			}
			next++
			if at := link.Loop(); at < 0 || at > 2 {
				t.Errorf("on loop %d", at)
			}
		})
	}
}

// exchange sends pipelines of frames and checks the replies.
func exchange(t *testing.T, conn peer, rounds int) {
	defer conn.CloseWrite()
	for i := range rounds {
		var requests, replies []byte
		for j := range i % 40 {
			data := fmt.Sprintf("%d.%d", i, j)
			if j == 7 {
				data += string(bytes.Repeat([]byte{'x'}, 60_000))
			}
			requests = append(binary.BigEndian.AppendUint16(requests, uint16(len(data))), data...)
			replies = fmt.Appendf(replies, "[%s]", data)
		}
		go conn.Write(requests)
		got := make([]byte, len(replies))
		if _, err := io.ReadFull(conn, got); err != nil || !bytes.Equal(got, replies) {
			t.Errorf("round %d: %v, or the replies differ", i, err)
			return
		}
	}
}

// A paused link whose peer has gone must not keep its loop awake.
func TestTransportPausedLinksDoNotSpin(t *testing.T) {
	t.Parallel()
	f := func(what string, network string, leave func(net.Conn)) {
		t.Helper()
		links := make(chan session.Link, 1)
		shown := make(chan string, 10)
		s := newStage(t, "loops", Config{Loops: 1}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Pause()
				shown <- string(data)
				return len(data)
			}
			links <- link
		})
		address := s.address
		if network == "unix" {
			address = filepath.Join(t.TempDir(), "s")
			if _, err := s.transport.Listen(network, address); err != nil {
				t.Fatal(err)
			}
		}
		conn, err := net.Dial(network, address)
		if err != nil {
			t.Fatal(err)
		}
		send(t, conn, "one")
		link := await(t, links, "link")
		await(t, shown, "input")
		send(t, conn, "two")
		leave(conn)
		spent := func() time.Duration {
			at := make(chan time.Duration)
			link.Post(func() { at <- threadTime() })
			return await(t, at, "task")
		}
		before := spent()
		<-time.After(100 * time.Millisecond)
		if busy := spent() - before; busy > 30*time.Millisecond {
			t.Fatalf("%s: %v of CPU in 100ms", what, busy)
		}
		link.Post(link.Resume)
		if got := await(t, shown, "rest"); got != "two" {
			t.Fatalf("%s: shown %q", what, got)
		}
		link.Post(link.Resume)
		if err := s.awaitClosed(); err != nil {
			t.Fatalf("%s: Closed(%v)", what, err)
		}
		conn.Close()
	}
	f("TCP, half-closed", "tcp", func(conn net.Conn) { conn.(*net.TCPConn).CloseWrite() })
	f("TCP, open", "tcp", func(conn net.Conn) {
		t.Cleanup(func() { conn.Close() })
		go func() { <-time.After(200 * time.Millisecond); conn.(*net.TCPConn).CloseWrite() }()
	})
	f("unix, half-closed", "unix", func(conn net.Conn) { conn.(*net.UnixConn).CloseWrite() })
	f("unix, closed", "unix", func(conn net.Conn) { conn.Close() })
}

// Under load on one loop only, the policy itself brings in the second, and goes
// back to one when it is calm.
func TestTransportBalancePolicyIsConsulted(t *testing.T) {
	t.Parallel()
	consulted := make(chan []loopLoad, 1000)
	s := newStage(t, "loops", Config{
		Loops:  2,
		window: time.Millisecond,
		decide: func(self int, loads []loopLoad) (loopMove, bool) {
			select {
			case consulted <- loads:
			default:
			}
			return loopMove{}, false
		},
	}, echo)
	conn := s.dial()
	for range 200 {
		send(t, conn, "x")
		expect(t, conn, "x")
	}
	for {
		loads := await(t, consulted, "window")
		if loads[0].links == 1 && loads[0].active == 1 && loads[1].links == 0 {
			if loads[0].busy < 0 || loads[0].busy > 1.2 {
				t.Fatalf("busy %v", loads[0].busy)
			}
			return
		}
	}
}

// socketOf is the descriptor of a link's socket.
func socketOf(t *testing.T, link session.Link) int {
	t.Helper()
	found := make(chan int)
	link.Post(func() {
		fd := link.FD()
		if turn, ok := link.(*turnLink); ok {
			conn := turn.conn
			if turn.secure != nil {
				conn = turn.secure.NetConn()
			}
			raw, err := conn.(*net.TCPConn).SyscallConn()
			if err == nil {
				err = raw.Control(func(number uintptr) { fd = int(number) })
			}
			if err != nil {
				t.Error(err)
			}
		}
		found <- fd
	})
	return await(t, found, "descriptor")
}

func TestTransportTunesSockets(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		links := make(chan session.Link, 1)
		s := newStage(t, kind, Config{KeepAlive: 300 * time.Second}, func(link session.Link, actor *script) { links <- link })
		f := func(asks, idle, interval int) {
			t.Helper()
			s.dial()
			socket := socketOf(t, await(t, links, "link"))
			f := func(level, option, want int) {
				t.Helper()
				if got, err := syscall.GetsockoptInt(socket, level, option); err != nil || got != want {
					t.Errorf("option %d is %d, %v; want %d", option, got, err, want)
				}
			}
			f(syscall.IPPROTO_TCP, syscall.TCP_NODELAY, 1)
			f(syscall.SOL_SOCKET, syscall.SO_KEEPALIVE, asks)
			if asks == 0 {
				return
			}
			f(syscall.IPPROTO_TCP, syscall.TCP_KEEPIDLE, idle)
			f(syscall.IPPROTO_TCP, syscall.TCP_KEEPINTVL, interval)
			f(syscall.IPPROTO_TCP, syscall.TCP_KEEPCNT, 3)
		}
		f(1, 300, 100)
		s.transport.SetKeepAlive(60 * time.Second)
		f(1, 60, 20)
		s.transport.SetKeepAlive(0)
		f(0, 0, 0)
		s.transport.SetKeepAlive(2 * time.Second)
		f(1, 2, 1)
	})
}
