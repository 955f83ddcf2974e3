// Package session owns the conversations: one Session a connection, which
// reads commands, checks them, sends them to the shards they concern, and
// writes the replies in the order of the requests. A transport carries the
// bytes: see transport.go.
//
// It promises that the replies and effects of one link keep the order of its
// requests, that a link which does not read its replies is not read from
// either, and that one link's trouble is nobody else's.
package session

import (
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/command"
	"github.com/troupedb/troupe/session/acl"
)

// Session is one client's state. It belongs to its link's loop; only what is
// in Public, and the methods that say so, may be used from elsewhere.
type Session struct {
	Public

	server  *Server
	link    Link
	send    func(message any) // to this session's actor, from anywhere
	stop    func()            // the actor
	mailbox *keyspace.Mailbox
	front   front
	reader  Reader // the front of RESP
	encoder resp.Encoder
	args    command.Args

	catalogue *Catalogue

	db            int
	authenticated bool
	noTouch       bool
	reply         replyMode
	multi         *Multi
	lock          *Lock
	closing       bool     // no further command is taken
	stopping      bool     // because the server stops
	alone         bool     // the peer will send nothing more
	visits        bool     // it is a Visitor's
	above         int64    // since when too much is unsent, Unix milliseconds; 0: it is not
	held          [][]byte // a command that waits for what is before it
	later         *Command // a command whose reply comes by Answer
	early         *served  // what a command got before it was seen to wait
	parked        bool     // held by CLIENT PAUSE
	abandoned     bool     // nobody waits for the present command: see Abandon
	inExec        bool     // the present command is one of a running transaction

	batch    *batch
	out      []byte   // of the batch: replies that are complete
	foreseen int      // bytes of a request that is arriving, as the shards were told
	shown    int      // bytes of input that were shown before and not consumed
	now      int64    // of the present read, Unix milliseconds
	pushes   [][]byte // messages that wait for the open batch to be answered

	undelivered atomic.Int64 // bytes of messages sent to the session and not written

	watching watching
	channels channels
	tracking tracking
	mailing  bool     // the inbox is among those who have news
	news     []teller // to be asked when the link can carry news
	telling  bool     // the session is in its loop's outbox

	lastName [nameMax]byte // of the command found last, as it was written
	lastLen  int
	lastRow  *Command
	lastKey  int  // where it has its one key; 0: it is no such command
	plain    bool // such commands need no guards now
}

// Public is what others may see of a session, at any time.
type Public struct {
	id       uint64
	address  string
	local    string
	fd       int32
	unix     bool
	wait     atomic.Pointer[Wait]
	Born     int64 // Unix milliseconds
	Name     atomic.Pointer[string]
	LibName  atomic.Pointer[string]
	LibVer   atomic.Pointer[string]
	User     atomic.Pointer[string]
	holder   atomic.Pointer[acl.Account]
	evicted  atomic.Bool                  // its link is being closed, for want of memory
	stranger atomic.Int64                 // since when nobody has logged in, Unix milliseconds; 0: somebody has
	Last     atomic.Pointer[command.Meta] // the last command
	Used     atomic.Int64                 // when that was, Unix milliseconds
	DB       atomic.Int32
	Proto    atomic.Int32
	Queued   atomic.Int32 // commands in MULTI, -1 outside
	Locks    atomic.Int32 // keys under WATCH
	Channels atomic.Int32 // channels subscribed to, patterns included
	Patterns atomic.Int32

	ShardChannels atomic.Int32
	Redirect      atomic.Int64 // whom invalidations go to: a client's number, 0 for this one, -1 without tracking
	Watching      atomic.Int32 // live queries
	Told          atomic.Int64 // bytes of their frames, in all
	Unsent        atomic.Int64 // bytes
	Input         atomic.Int64 // bytes that have come and are no command yet
	QueuedBytes   atomic.Int64 // of the commands in MULTI
	Read          atomic.Int64 // bytes received, in all
	Written       atomic.Int64 // bytes sent, in all
	Flags         atomic.Uint32
}

// The flags of a session that CLIENT LIST shows.
const (
	FlagMonitor uint32 = 1 << iota
	FlagMulti
	FlagDirty
	FlagNoEvict
	FlagNoTouch
	FlagPubSub
	FlagBlocked
	FlagTracking
	FlagBrokenRedirect
	FlagBroadcast
)

// SetFlag sets or clears one of the flags.
func (p *Public) SetFlag(flag uint32, on bool) {
	if on {
		p.Flags.Or(flag)
	} else {
		p.Flags.And(^flag)
	}
}

// ID is the session's number; numbers rise and are never used again.
func (p *Public) ID() uint64 { return p.id }

// Address and LocalAddress are the two ends of the link, "host:port"; of a
// unix socket both are its path and ":0". FD is its descriptor's number.
func (p *Public) Address() string      { return p.address }
func (p *Public) LocalAddress() string { return p.local }
func (p *Public) FD() int              { return int(p.fd) }

// Unix reports whether the link came over a unix socket.
func (p *Public) Unix() bool { return p.unix }

// replyMode is what CLIENT REPLY asked for.
type replyMode uint8

const (
	replyOn replyMode = iota
	replyOff
	replySkipNext // the command after this one
	replySkip     // this one
)

func (s *Session) muted() bool { return s.reply == replyOff || s.reply == replySkip }

