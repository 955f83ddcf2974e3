package keyspace

import (
	"strings"
	"testing"

	"github.com/troupedb/troupe/keyspace/slab"
	"github.com/troupedb/troupe/resp"
)

// outputOf runs a batch whose commands answer with texts of these lengths.
func outputOf(r *rig, x *Execute, lengths ...int) *Execute {
	for _, n := range lengths {
		reply := resp.BulkString(strings.Repeat("x", n))
		x.Requests = append(x.Requests, Request{Do: func(*Tx) resp.Reply { return reply }})
	}
	turn := r.turn()
	tx := Begin(turn, r.shards, len(r.shards))
	tx.Run(turn, x)
	r.end(turn, tx)
	return x
}

// A large reply lies in a Buffer, with all that stands before it, and nothing
// of it is lost.
func TestLargeReplies(t *testing.T) {
	t.Parallel()
	const large = slab.BufferMin
	r := newRig(t, 1, 1)
	f := func(want bool, x *Execute, lengths ...int) {
		t.Helper()
		outputOf(r, x, lengths...)
		for i, n := range lengths[:x.Ran] {
			if reply := x.Reply(i); string(reply) != string(resp.AppendText(nil, strings.Repeat("x", n))) {
				t.Errorf("%d of %v: %d bytes, %.20q", i, lengths, len(reply), reply)
			}
		}
		out := x.Out
		buffer := x.TakeBuffer()
		if got := buffer != nil; got != want {
			t.Errorf("%v: in a Buffer %v, want %v", lengths, got, want)
		}
		if buffer == nil {
			return
		}
		if !buffer.Holds(out) || x.Out != nil || x.TakeBuffer() != nil {
			t.Errorf("%v: the Buffer was not handed over", lengths)
		}
		buffer.Free()
	}
	f(false, &Execute{Encoder: resp.V2}, 100, large/2, 5)
	f(true, &Execute{Encoder: resp.V2}, large)
	f(true, &Execute{Encoder: resp.V2}, 100, large, 200, 3*large, 7)
	f(true, &Execute{Encoder: resp.V3, Atomic: true}, 1, large, 2*large, 9*large, 0, large)
	f(true, &Execute{Encoder: resp.V2, OutMax: 1000}, 900, 10*large, 900)
}

// spendthrift is an encoder that needs far more room than a reply says.
type spendthrift struct{ resp.Encoder }

func (e spendthrift) Append(dst []byte, r resp.Reply) []byte {
	for range 5 {
		dst = e.Encoder.Append(dst, r)
	}
	return dst
}

// A reply that does not fit its Buffer after all is in Go's heap.
func TestReplyOutgrowsItsBuffer(t *testing.T) {
	t.Parallel()
	const large = 2 * slab.BufferMin
	r := newRig(t, 1, 1)
	x := outputOf(r, &Execute{Encoder: spendthrift{resp.V2}}, 1, large, 2)
	one := resp.AppendText(nil, strings.Repeat("x", large))
	if got := x.Reply(1); string(got) != strings.Repeat(string(one), 5) {
		t.Errorf("%d bytes, want %d", len(got), 5*len(one))
	}
	if x.TakeBuffer() != nil {
		t.Error("it is in a Buffer")
	}
}
