package keyspace

// queue is a ring that grows by doubling and is let go when it empties large.
type queue[T any] struct {
	ring  []T
	head  int
	count int
}

// queueKeep is the largest ring kept by an empty queue.
const queueKeep = 64

func (q *queue[T]) len() int { return q.count }
func (q *queue[T]) first() T { return q.ring[q.head] }

func (q *queue[T]) push(item T) {
	if q.count == len(q.ring) {
		bigger := make([]T, max(4, 2*len(q.ring)))
		n := copy(bigger, q.ring[q.head:])
		copy(bigger[n:], q.ring[:q.head])
		q.ring, q.head = bigger, 0
	}
	q.ring[(q.head+q.count)&(len(q.ring)-1)] = item
	q.count++
}

func (q *queue[T]) pop() (item T) {
	var none T
	item, q.ring[q.head] = q.ring[q.head], none
	q.head = (q.head + 1) & (len(q.ring) - 1)
	if q.count--; q.count == 0 && len(q.ring) > queueKeep {
		*q = queue[T]{}
	}
	return item
}
