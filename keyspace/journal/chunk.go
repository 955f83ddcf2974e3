package journal

import "github.com/troupedb/troupe/keyspace/slab"

// chunkBytes is the memory that records are gathered in. A call of Append whose records take more than half
// of it gets a chunk of its own, filled before the log is locked.
const (
	chunkBytes   = 256 << 10
	chunksSpare  = 64 // kept for use again while there is work
	chunksIdle   = 4  // and when all is done
	ownChunkFrom = chunkBytes / 2
)

// chunk has whole records in the order of their versions. Append adds to buf under the log's lock, never
// beyond its capacity; what is before a length once seen is the log's goroutine's. Its memory is a
// slab.Buffer, which is free for other uses at once when the chunk is done with. A record of which pieces
// lie elsewhere has a chunk of its own, which is written as a whole: see pieces.go.
type chunk struct {
	buf     []byte
	written int          // up to here it is in a file
	kept    int          // before this it need not be kept any more
	large   *slab.Buffer // that buf is of; nil: it is of Go's heap
	pieces  []slab.Piece
}

// fill adds records of which the first has a version.
func (c *chunk) fill(version uint64, time int64, bodies []byte, ends []int) {
	buf, from := c.buf, 0
	for i, end := range ends {
		at := len(buf)
		buf = buf[:at+recordHead]
		putHead(buf[at:], end-from, version+uint64(i), time)
		buf = append(buf, bodies[from:end]...)
		from = end
	}
	c.buf = buf
}

// renumber gives the records of a chunk versions from the given one on.
func (c *chunk) renumber(version uint64) {
	if c.pieces != nil {
		putHead(c.buf, bodyLength(c.buf), version, recordTime(c.buf))
		return
	}
	for at := 0; at < len(c.buf); version++ {
		head := c.buf[at:]
		putHead(head, bodyLength(head), version, recordTime(head))
		at += recordHead + bodyLength(head)
	}
}

// backlog is the chunks that are not yet done with, the oldest first; records are added to the last one.
type backlog struct {
	chunks []*chunk
	spare  []*chunk
	bytes  int64 // of records
}

// room gives the chunk for so many more bytes.
func (b *backlog) room(bytes int) *chunk {
	if n := len(b.chunks); n > 0 {
		if c := b.chunks[n-1]; cap(c.buf)-len(c.buf) >= bytes {
			return c
		}
	}
	c := b.take()
	b.chunks = append(b.chunks, c)
	return c
}

func (b *backlog) take() *chunk {
	if n := len(b.spare); n > 0 {
		c := b.spare[n-1]
		b.spare = b.spare[:n-1]
		return c
	}
	return newChunk(chunkBytes)
}

// newChunk has room for so many bytes.
func newChunk(bytes int) *chunk {
	c := &chunk{large: slab.NewBuffer(bytes)}
	if c.large == nil {
		c.buf = make([]byte, 0, bytes)
		return c
	}
	c.large.Use(bytes)
	c.buf = c.large.Bytes()[:0:bytes]
	return c
}

// span is records of a chunk that are to be written.
type span struct {
	chunk   *chunk
	records []byte // from chunk.written on
}

// unwritten appends what is not in a file yet.
func (b *backlog) unwritten(spans []span) []span {
	for _, c := range b.chunks {
		if c.written < len(c.buf) {
			spans = append(spans, span{c, c.buf[c.written:]})
		}
	}
	return spans
}

// free says of all that is written that it need not be kept. So many chunks are
// kept for use again.
func (b *backlog) free(spare int) {
	for _, c := range b.chunks {
		b.bytes -= int64(c.written - c.kept)
		if c.pieces != nil && c.written > c.kept {
			b.bytes -= int64(c.pieceBytes())
		}
		c.kept = c.written
	}
	done := 0
	for done < len(b.chunks) && b.chunks[done].kept == len(b.chunks[done].buf) {
		b.recycle(b.chunks[done], min(spare, chunksSpare))
		done++
	}
	rest := copy(b.chunks, b.chunks[done:])
	clear(b.chunks[rest:])
	b.chunks = b.chunks[:rest]
	if rest == 0 && len(b.spare) > chunksIdle {
		for _, c := range b.spare[chunksIdle:] {
			c.drop()
		}
		clear(b.spare[chunksIdle:])
		b.spare = b.spare[:chunksIdle]
	}
}

func (b *backlog) recycle(c *chunk, most int) {
	c.dropPieces()
	if cap(c.buf) != chunkBytes || len(b.spare) >= most {
		c.drop()
		return
	}
	*c = chunk{buf: c.buf[:0], large: c.large}
	b.spare = append(b.spare, c)
}

// drop frees the chunk's memory.
func (c *chunk) drop() {
	if c.large != nil {
		c.large.Free()
	}
	*c = chunk{}
}

// rewind says of all that is kept that it is to be written again.
func (b *backlog) rewind() {
	for _, c := range b.chunks {
		c.written = c.kept
	}
}