// received takes what a read brought: as many commands as it holds and the
// batch's bounds allow are run, or set going.
func (s *Session) received(data []byte) (consumed int) {
	if s.closing {
		return len(data)
	}
	s.Read.Add(int64(len(data) - s.shown))
	s.now = s.server.Node.Recent()
	s.mailFirst()
	b := s.open()
	s.setPlain()
	more := false
	for s.mayTake() {
		before := len(b.argv)
		argv, n, status := s.front.Next(data[consumed:], b.argv, s.limits())
		b.argv = argv
		consumed += n
		if status != Ready {
			s.endInput(status, len(data)-consumed)
			break
		}
		if n > s.limits().QueryMax {
			s.refuseLong(n)
			break
		}
		if !s.dispatch(b.argv[before:len(b.argv):len(b.argv)]) {
			break
		}
		more = consumed < len(data)
	}
	s.settle()
	if consumed > 0 {
		s.foreseen = 0
	}
	if s.shown = len(data) - consumed; s.Input.Load() != int64(s.shown) {
		s.Input.Store(int64(s.shown))
	}
	s.Last.Store(metaOf(s.lastRow))
	s.Used.Store(s.now)
	s.rest(more)
	return consumed
}

// mayTake reports whether another command may be read now.
func (s *Session) mayTake() bool {
	b := s.batch
	return !s.closing && s.held == nil && s.later == nil && !s.parked && len(b.slots) < batchMax && len(b.argv) < 64*batchMax && b.pending == 0
}

// expectFrom is how much of a request, in bytes, has come before its link is
// told how much there will be.
const expectFrom = 8 << 10

// endInput deals with the end of what can be read: for want of more, of which
// left bytes are there, or for good.
func (s *Session) endInput(status Status, left int) {
	switch status {
	case Incomplete:
		if left > expectFrom {
			needs := s.front.Needs()
			s.link.Expect(needs)
			if needs > s.foreseen {
				s.server.Node.Foresee(needs - s.foreseen)
				s.foreseen = needs
			}
		}
		if left > s.limits().QueryMax {
			s.refuseLong(left)
		}
	case Invalid:
		s.settle()
		if failure := s.front.Failure(); failure.Kind() != resp.None {
			s.answer(nil, failure)
		}
		s.closing = true
	case Foreign:
		s.server.warnOfBrowser(s)
		s.closing = true
		s.link.Close()
	}
}

// refuseLong ends a link that sends more than client-query-buffer-limit at once,
// whether it has come in one read or piece by piece.
func (s *Session) refuseLong(size int) {
	s.server.Log.Warn("link closed: its request is longer than client-query-buffer-limit", "session", s.id,
		"address", s.address, "bytes", size)
	s.server.Stats.QueryCut.Add(1)
	s.settle()
	s.answer(nil, errQueryTooLong)
	s.closing = true
}

var errQueryTooLong = resp.Error("ERR Protocol error: the request is longer than client-query-buffer-limit")

// rest ends a turn: what is answered is written; if something is under way
// the link is paused until it is done, and if only the bounds stopped us the
// rest is asked for again.
func (s *Session) rest(more bool) {
	if s.busy() {
		s.whileWaiting()
		s.link.Pause()
		return
	}
	s.flushOutput()
	s.flushPushes()
	if s.batch != nil {
		s.free()
	}
	switch {
	case s.closing:
		s.takeLeave()
	case s.link.Unsent() > unsentMax:
		s.link.Pause() // Drained resumes
	case more:
		s.link.Pause()
		s.link.Resume()
	}
}

// unsentMax is how many bytes of replies may wait for a link that does not
// read them before its requests wait too.
const unsentMax = 1 << 20

// busy reports whether the session waits for something before it may go on.
func (s *Session) busy() bool {
	return s.later != nil || s.held != nil || s.parked || s.batch != nil && len(s.batch.slots) > 0
}

// proceed goes on after something that the session waited for.
func (s *Session) proceed() {
	if s.batch == nil || !s.settle() || s.later != nil || s.parked {
		s.flushOutput()
		s.whileWaiting()
		return
	}
	for s.held != nil {
		argv := s.held
		s.held = nil
		if !s.dispatch(argv) {
			break
		}
	}
	s.settle()
	wasBusy := s.busy()
	s.rest(false)
	if !wasBusy && !s.closing && s.link.Unsent() <= unsentMax {
		s.link.Resume()
	}
}

// whileWaiting lets out what a command that may wait for long is not to hold
// back.
func (s *Session) whileWaiting() {
	if s.later == nil && !s.parked {
		return
	}
	s.flushOutput()
	if !s.answering() {
		s.flushPushes()
	}
}

// executed is told that an Execute of the batch is done.
func (s *Session) executed() {
	if s.batch == nil {
		return
	}
	if s.batch.pending--; s.batch.pending == 0 {
		s.proceed()
	}
}

// drained is told that all output has been taken.
func (s *Session) drained() {
	s.Unsent.Store(0)
	if s.closing {
		return
	}
	switch {
	case s.batch == nil:
		s.link.Resume()
	case s.batch.pending == 0:
		s.proceed()
	}
	s.flushNews()
}

func (s *Session) limits() *Limits {
	if s.LoggedIn() {
		return s.server.limits.Load()
	}
	return s.server.loginLimits.Load()
}

// closed is the session's end: what it holds elsewhere is given back.
func (s *Session) closed() {
	s.closing = true
	s.endWait()
	s.dropLock()
	s.endWatches()
	s.leaveHub()
	if front, ok := s.front.(leaver); ok {
		front.leave()
	}
	s.server.leave(s)
}

var _ keyspace.Owner = (*Session)(nil)
var _ keyspace.Caller = (*Session)(nil)
