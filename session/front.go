package session

import (
	"github.com/troupedb/troupe/resp"
	"github.com/troupedb/troupe/resp/dice"
)

// front is a protocol as one link speaks it: it finds the commands in what the
// link sends. The other half of a protocol is the session's encoder, and that
// of the commands which have one of their own.
type front interface {
	// Next reads one command from the front of data: see Reader.
	Next(data []byte, args [][]byte, lim *Limits) (_ [][]byte, used int, _ Status)
	// Failure is the answer to a request that was Invalid, if it has one.
	Failure() resp.Reply
	// Needs is how many bytes are needed to go on, from where the last command
	// has ended, as far as the last Next has found out; 0 if it has not.
	Needs() int
}

// leaver is a front that holds something elsewhere and gives it back at the
// end of the link.
type leaver interface{ leave() }

// greeting is the front of a link that has said too little to know its
// protocol by. It gives way to the right one, once and for all.
type greeting Session

// Next implements front.
func (g *greeting) Next(data []byte, args [][]byte, lim *Limits) ([][]byte, int, Status) {
	s := (*Session)(g)
	protocol, clear := dice.Detect(data)
	switch {
	case !clear:
		return args, 0, Incomplete
	case protocol == dice.None:
		s.front = &s.reader
	default:
		s.speakDice(protocol)
	}
	return s.front.Next(data, args, lim)
}

// Failure implements front.
func (*greeting) Failure() resp.Reply { return resp.Nothing }

// Needs implements front.
func (*greeting) Needs() int { return 0 }
