package main

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/troupedb/troupe/actors/config"
	"github.com/troupedb/troupe/resp"
)

// A cache that is fed by invalidations never serves what is older than its own
// acknowledged writes, nor than another's write once a PING that was begun after
// the acknowledgement has come back. All writes are INCR, so older is less.
func TestCachePromise(t *testing.T) {
	t.Parallel()
	modes := map[string]string{
		"default": "CLIENT TRACKING ON", "noloop": "CLIENT TRACKING ON NOLOOP", "optin": "CLIENT TRACKING ON OPTIN",
		"bcast": "CLIENT TRACKING ON BCAST PREFIX k:",
	}
	for name, mode := range modes {
		for _, sh := range []shape{{1, false}, {2, true}, {16, false}} {
			t.Run(name+"-"+sh.String(), func(t *testing.T) {
				t.Parallel()
				seed := drawSeed(t)
				s := startServer(t, sh, config.Flag{Name: "tracking-table-max-keys", Words: []string{"6"}})
				w := &cacheWorld{}
				var busy sync.WaitGroup
				for i := range 4 {
					c := &caching{client: s.client(), world: w, mode: mode, have: map[int]int64{}, rng: rand.New(rand.NewPCG(seed, uint64(i)))}
					busy.Go(c.live)
				}
				busy.Wait()
			})
		}
	}
}

const (
	cacheKeys  = 12
	cacheSteps = 600
)

// cacheWorld is the newest value of each key that was acknowledged to anybody.
type cacheWorld struct{ newest [cacheKeys]atomic.Int64 }

func (w *cacheWorld) acknowledged(key int, value int64) {
	for have := w.newest[key].Load(); have < value && !w.newest[key].CompareAndSwap(have, value); {
		have = w.newest[key].Load()
	}
}

// caching is a client with a cache.
type caching struct {
	*client
	world *cacheWorld
	mode  string
	have  map[int]int64
	rng   *rand.Rand
}

func (c *caching) live() {
	c.reply("HELLO", "3")
	c.reply(strings.Fields(c.mode)...)
	for range cacheSteps {
		key := c.rng.IntN(cacheKeys)
		switch c.rng.IntN(6) {
		case 0:
			c.write(key)
		case 1:
			c.writeTogether(key, c.rng.IntN(cacheKeys))
		case 2:
			c.barrier()
		default:
			c.read(key)
		}
	}
	c.barrier()
}

func cacheKey(n int) string { return fmt.Sprint("k:", n) }

// reply sends a command and returns its reply; invalidations before it are obeyed.
func (c *caching) reply(words ...string) resp.Reply {
	c.send(request(words...))
	for {
		reply, err := c.next()
		if err != nil {
			c.tb.Error(err)
			return resp.Nothing
		}
		if !isInvalidation(reply) {
			return reply
		}
		c.obey(reply.Items()[1])
	}
}

func isInvalidation(r resp.Reply) bool {
	return strings.HasPrefix(resp.Format(r), `>["invalidate"`)
}

func (c *caching) obey(keys resp.Reply) {
	for _, key := range keys.Items() {
		n, err := strconv.Atoi(strings.TrimPrefix(key.Str(), "k:"))
		if err != nil {
			c.tb.Errorf("invalid is %v", key)
		}
		delete(c.have, n)
	}
}

func (c *caching) read(key int) {
	if _, have := c.have[key]; have {
		return
	}
	if strings.HasSuffix(c.mode, "OPTIN") {
		c.reply("CLIENT", "CACHING", "YES")
	}
	value, _ := strconv.ParseInt(c.reply("GET", cacheKey(key)).Str(), 10, 64)
	c.have[key] = value
}

// write writes and forgets its key, as a cache does with what it writes itself.
func (c *caching) write(key int) {
	value := c.reply("INCR", cacheKey(key)).Int()
	delete(c.have, key)
	c.world.acknowledged(key, value)
}

func (c *caching) writeTogether(one, other int) {
	c.reply("MULTI")
	c.reply("INCR", cacheKey(one))
	c.reply("INCR", cacheKey(other))
	values := c.reply("EXEC").Items()
	for i, key := range []int{one, other} {
		delete(c.have, key)
		if len(values) == 2 {
			c.world.acknowledged(key, values[i].Int())
		}
	}
}

// barrier holds the promise.
func (c *caching) barrier() {
	var least [cacheKeys]int64
	for i := range least {
		least[i] = c.world.newest[i].Load()
	}
	c.reply("PING")
	for key, value := range c.have {
		if value < least[key] {
			c.tb.Errorf("%s: key %d is served as %d after %d was acknowledged and a PING came back", c.mode, key, value, least[key])
		}
	}
}
