package transport

import (
	"math/bits"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Buffers of links. An idle link holds none: a loop keeps a few and lends them
// out for as long as bytes are in them.

const (
	leastBufferBits = 11 // 2 KB
	mostBufferBits  = 20 // 1 MB; from there on they are of slab.Buffers
	bufferClasses   = mostBufferBits - leastBufferBits + 1
	keptBytesMax    = 8 << 20 // by a loop, unless memory is short
	keptBytesMin    = 128 << 10
)

// keptBytes is how many bytes of buffers that nobody uses a loop keeps.
var keptBytes atomic.Int64

func init() { keptBytes.Store(keptBytesMax) }

// KeepBuffers bounds what all links of the process keep of buffers that nobody
// uses, for a process that is to take so much memory in all; 0 is any amount. It
// holds for those that come to be unused from then on.
//
// What is kept has to last for all links that are busy at the same moment. With
// less than that, buffers are made and collected all the time, which costs more
// than anything else that a server at its limit does.
func KeepBuffers(memory int64) {
	kept := int64(keptBytesMax)
	if memory > 0 {
		kept = min(kept, max(memory/keptPart/int64(runtime.GOMAXPROCS(0)), keptBytesMin))
	}
	keptBytes.Store(kept)
}

// keptPart is which part of the process's memory, one in so many, its loops may
// keep together, with keptBytesMin for each.
const keptPart = 32

// bufferPool keeps free buffers of one loop, by size. Its owner serializes.
type bufferPool struct {
	free [bufferClasses][][]byte
	kept int64 // bytes in them
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
	if len(p.free[class]) > 0 {
		return p.take(class)
	}
	return make([]byte, 1<<(class+leastBufferBits))
}

// take takes a free buffer of a class that has one.
func (p *bufferPool) take(class int) []byte {
	last := len(p.free[class]) - 1
	buf := p.free[class][last]
	p.free[class][last] = nil
	p.free[class] = p.free[class][:last]
	p.kept -= int64(len(buf))
	return buf
}

// getLarge is get, with a Buffer if so much is asked for and the system has it.
func (p *bufferPool) getLarge(size int) ([]byte, *slab.Buffer) {
	if size >= slab.BufferMin {
		if buf, large := largeBuffer(size); large != nil {
			return buf, large
		}
	}
	return p.get(size), nil
}

// largeBuffer is a Buffer and its bytes; nil if the system refuses.
func largeBuffer(size int) ([]byte, *slab.Buffer) {
	if large := slab.NewBuffer(size); large != nil {
		return large.Bytes(), large
	}
	return nil, nil
}

// put takes a buffer back that nobody looks at any more. It is kept if there is
// room, for which larger ones are given up: they are needed less often.
func (p *bufferPool) put(buf []byte) {
	class := bufferClass(len(buf))
	if class >= bufferClasses {
		return
	}
	size, most := int64(len(buf)), keptBytes.Load()
	for larger := bufferClasses - 1; larger > class && p.kept+size > most; larger-- {
		for len(p.free[larger]) > 0 && p.kept+size > most {
			p.take(larger)
		}
	}
	if p.kept+size > most {
		return
	}
	p.free[class] = append(p.free[class], buf)
	p.kept += size
}

// linkInput is what a link has received and its handler has not consumed:
// buf[start:end]. Many bytes lie in a slab.Buffer, and one that is held by
// others is lent: it is freed when they give it back, or when they are gone.
type linkInput struct {
	buf        []byte
	large      *slab.Buffer // that buf is of; nil: it is of Go's heap
	lent       []*slab.Buffer
	start, end int
	read       int // bytes that the next read should have room for
	least      int // the least value of read
	expect     int // bytes from start on that the handler has said it needs
}

const (
	widestRead   = 64 << 10
	readBytesMax = 1 << 20 // so that a link with much to say does not hold up others
	cheapToMove  = 1 << 10 // bytes that cost less to move than a read call
	widenReadsBy = 4
	// behindExpected is the room, in bytes, for what follows what is expected,
	// so that all is not moved for a few more words of the same command.
	behindExpected = 64 << 10
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
	if in.large != nil && in.large.Shared() { // what others have of it stays as it is
		in.move(in.end-in.start+in.read, pool, held)
	}
	used, space := in.end-in.start, len(in.buf)-in.end
	switch {
	case !held && used <= cheapToMove && len(in.buf) != in.read:
		in.move(in.read, pool, held)
	case in.large != nil && max(used, in.expect) <= in.end/4: // most of it is done with
		in.move(max(2*used, used+in.read), pool, held)
	case !held && used <= cheapToMove && in.start > 0:
		in.compact()
	case space >= len(in.buf)/4 && space > 0, space > 0 && in.expect <= used+space:
	case !held && used <= len(in.buf)/2:
		in.compact()
	default:
		in.move(max(2*used, used+in.read), pool, held)
	}
	return in.buf[in.end:min(len(in.buf), in.end+readBytesMax)]
}

func (in *linkInput) compact() {
	in.end = copy(in.buf, in.bytes())
	in.start = 0
}

// trustMost is how many times of what has come a link is given room for on the
// strength of what its handler expects. In a Buffer it is given all: what is
// not written there costs nothing, so who announces much and sends little
// gains little by it.
const trustMost = 8

// move takes the unconsumed bytes to a buffer of at least size bytes.
func (in *linkInput) move(size int, pool *bufferPool, held bool) {
	var next []byte
	var large *slab.Buffer
	used := in.end - in.start
	if size = max(size, min(in.expect, trustMost*used)); size >= slab.BufferMin {
		whole := 2 * size
		if in.expect >= size {
			whole = in.expect + behindExpected
		}
		next, large = largeBuffer(whole)
	}
	if large == nil {
		next, large = pool.getLarge(size)
	}
	end := copy(next, in.bytes())
	switch {
	case !held:
		in.giveBack(pool)
	case in.large != nil:
		in.lent = append(in.lent, in.large)
	}
	in.buf, in.large, in.start, in.end = next, large, 0, end
	in.count()
}

// count counts the part of a Buffer that was written.
func (in *linkInput) count() {
	if in.large != nil {
		in.large.Use(in.end)
	}
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
	in.count()
}

// consume drops n bytes from the front, which stay where they are.
func (in *linkInput) consume(n int) {
	if n < 0 || n > in.end-in.start {
		panic("transport: a handler consumed bytes that it was not shown")
	}
	in.start += n
}

// returned frees what was lent.
func (in *linkInput) returned() {
	for _, buffer := range in.lent {
		go buffer.Free()
	}
	in.lent = nil
}

// release gives the buffer back.
func (in *linkInput) release(pool *bufferPool) {
	in.giveBack(pool)
	in.forget()
	in.returned()
}

// drop leaves the buffer to whoever still looks at it.
func (in *linkInput) drop() {
	if in.large != nil {
		in.lent = append(in.lent, in.large)
	}
	in.forget()
}

func (in *linkInput) forget() { in.buf, in.large, in.start, in.end = nil, nil, 0, 0 }

func (in *linkInput) giveBack(pool *bufferPool) {
	switch {
	case in.large != nil:
		go in.large.Free()
	case in.buf != nil:
		pool.put(in.buf)
	}
}

// linkOutput is what was written to a link and the socket has not taken yet.
type linkOutput struct {
	chunks []outputChunk
	sent   int // bytes of the first
	size   int
}

// outputChunk is bytes that leave together, filled to their length.
type outputChunk struct {
	bytes []byte
	large *slab.Buffer // that they are of; nil: they are of Go's heap
}

const widestChunk = 1 << 19

// add copies p behind what is there.
func (o *linkOutput) add(p []byte, pool *bufferPool) {
	if len(p) >= slab.BufferMin {
		if buf, large := largeBuffer(len(p)); large != nil {
			large.Use(len(p))
			o.give(large, buf[:copy(buf, p)])
			return
		}
	}
	o.size += len(p)
	if n := len(o.chunks); n > 0 {
		last := &o.chunks[n-1].bytes
		k := min(len(p), cap(*last)-len(*last))
		*last = append(*last, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		// Chunks grow with the backlog, so that a link that is a little behind
		// holds little and one far behind has few of them.
		chunk := pool.get(min(max(len(p), o.size), widestChunk))
		k := copy(chunk, p)
		o.chunks = append(o.chunks, outputChunk{bytes: chunk[:k]})
		p = p[k:]
	}
}

// give puts p, which is of large, behind what is there.
func (o *linkOutput) give(large *slab.Buffer, p []byte) {
	o.size += len(p)
	o.chunks = append(o.chunks, outputChunk{slices.Clip(p), large})
}

// front is the next bytes to send; there are some while size is above zero.
func (o *linkOutput) front() []byte {
	if o.size == 0 {
		return nil
	}
	return o.chunks[0].bytes[o.sent:]
}

// advance drops n bytes of front that were sent.
func (o *linkOutput) advance(n int, pool *bufferPool) {
	o.sent += n
	o.size -= n
	first := &o.chunks[0]
	if o.sent < len(first.bytes) {
		return
	}
	if first.large != nil {
		go first.large.Free()
	} else {
		pool.put(first.bytes[:cap(first.bytes)])
	}
	*first = outputChunk{}
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
