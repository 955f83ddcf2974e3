package resp

import "io"

// Wire is a client's end of a link: commands go out, replies and pushes come in.
// One goroutine may write while another one reads.
type Wire struct {
	link   io.ReadWriter
	framer Framer
	in     []byte // received and not yet read
	whole  int    // length of the reply at the front of in; 0: it is not known
	out    []byte // to be sent
}

// NewWire returns a Wire over a link.
func NewWire(link io.ReadWriter) *Wire { return &Wire{link: link} }

const (
	wireRead = 4 << 10  // bytes that there is room for, at least, when reading
	wireKeep = 64 << 10 // bytes of memory, of each kind, that are kept for the next use
)

// Add adds a command to those that Flush sends.
func (w *Wire) Add(argv ...[]byte) {
	w.out = AppendHeader(w.out, '*', len(argv))
	for _, word := range argv {
		w.out = AppendBulk(w.out, word)
	}
}

// Flush sends what was added. On a link without buffers it returns when all of it
// has been read, which may be after the first of the replies have to be.
func (w *Wire) Flush() error {
	_, err := w.link.Write(w.out)
	if w.out = w.out[:0]; cap(w.out) > wireKeep {
		w.out = nil
	}
	return err
}

// Read reads what comes next, a reply or a push. It shares no memory with what
// was read before. After an error of the link that passes, as of a deadline, it
// can be called again.
func (w *Wire) Read() (Reply, error) {
	for {
		has, err := w.Has()
		if err != nil {
			return Reply{}, err
		}
		if has {
			return w.take()
		}
		if err := w.fill(); err != nil {
			return Reply{}, err
		}
	}
}

// Has reports whether all of what comes next is here already.
func (w *Wire) Has() (bool, error) {
	var err error
	if w.whole == 0 {
		w.whole, err = w.framer.Frame(w.in)
	}
	return w.whole > 0, err
}

func (w *Wire) take() (Reply, error) {
	reply, _, err := Decode(w.in[:w.whole])
	w.in = w.in[:copy(w.in, w.in[w.whole:])]
	w.whole = 0
	if len(w.in) == 0 && cap(w.in) > wireKeep {
		w.in = nil
	}
	return reply, err
}

// fill reads more of the link.
func (w *Wire) fill() error {
	have := len(w.in)
	if cap(w.in)-have < wireRead {
		grown := make([]byte, have, max(2*have, 2*wireRead))
		copy(grown, w.in)
		w.in = grown
	}
	n, err := w.link.Read(w.in[have:cap(w.in)])
	w.in = w.in[:have+n]
	if n > 0 {
		return nil // an error will be there the next time too
	}
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return err
}
