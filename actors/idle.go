package actors

import (
	"sync"
	"sync/atomic"
	"time"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/session"
)

// idler looks at what nobody uses, once a second. It gives back the memory that
// was kept for large values, and that of Go's heap, and closes the links of clients that have not read
// for too long, that have not logged in, and that have said nothing for a while
// (the setting timeout). Clients that wait on purpose are
// left alone: those that are blocked, subscribed, watching live queries, or
// monitors.
type idler struct {
	max       atomic.Int64 // milliseconds; 0: for ever
	handshake atomic.Int64 // milliseconds that who comes has to log in; 0: for ever
	heap      *releaser    // nil: Go's heap is not ours alone
	stop      chan struct{}
	done      sync.WaitGroup
}

// SetHandshake sets how long who comes may take to do the handshake of TLS, and
// then to log in if he must; 0 is for ever.
func (s *System) SetHandshake(d time.Duration) { s.idle.handshake.Store(d.Milliseconds()) }

// SetIdle sets how long a client may be idle; 0 is for ever.
func (s *System) SetIdle(d time.Duration) { s.idle.max.Store(d.Milliseconds()) }

func (i *idler) patience() time.Duration { return time.Duration(i.handshake.Load()) * time.Millisecond }

// idleInterval is how often the links are looked over, as in Redis.
const idleInterval = time.Second

func (i *idler) start(server *session.Server) {
	i.stop = make(chan struct{})
	i.done.Go(func() {
		ticker := time.NewTicker(idleInterval)
		defer ticker.Stop()
		for {
			select {
			case <-i.stop:
				return
			case <-ticker.C:
				slab.AgeBuffers()
				if i.heap != nil {
					i.heap.look()
				}
				i.sweep(server)
				server.SweepOutput()
				server.SweepStrangers(i.handshake.Load())
			}
		}
	})
}

func (i *idler) close() {
	close(i.stop)
	i.done.Wait()
}

func (i *idler) sweep(server *session.Server) {
	longest := i.max.Load()
	if longest == 0 {
		return
	}
	before := server.Millis() - longest
	for _, one := range server.Sessions() {
		if one.Used.Load() < before && !waitsOnPurpose(one) {
			one.Send(&session.Kill{})
		}
	}
}

func waitsOnPurpose(one *session.Session) bool {
	return one.Flags.Load()&(session.FlagMonitor|session.FlagPubSub|session.FlagBlocked) != 0 ||
		one.Watching.Load() > 0 || one.Channels.Load() > 0
}
