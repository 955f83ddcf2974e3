package session

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/hashicorp/go-hclog"

	"github.com/troupedb/troupe/resp/dice"
)

// FuzzFront: whatever a link begins with and goes on with, nothing panics, it
// speaks one protocol to its end, and but for the one without frames, in which
// that matters, where a stream is cut makes no difference.
func FuzzFront(f *testing.F) {
	for _, stream := range []string{
		"PING\r\n\x00\x00\x00\x06\x0a\x04PING", "*1\r\n$4\r\nPING\r\n\x0a\x04PING",
		"\x00\x00\x00\x06\x0a\x04PING*1\r\n$4\r\nPING\r\n", "\x00\x00\x00\x06\x0a\x04PING\x0a\x04PING",
		"\x0a\x04PING\x0a\x03GET\x12\x01k", "\x0a\x04PINGPING\r\n", "\x12\x00\x0a", "\n\n\r\nPING\r\n",
	} {
		f.Add([]byte(stream), uint16(3))
	}
	f.Fuzz(func(t *testing.T, stream []byte, cut uint16) {
		at := int(cut) % (len(stream) + 1)
		whole, pieces := spoken(stream, nil), spoken(stream, []int{at})
		if whole.protocol != pieces.protocol {
			t.Errorf("%q speaks %s, cut at %d %s", stream, whole.protocol, at, pieces.protocol)
		}
		if whole.protocol != "raw" && whole != pieces {
			t.Errorf("%q is %+v, cut at %d %+v", stream, whole, at, pieces)
		}
	})
}

// speech is what was understood of a stream.
type speech struct {
	protocol, commands string
	status             Status
}

func spoken(stream []byte, cuts []int) (out speech) {
	none := &Catalogue{}
	s := &Session{send: func(any) {}, catalogue: none, server: &Server{
		Log:  hclog.NewNullLogger(),
		dice: &diceServer{catalogues: map[dice.Protocol]*Catalogue{dice.Raw: none, dice.Framed: none}},
	}}
	s.front = (*greeting)(s)
	data := bytes.Clone(stream)
	used := 0
	for _, end := range append(cuts, len(data)) {
		for out.status = Ready; out.status == Ready; {
			argv, n, status := s.front.Next(data[used:end], nil, &DefaultLimits)
			used += n
			if out.status = status; status == Ready {
				out.commands += fmt.Sprintf("%q\n", argv)
			}
		}
		if out.status != Incomplete {
			break
		}
	}
	switch front := s.front.(type) {
	case *diceLink:
		out.protocol = map[dice.Protocol]string{dice.Raw: "raw", dice.Framed: "framed"}[front.protocol]
	case *Reader:
		out.protocol = "RESP"
	}
	return out
}
