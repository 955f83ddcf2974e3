package session

import "math/bits"

// Buffers of links. An idle link holds none: a loop keeps a few and lends them
// out for as long as bytes are in them.

const (
	leastBufferBits = 11 // 2 KB
	mostBufferBits  = 16 // 64 KB; bigger ones are not kept
	bufferClasses   = mostBufferBits - leastBufferBits + 1
	keptBytesMax    = 2 << 20 // of each class
)

// bufferPool keeps free buffers of one loop, by size. Its owner serializes.
type bufferPool struct {
	free [bufferClasses][][]byte
}

// bufferClass is the class of the smallest buffer that holds size bytes.
func bufferClass(size int) int {
	return max(bits.Len(uint(max(size, 1)-1)), leastBufferBits) - leastBufferBits
}

// get returns a buffer of at least size bytes; its size is a power of two.
func (p *bufferPool) get(size int) []byte {
	class := bufferClass(size)
	if class >= bufferClasses {
		return make([]byte, 1<<(class+leastBufferBits))
	}
	if n := len(p.free[class]); n > 0 {
		buf := p.free[class][n-1]
		p.free[class][n-1] = nil
		p.free[class] = p.free[class][:n-1]
		return buf
	}
	return make([]byte, 1<<(class+leastBufferBits))
}

// put takes a buffer back that nobody looks at any more.
func (p *bufferPool) put(buf []byte) {
	class := bufferClass(len(buf))
	if class >= bufferClasses || len(p.free[class])*len(buf) >= keptBytesMax {
		return
	}
	p.free[class] = append(p.free[class], buf)
}

// linkInput is what a link has received and its handler has not consumed:
// buf[start:end].
type linkInput struct {
	buf        []byte
	start, end int
	read       int // bytes that the next read should have room for
	least      int // the least value of read
}

const (
	widestRead   = 1 << mostBufferBits
	cheapToMove  = 1 << 10 // bytes that cost less to move than a read call
	widenReadsBy = 4
)

// bytes is what the handler is shown.
func (in *linkInput) bytes() []byte { return in.buf[in.start:in.end] }

// empty reports whether all that was received has been consumed.
func (in *linkInput) empty() bool { return in.start == in.end }

// room returns space to read into. If held, bytes given out before stay where
// they are, consumed or not. Many bytes are moved only when the space is used
// up, and then to at least as much space as there are bytes, so that a frame of
// any size costs linear time.
func (in *linkInput) room(pool *bufferPool, held bool) []byte {
	if in.buf == nil {
		in.buf = pool.get(in.read)
	}
	used, space := in.end-in.start, len(in.buf)-in.end
	switch {
	case !held && used <= cheapToMove && len(in.buf) != in.read:
		in.move(in.read, pool, held)
	case !held && used <= cheapToMove && in.start > 0:
		in.compact()
	case space >= len(in.buf)/4 && space > 0:
	case !held && used <= len(in.buf)/2:
		in.compact()
	default:
		in.move(max(2*used, used+in.read), pool, held)
	}
	return in.buf[in.end:]
}

func (in *linkInput) compact() {
	in.end = copy(in.buf, in.bytes())
	in.start = 0
}

// move takes the unconsumed bytes to a buffer of at least size bytes.
func (in *linkInput) move(size int, pool *bufferPool, held bool) {
	next := pool.get(size)
	end := copy(next, in.bytes())
	if !held {
		pool.put(in.buf)
	}
	in.buf, in.start, in.end = next, 0, end
}

// filled adds n bytes read into room. A link that fills its buffers is given
// bigger ones, until it does not use them.
func (in *linkInput) filled(n int) {
	if n == len(in.buf)-in.end {
		in.read = min(in.read*widenReadsBy, widestRead)
	} else if n < in.read/widenReadsBy {
		in.read = max(in.read/widenReadsBy, in.least)
	}
	in.end += n
}

// consume drops n bytes from the front, which stay where they are.
func (in *linkInput) consume(n int) {
	if n < 0 || n > in.end-in.start {
		panic("session: a handler consumed bytes that it was not shown")
	}
	in.start += n
}

// release gives the buffer back; drop leaves it to whoever still looks at it.
func (in *linkInput) release(pool *bufferPool) {
	if in.buf != nil {
		pool.put(in.buf)
	}
	in.drop()
}

func (in *linkInput) drop() { in.buf, in.start, in.end = nil, 0, 0 }

// linkOutput is what was written to a link and the socket has not taken yet.
type linkOutput struct {
	chunks [][]byte // each filled to its length; the first from sent on
	sent   int
	size   int
}

const widestChunk = 1 << 20

// add copies p behind what is there.
func (o *linkOutput) add(p []byte, pool *bufferPool) {
	o.size += len(p)
	if n := len(o.chunks); n > 0 {
		last := o.chunks[n-1]
		k := min(len(p), cap(last)-len(last))
		o.chunks[n-1] = append(last, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		// Chunks grow with the backlog, so that a link that is a little behind
		// holds little and one far behind has few of them.
		chunk := pool.get(min(max(len(p), o.size), widestChunk))
		k := copy(chunk, p)
		o.chunks = append(o.chunks, chunk[:k])
		p = p[k:]
	}
}

// front is the next bytes to send; there are some while size is above zero.
func (o *linkOutput) front() []byte { return o.chunks[0][o.sent:] }

// advance drops n bytes of front that were sent.
func (o *linkOutput) advance(n int, pool *bufferPool) {
	o.sent += n
	o.size -= n
	if o.sent < len(o.chunks[0]) {
		return
	}
	pool.put(o.chunks[0][:cap(o.chunks[0])])
	o.chunks[0] = nil
	o.chunks = o.chunks[1:]
	o.sent = 0
	if len(o.chunks) == 0 {
		o.chunks = nil
	}
}

// drop gives up what is unsent.
func (o *linkOutput) drop(pool *bufferPool) {
	for o.size > 0 {
		o.advance(len(o.front()), pool)
	}
}
