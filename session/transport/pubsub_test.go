package transport

import (
	"fmt"
	"sync"
	"testing"
	"time"
)

// Links change loops all the time while messages are published: each gets every
// message once, and those of each publisher in their order.
func TestSubscribersChangeLoops(t *testing.T) {
	eachTransport(t, func(t *testing.T, kind string) {
		const links, publishers, messages = 40, 3, 400
		_, stage := newTestServer(t, kind, Config{
			Loops:  2,
			window: 50 * time.Microsecond,
			decide: func(self int, loads []loopLoad) (loopMove, bool) {
				return loopMove{to: 1 - self, links: 1 + loads[self].links/2}, true
			},
		})
		var group sync.WaitGroup
		for range links {
			k := dialWatch(t, stage)
			k.ask("SUBSCRIBE", "c")
			group.Go(func() {
				var next [publishers]int
				for range publishers * messages {
					var p, n int
					items := k.next().Items()
					if len(items) != 3 {
						t.Error("what comes is no message")
						return
					}
					if _, err := fmt.Sscanf(items[2].Str(), "%d %d", &p, &n); err != nil || n != next[p] {
						t.Errorf("%s comes where %d of publisher %d was next: %v", items[2].Str(), next[p], p, err)
						return
					}
					next[p]++
				}
			})
		}
		for p := range publishers {
			k := dialWatch(t, stage)
			group.Go(func() {
				for n := range messages {
					if reply := k.ask("PUBLISH", "c", fmt.Sprint(p, " ", n)); reply.Int() != links {
						t.Errorf("%d receivers", reply.Int())
					}
				}
			})
		}
		group.Wait()
	})
}
