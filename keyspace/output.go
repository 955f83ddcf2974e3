package keyspace

import "github.com/troupedb/troupe/keyspace/slab"

// A large reply is put into a Buffer that is made for it, so that it is written
// once, and whoever gets the batch back can hand it on as it is.

// makeRoom readies Out for about n more bytes, which are many.
func (x *Execute) makeRoom(n int) {
	if cap(x.Out)-len(x.Out) >= n {
		return
	}
	large := slab.NewBuffer(max(len(x.Out)+n, 2*len(x.Out)))
	if large == nil {
		return
	}
	out := append(large.Bytes()[:0], x.Out...)
	x.DropBuffer()
	x.Out, x.large = out, large
}

// countOut counts what Out takes of its Buffer, and frees that if it was too
// small after all.
func (x *Execute) countOut() {
	if x.large.Holds(x.Out) {
		x.large.Use(len(x.Out))
		return
	}
	out := x.Out
	x.DropBuffer()
	x.Out = out
}

// TakeBuffer hands the Buffer that Out lies in over to the caller, with all
// that is in Out; nil if there is none.
func (x *Execute) TakeBuffer() (large *slab.Buffer) {
	if large, x.large = x.large, nil; large != nil {
		x.Out = nil
	}
	return large
}

// DropBuffer frees the Buffer that Out lies in, if there is one, and Out with
// it.
func (x *Execute) DropBuffer() {
	if large := x.TakeBuffer(); large != nil {
		large.Free()
	}
}
