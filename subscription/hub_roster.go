package subscription

import (
	"slices"
	"sync/atomic"
)

// roster is a set that may be walked while it changes: who walks it sees the
// members that it had when the walk began. It is kept in chunks, of which a
// change copies one or two, and the list of chunks: adding the nth member takes
// n/chunkMax steps, with a small factor. Changes are made under the owner's lock.
type roster[T placed] struct {
	chunks atomic.Pointer[[][]T] // full, but for the last
}

// placed is a member that has room for where it is in its roster.
type placed interface {
	comparable
	at() *int
}

const chunkMax = 128

// all is the members, in no order. The slices are not to be changed.
func (r *roster[T]) all() [][]T {
	if chunks := r.chunks.Load(); chunks != nil {
		return *chunks
	}
	return nil
}

func (r *roster[T]) length() int {
	chunks := r.all()
	if len(chunks) == 0 {
		return 0
	}
	last := len(chunks) - 1
	return last*chunkMax + len(chunks[last])
}

// add adds a member that is not there. Its place is behind what walks see, so
// the chunk itself is not copied.
func (r *roster[T]) add(one T) {
	chunks := slices.Clone(r.all())
	n := r.length()
	*one.at() = n
	if n%chunkMax == 0 {
		chunks = append(chunks, nil)
	}
	last := len(chunks) - 1
	chunks[last] = append(chunks[last], one)
	r.chunks.Store(&chunks)
}

// remove takes out a member that is there. The last one takes its place. Chunks
// that are seen by walks are left as they are.
func (r *roster[T]) remove(one T) {
	chunks := slices.Clone(r.all())
	last := len(chunks) - 1
	end := len(chunks[last]) - 1
	moved, place := chunks[last][end], *one.at()
	chunks[last] = slices.Clone(chunks[last][:end])
	if moved != one {
		at := place / chunkMax
		chunk := slices.Clone(chunks[at])
		chunk[place%chunkMax] = moved
		*moved.at() = place
		chunks[at] = chunk
	}
	if end == 0 {
		chunks = chunks[:last]
	}
	r.chunks.Store(&chunks)
}
