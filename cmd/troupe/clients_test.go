package main

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
)

// What programs do with Redis's client libraries: go-redis here, in the test's
// own process, and others in programs of their own (programs_test.go).

// go-redis: a leaderboard, a queue whose workers wait, a lock, in each shape.
func TestGoRedis(t *testing.T) {
	t.Parallel()
	eachShape(t, func(t *testing.T, sh shape) {
		s := startServer(t, sh)
		for _, protocol := range []int{2, 3} {
			client := redis.NewClient(&redis.Options{Addr: s.addr, Protocol: protocol})
			t.Cleanup(func() { client.Close() })
			client.FlushAll(t.Context())
			leaderboard(t, client)
			workQueue(t, client)
			ownedLock(t, client)
		}
	})
}

func leaderboard(t *testing.T, c *redis.Client) {
	ctx := t.Context()
	c.ZAdd(ctx, "board", redis.Z{Score: 10, Member: "ann"}, redis.Z{Score: 20, Member: "bob"}, redis.Z{Score: 30, Member: "cid"})
	if got := c.ZIncrBy(ctx, "board", 25.5, "ann").Val(); got != 35.5 {
		t.Errorf("ann has %v, want 35.5", got)
	}
	want := []redis.Z{{Score: 35.5, Member: "ann"}, {Score: 30, Member: "cid"}}
	if got := c.ZRevRangeWithScores(ctx, "board", 0, 1).Val(); !slices.Equal(got, want) {
		t.Errorf("the first two are %v, want %v", got, want)
	}
	if got := c.ZRank(ctx, "board", "bob").Val(); got != 0 {
		t.Errorf("bob is at %d, want 0", got)
	}
	if err := c.ZRank(ctx, "board", "nobody").Err(); err != redis.Nil {
		t.Errorf("nobody's rank: %v, want none", err)
	}
	if got := c.ZPopMin(ctx, "board", 3).Val(); len(got) != 3 || got[0].Member != "bob" || got[2].Score != 35.5 {
		t.Errorf("ZPOPMIN gives %v", got)
	}
}

func workQueue(t *testing.T, c *redis.Client) {
	const jobs, workers = 40, 4
	ctx := t.Context()
	var all sync.WaitGroup
	var mu sync.Mutex
	done := map[string]int{}
	for id := range workers {
		doing := fmt.Sprint("doing:", id)
		all.Go(func() {
			for {
				job, err := c.BLMove(ctx, "jobs", doing, "RIGHT", "LEFT", patience).Result()
				if err != nil || job == "stop" {
					if err != nil {
						t.Errorf("BLMOVE: %v", err)
					}
					c.Del(ctx, doing)
					return
				}
				mu.Lock()
				done[job]++
				mu.Unlock()
				if n := c.LRem(ctx, doing, 1, job).Val(); n != 1 {
					t.Errorf("%s is %d times in the list of its worker", job, n)
				}
			}
		})
	}
	for i := range jobs {
		c.LPush(ctx, "jobs", fmt.Sprint("job ", i))
	}
	for range workers {
		c.LPush(ctx, "jobs", "stop")
	}
	all.Wait()
	if len(done) != jobs {
		t.Errorf("%d jobs are done, want %d", len(done), jobs)
	}
	for job, times := range done {
		if times != 1 {
			t.Errorf("%s is done %d times", job, times)
		}
	}
}

func ownedLock(t *testing.T, c *redis.Client) {
	var all sync.WaitGroup
	var inside sync.Mutex
	for id := range 6 {
		owner := fmt.Sprint("owner ", id)
		all.Go(func() {
			for !c.SetNX(t.Context(), "lock", owner, 10*time.Second).Val() {
			}
			if !inside.TryLock() {
				t.Error("two have the lock")
				return
			}
			err := c.Watch(t.Context(), func(tx *redis.Tx) error {
				if got := tx.Get(t.Context(), "lock").Val(); got != owner {
					t.Errorf("the lock of %s is that of %s", owner, got)
				}
				inside.Unlock()
				_, err := tx.TxPipelined(t.Context(), func(p redis.Pipeliner) error { return p.Del(context.Background(), "lock").Err() })
				return err
			}, "lock")
			if err != nil {
				t.Errorf("giving the lock back: %v", err)
			}
		})
	}
	all.Wait()
}
