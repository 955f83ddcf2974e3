package transport

import (
	"bytes"
	"runtime"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/session"
)

// What large requests and replies take. The tests of this file look at a count
// of the process, so nothing runs beside them.

const largeBytes = 24 << 20 // more than sockets hold

// countLarge runs test on every transport, and sees that it leaves nothing in
// Buffers. inUse is what is in them, but for those that are kept.
func countLarge(t *testing.T, test func(t *testing.T, kind string, inUse func() int64)) {
	inUse := func() int64 {
		slab.AgeBuffers()
		slab.AgeBuffers()
		return slab.InBuffers()
	}
	freed := func() bool {
		runtime.GC()
		return inUse() == 0
	}
	for _, kind := range kinds() {
		t.Run(kind, func(t *testing.T) {
			awaitThat(t, "the Buffers of tests before freed", freed)
			test(t, kind, inUse)
			awaitThat(t, "Buffers freed", freed)
		})
	}
}

// filledBuffer is a Buffer with a pattern in it, and the pattern.
func filledBuffer() (*slab.Buffer, []byte) {
	large := slab.NewBuffer(largeBytes)
	p := large.Bytes()[:largeBytes]
	for i := range p {
		p[i] = byte(i * 7 >> 3)
	}
	large.Use(len(p))
	return large, p
}

// What is given leaves in order with what is written, and is not copied.
func TestTransportGives(t *testing.T) {
	countLarge(t, func(t *testing.T, kind string, inUse func() int64) {
		large, p := filledBuffer()
		defer large.Free()
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Write([]byte("before"))
				link.Give(filledBuffer())
				link.Write([]byte("between"))
				link.Give(filledBuffer())
				link.Write([]byte("after"))
				if n := inUse() - largeBytes; n > 2*largeBytes {
					t.Errorf("%d bytes in Buffers, for two of %d", n, largeBytes)
				}
				return len(data)
			}
		})
		conn := s.dial()
		send(t, conn, "x")
		expect(t, conn, "before")
		expect(t, conn, string(p))
		expect(t, conn, "between")
		expect(t, conn, string(p))
		expect(t, conn, "after")
		awaitThat(t, "what was sent freed", func() bool { return inUse() == largeBytes })
	})
}

// What a peer does not take is freed when it leaves.
func TestTransportGivesInVain(t *testing.T) {
	countLarge(t, func(t *testing.T, kind string, inUse func() int64) {
		links := make(chan session.Link, 1)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(data []byte) int {
				link.Give(filledBuffer())
				link.Write(make([]byte, largeBytes))
				links <- link
				return len(data)
			}
		})
		conn := s.dial()
		send(t, conn, "x")
		link := await(t, links, "link")
		conn.Close()
		s.awaitClosed()
		done := make(chan bool)
		link.Post(func() {
			link.Give(filledBuffer())
			close(done)
		})
		await(t, done, "task")
	})
}

// A large request takes its size while it arrives, however it does, and
// nothing when it has been consumed: not even if that was while it was paused.
func TestTransportFreesLargeRequests(t *testing.T) {
	countLarge(t, func(t *testing.T, kind string, inUse func() int64) {
		data := bytes.Repeat([]byte("0123456789abcdef"), largeBytes/16)
		shown := make(chan session.Link, 1)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(got []byte) int {
				if n := inUse(); n > largeBytes+largeBytes/8 {
					t.Errorf("%d bytes in use for %d", n, len(got))
				}
				if len(got) < largeBytes {
					link.Expect(largeBytes)
					return 0
				}
				if !bytes.Equal(got, data) {
					t.Error("the request has changed")
				}
				link.Pause()
				shown <- link
				return len(got)
			}
		})
		conn := s.dial()
		for range 2 {
			send(t, conn, string(data))
			link := await(t, shown, "request")
			link.Post(link.Resume)
			awaitThat(t, "the request's Buffer freed", func() bool { return inUse() == 0 })
		}
		send(t, conn, string(data[:largeBytes/2]))
		conn.Close()
		s.awaitClosed()
	})
}

// The bytes of a request stay while its link is paused, though the link closes,
// for as long as somebody refers to the link.
func TestTransportKeepsLargeRequestsOfClosedLinks(t *testing.T) {
	countLarge(t, func(t *testing.T, kind string, inUse func() int64) {
		type request struct {
			link  session.Link
			bytes []byte
		}
		shown := make(chan request, 1)
		s := newStage(t, kind, Config{}, func(link session.Link, actor *script) {
			actor.received = func(got []byte) int {
				if len(got) < largeBytes {
					link.Expect(largeBytes)
					return 0
				}
				link.Pause()
				shown <- request{link, got}
				return len(got)
			}
		})
		conn := s.dial()
		send(t, conn, string(bytes.Repeat([]byte("x"), largeBytes)))
		r := await(t, shown, "request")
		r.link.Post(r.link.Close)
		s.awaitClosed()
		if n := bytes.Count(r.bytes, []byte("x")); n != largeBytes || inUse() < largeBytes {
			t.Errorf("%d bytes are left, %d in use", n, inUse())
		}
		conn.Close()
		s.transport.Close()
	})
}
