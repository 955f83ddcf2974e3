package journal

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"

	"github.com/troupedb/troupe/keyspace/slab"
)

// Large words of a record are not copied, but written from where they came in, a Buffer that is shared for
// that until they are safe. So a large value is in memory twice while it is on its way, not three times.

// AppendPieces is Append for bodies into which pieces belong, in the order of their places: a piece at a
// place where a record begins is the end of the one before. The log frees their Buffers.
func (l *Log) AppendPieces(time int64, bodies []byte, pieces []slab.Piece, ends []int) (base uint64) {
	var chunks []*chunk
	bytes, from, plain := 0, 0, 0 // plain: records from there on have no pieces
	begin := 0                    // of the first of those
	gather := func(to, at int) {
		if plain < to {
			c := ownPart(time, bodies[begin:at], ends[plain:to], begin)
			bytes += len(c.buf)
			chunks = append(chunks, c)
		}
	}
	for i, end := range ends {
		n := 0
		for n < len(pieces) && pieces[n].At <= end {
			n++
		}
		if n > 0 {
			gather(i, from)
			c := pieceChunk(time, bodies[from:end], pieces[:n], from)
			bytes += len(c.buf) + c.pieceBytes()
			chunks, pieces = append(chunks, c), pieces[n:]
			plain, begin = i+1, end
		}
		from = end
	}
	gather(len(ends), from)
	base, taken := l.append(len(ends), bytes, func(base uint64) {
		version := base + 1
		for _, c := range chunks {
			c.renumber(version)
			version += uint64(c.records())
		}
		l.backlog.chunks = append(l.backlog.chunks, chunks...)
	})
	if !taken {
		for _, c := range chunks {
			c.dropPieces()
			c.drop()
		}
	}
	return base
}

// ownPart is a chunk of some of a call's records, whose bodies begin at a place.
func ownPart(time int64, bodies []byte, ends []int, begin int) *chunk {
	own := make([]int, len(ends))
	for i, end := range ends {
		own[i] = end - begin
	}
	return ownChunk(len(bodies)+len(ends)*recordHead, time, bodies, own)
}

// pieceChunk is a chunk of one record, of which pieces lie elsewhere. Its body begins at a place.
func pieceChunk(time int64, body []byte, pieces []slab.Piece, begin int) *chunk {
	c := &chunk{buf: make([]byte, recordHead+len(body)), pieces: make([]slab.Piece, len(pieces))}
	copy(c.buf[recordHead:], body)
	for i, p := range pieces {
		p.At += recordHead - begin
		c.pieces[i] = p
	}
	length := len(body) + c.pieceBytes()
	if length > BodyBytesMax {
		panic(fmt.Sprintf("journal: a record of %d bytes; the most is %d", length, math.MaxUint32))
	}
	putHead(c.buf, length, 0, time)
	return c
}

// records is how many there are.
func (c *chunk) records() (n int) {
	if c.pieces != nil {
		return 1
	}
	for at := 0; at < len(c.buf); n++ {
		at += recordHead + bodyLength(c.buf[at:])
	}
	return n
}

// pieceBytes is how long the pieces are together.
func (c *chunk) pieceBytes() (n int) {
	for i := range c.pieces {
		n += len(c.pieces[i].Bytes)
	}
	return n
}

// dropPieces gives the pieces back.
func (c *chunk) dropPieces() {
	for i := range c.pieces {
		go c.pieces[i].In.Free()
	}
	c.pieces = nil
}

// parts calls visit for the bytes of the chunk's record, in order, until that fails.
func (c *chunk) parts(visit func([]byte) error) error {
	at := 0
	for i := range c.pieces {
		p := &c.pieces[i]
		if err := visit(c.buf[at:p.At]); err != nil {
			return err
		}
		if err := visit(p.Bytes); err != nil {
			return err
		}
		at = p.At
	}
	if at == len(c.buf) {
		return nil
	}
	return visit(c.buf[at:])
}

// stampPieces is stamp for a record in pieces.
func (c *chunk) stampPieces(seed uint32, offset, synced int64) {
	binary.LittleEndian.PutUint32(c.buf[atUnsynced:], uint32(min(offset-synced, unsyncedMax)))
	sum, skip := seed, atLength
	_ = c.parts(func(part []byte) error { // which never fails
		sum = crc32.Update(sum, castagnoli, part[skip:])
		skip = 0
		return nil
	})
	binary.LittleEndian.PutUint32(c.buf, sum)
}

// writePieces writes the record of a chunk that has pieces in the segment.
func (w *writer) writePieces(c *chunk) error {
	seg := w.segment
	c.stampPieces(seg.sum, seg.size, seg.synced.offset)
	if err := c.parts(w.put); err != nil {
		return err
	}
	bytes := len(c.buf) + c.pieceBytes()
	c.written = len(c.buf)
	seg.size, seg.last = seg.size+int64(bytes), recordVersion(c.buf)
	w.log.wrote(bytes, seg.size)
	return nil
}
