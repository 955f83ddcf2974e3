package session

import (
	"github.com/troupedb/troupe/keyspace"
	"github.com/troupedb/troupe/keyspace/slab"
)

// Replies are gathered and written together, but for large ones: these are not
// copied once more, and if a shard has made one in a Buffer, it is the link's
// from then on.

// emit adds a slot's reply to the output.
func (s *Session) emit(sl *slot, reply []byte) {
	if !sl.mute {
		s.put(reply, nil)
	}
}

// emitReply is emit for a request. All replies of its Execute up to its own
// have been added before.
func (s *Session) emitReply(sl *slot) {
	switch {
	case sl.mute:
	case sl.n == sl.x.Ran-1:
		s.put(sl.x.Reply(sl.n), sl.x)
	default:
		s.put(sl.x.Reply(sl.n), nil)
	}
}

// put adds bytes to the output. They are the last that are wanted of x, if
// there is one.
func (s *Session) put(p []byte, x *keyspace.Execute) {
	if len(p) < slab.BufferMin {
		s.out = append(s.out, p...)
		return
	}
	s.flushOutput()
	var large *slab.Buffer
	if x != nil {
		large = x.TakeBuffer()
	}
	if large != nil {
		s.link.Give(large, p)
	} else {
		s.link.Write(p)
	}
	s.wrote(len(p))
}

// flushOutput writes what has been answered.
func (s *Session) flushOutput() {
	if len(s.out) == 0 {
		return
	}
	s.link.Write(s.out)
	s.wrote(len(s.out))
	s.out = s.out[:0]
}

func (s *Session) wrote(n int) {
	s.Written.Add(int64(n))
	s.noteUnsent()
}
