package main

import (
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/troupedb/troupe/actors/config"
)

// Links between watchers and the server that are slow, deliver in pieces cut
// anywhere, stand still for a while, and break; who was cut off goes on behind the
// last frame that came whole. What all that comes to must be the key's history.

// badLinks passes links on to a server, badly.
type badLinks struct {
	net.Listener
	tb testing.TB
	to string

	mu   sync.Mutex
	rng  *rand.Rand
	cuts int
	well bool // from now on they are good
	open []net.Conn
	all  sync.WaitGroup
}

func newBadLinks(tb testing.TB, to string, rng *rand.Rand) *badLinks {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		tb.Fatal(err)
	}
	b := &badLinks{Listener: l, tb: tb, to: to, rng: rng}
	b.all.Go(b.accept)
	tb.Cleanup(func() {
		l.Close()
		b.mu.Lock()
		for _, conn := range b.open {
			conn.Close()
		}
		b.mu.Unlock()
		b.all.Wait()
	})
	return b
}

func (b *badLinks) accept() {
	for {
		here, err := b.Accept()
		if err != nil {
			return
		}
		there, err := net.Dial("tcp", b.to)
		if err != nil {
			here.Close()
			return
		}
		b.mu.Lock()
		b.open = append(b.open, here, there)
		rng := rand.New(rand.NewPCG(b.rng.Uint64(), 0))
		b.mu.Unlock()
		b.all.Go(func() { b.pass(there, here, rng) })
		b.all.Go(func() {
			io.Copy(there, here)
			there.Close()
		})
	}
}

// linkBytes is about how much a link carries before it breaks.
const linkBytes = 400_000

// pass carries what the server says, in pieces, until the link breaks.
func (b *badLinks) pass(from, to net.Conn, rng *rand.Rand) {
	defer from.Close()
	defer to.Close()
	piece := make([]byte, 16<<10)
	for left := rng.IntN(2 * linkBytes); ; {
		n, err := from.Read(piece[:1+rng.IntN(len(piece))])
		if err == nil {
			_, err = to.Write(piece[:n])
		}
		if err != nil {
			return
		}
		if left -= n; left < 0 && b.breaks() {
			if rng.IntN(2) == 0 {
				to.(*net.TCPConn).SetLinger(0) // with a reset
			}
			return
		}
		if rng.IntN(20) == 0 {
			<-time.After(time.Duration(rng.IntN(10)) * time.Millisecond)
		}
	}
}

func (b *badLinks) breaks() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.well {
		b.cuts++
	}
	return !b.well
}

// mend lets links break no more, and returns how many have.
func (b *badLinks) mend() (cuts int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.well = true
	return b.cuts
}

// client is a link to the server over the bad links.
func (b *badLinks) client() (*client, error) {
	conn, err := net.Dial("tcp", b.Addr().String())
	if err == nil {
		err = conn.SetDeadline(time.Now().Add(patience))
	}
	return &client{tb: b.tb, conn: conn}, err
}

// resumer is a watcher over bad links.
type resumer struct {
	links *badLinks
	every bool
	query []string

	hearing hearing
	token   string // of the last frame; "" before the first
	breaks  int
}

// listen hears frames until the end of the test, over as many links as it takes.
func (r *resumer) listen() {
	for begun := time.Now(); ; {
		over, err := r.life()
		if over {
			return
		}
		r.breaks++
		if time.Since(begun) > patience {
			r.links.tb.Errorf("%v after %d frames: %v", r.hearing.way, len(r.hearing.frames), err)
			return
		}
	}
}

// life hears frames over one link, until it breaks or all has been told.
func (r *resumer) life() (over bool, err error) {
	c, err := r.links.client()
	if err != nil {
		return false, err
	}
	defer c.conn.Close()
	if _, err := c.conn.Write(r.beginning()); err != nil {
		return false, err
	}
	if _, err := c.next(); err != nil { // HELLO
		return false, err
	}
	for {
		reply, err := c.next()
		if err != nil {
			return false, err
		}
		f, ok := readFrame(reply)
		if !ok {
			return false, nil // the query answers with an error just now: it is asked again
		}
		r.token = f.token
		f.value = strings.Replace(f.value, padding, "", 1)
		if f.kind != "progress" {
			r.hearing.frames = append(r.hearing.frames, f)
		}
		if f.value == `"the end"` {
			return true, nil
		}
	}
}

func (r *resumer) beginning() []byte {
	words := []string{"OBSERVE"}
	if r.token != "" {
		words = append(words, "RESUME", r.token)
	}
	if r.every {
		words = append(words, "EVERY")
	}
	return append(request("HELLO", "3"), request(append(words, r.query...)...)...)
}

func TestHistoriesOverBadLinks(t *testing.T) {
	t.Parallel()
	seed := drawSeed(t)
	for _, sh := range []shape{{1, true}, {16, false}} {
		t.Run(sh.String(), func(t *testing.T) {
			t.Parallel()
			s := startServer(t, sh, config.Flag{Name: "watch-linger", Words: []string{"600000"}})
			rng := rand.New(rand.NewPCG(seed, uint64(sh.shards)))
			links := newBadLinks(t, s.addr, rand.New(rand.NewPCG(rng.Uint64(), 0)))
			var all []*resumer
			var listening, writing sync.WaitGroup
			for i := range 6 {
				r := &resumer{links: links, query: []string{"GET", "k"}, every: i%3 == 2}
				r.hearing.way = way{3, "resume over bad links"}
				if r.every {
					r.hearing.way.verb = "every"
				}
				all = append(all, r)
				listening.Go(r.listen)
			}
			logs := make([][]written, 3)
			for i := range logs {
				own := rand.New(rand.NewPCG(rng.Uint64(), rng.Uint64()))
				c := s.client()
				writing.Go(func() { logs[i] = write(c, own, strconv.Itoa(i), 150) })
			}
			writing.Wait()
			cuts := links.mend()
			s.client().want("+OK", "SET", "k", "the end")
			listening.Wait()
			past := append(history(slices.Concat(logs...)), `"the end"`)
			values := map[int64]string{}
			for _, r := range all {
				r.hearing.check(t, past, values)
				t.Logf("%v: %d frames of %d states, %d links", r.hearing.way, len(r.hearing.frames), len(past), r.breaks+1)
			}
			if cuts == 0 {
				t.Error("no link has broken")
			}
			s.client().want("+OK", "CONFIG", "SET", "watch-linger", "0")
			s.wantNoWatches()
		})
	}
}
