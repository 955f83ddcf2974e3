package transport

import (
	"net"
	"sync"
	"sync/atomic"

	"github.com/troupedb/troupe/keyspace/slab"
)

// turnOutput is output on its way to a connection. One goroutine writes.
type turnOutput struct {
	size atomic.Int64 // unsent bytes

	mu      sync.Mutex // guards what follows
	waiting []outputChunk
	spare   []byte // for the next chunk
	writing bool
}

// add copies p; true says that a goroutine is needed to write it.
func (o *turnOutput) add(p []byte) (start bool) {
	o.size.Add(int64(len(p)))
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(p) >= slab.BufferMin {
		if buf, large := largeBuffer(len(p)); large != nil {
			large.Use(len(p))
			return o.push(outputChunk{buf[:copy(buf, p)], large})
		}
	}
	if n := len(o.waiting); n > 0 && o.waiting[n-1].large == nil {
		o.waiting[n-1].bytes = append(o.waiting[n-1].bytes, p...)
		return false
	}
	chunk := outputChunk{bytes: append(o.spare, p...)}
	o.spare = nil
	return o.push(chunk)
}

// give takes p, which is of large, without copying it.
func (o *turnOutput) give(large *slab.Buffer, p []byte) (start bool) {
	o.size.Add(int64(len(p)))
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.push(outputChunk{p, large})
}

// push is called under the lock.
func (o *turnOutput) push(chunk outputChunk) (start bool) {
	o.waiting = append(o.waiting, chunk)
	start = !o.writing
	o.writing = true
	return start
}

const (
	turnTakenBytes = 64 << 10 // waiting bytes that count as sent
	turnWriteBytes = 64 << 10 // in one write, so that unsent falls as it goes
	turnKeptBytes  = 4 << 10  // capacity that an idle link keeps
)

// sendTo writes until nothing waits. After a failure it only gives up what
// does.
func (o *turnOutput) sendTo(conn net.Conn) (err error) {
	var sending []outputChunk
	for o.next(&sending) {
		for i := range sending {
			if err == nil {
				err = o.write(conn, sending[i].bytes)
			}
			o.done(&sending[i])
		}
	}
	return err
}

// next takes what waits, and leaves the list of what was sent for more.
func (o *turnOutput) next(sending *[]outputChunk) (more bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	*sending, o.waiting = o.waiting, (*sending)[:0]
	if len(*sending) > 0 {
		return true
	}
	o.writing = false
	if cap(o.spare) > turnKeptBytes {
		o.spare = nil
	}
	return false
}

func (o *turnOutput) write(conn net.Conn, p []byte) error {
	for len(p) > 0 {
		n, err := conn.Write(p[:min(len(p), turnWriteBytes)])
		o.size.Add(-int64(n))
		if err != nil {
			return err
		}
		p = p[n:]
	}
	return nil
}

// done frees a chunk, or keeps its memory for the next one.
func (o *turnOutput) done(chunk *outputChunk) {
	if chunk.large != nil {
		chunk.large.Free()
	} else {
		o.mu.Lock()
		o.spare = chunk.bytes[:0]
		o.mu.Unlock()
	}
	*chunk = outputChunk{}
}
