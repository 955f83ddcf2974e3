package keyspace

import (
	"runtime"
	"sync"
	"testing"
)

// Whoever holds writers up is told last how it is in the end, however many say so
// at once.
func TestShortIsToldInOrder(t *testing.T) {
	t.Parallel()
	for range 200 {
		n := &Node{}
		var mu sync.Mutex
		told := false
		n.OnShort(func() {
			runtime.Gosched() // as whoever is told may be late
			mu.Lock()
			defer mu.Unlock()
			told = n.Short()
		})
		var busy sync.WaitGroup
		for i := range 8 {
			busy.Go(func() {
				for range 20 {
					n.setShort(i%2 == 0)
				}
			})
		}
		busy.Wait()
		if told != n.Short() {
			t.Fatalf("writers are held up: %v, and it was told %v last", n.Short(), told)
		}
	}
}
