package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/bsm/redislock"
	"github.com/go-redsync/redsync/v4"
	"github.com/go-redsync/redsync/v4/redis/goredis/v9"
	"github.com/redis/go-redis/v9"
	"github.com/redis/rueidis"
	"github.com/redis/rueidis/rueidislock"
)

// Locks by redsync, redislock and rueidislock: many want one, one at a time has it.
var locksSteps = []step{
	{"redsync contention", redsyncContention},
	{"redsync owners", redsyncOwners},
	{"redsync expiry", redsyncExpiry},
	{"redislock", redislockOwners},
	{"rueidislock", rueidisLocks},
}

// long is how long locks last that are to be given back.
const long = time.Minute

func newRedsync(addr string) (*redsync.Redsync, *redis.Client) {
	client := redis.NewClient(&redis.Options{Addr: addr})
	return redsync.New(goredis.NewPool(client)), client
}

// addTogether lets workers add to a number by reading and writing it, each in
// its turn, and returns what was counted and the most that were in it at once.
func addTogether(ctx context.Context, c *redis.Client, key string, locked func(add func())) []any {
	const workers, rounds = 8, 5
	var all sync.WaitGroup
	var inside, most atomic.Int64
	for range workers {
		all.Go(func() {
			for range rounds {
				locked(func() {
					if n := inside.Add(1); n > most.Load() {
						most.Store(n)
					}
					n, err := c.Get(ctx, key).Int()
					if err != redis.Nil {
						check(err)
					}
					check(c.Set(ctx, key, n+1, 0).Err())
					inside.Add(-1)
				})
			}
		})
	}
	all.Wait()
	return []any{c.Get(ctx, key).Val(), most.Load()}
}

func redsyncContention(ctx context.Context, addr string) any {
	rs, c := newRedsync(addr)
	defer c.Close()
	said := addTogether(ctx, c, "redsync:number", func(add func()) {
		m := rs.NewMutex("redsync:lock", redsync.WithExpiry(long), redsync.WithTries(1<<30), redsync.WithRetryDelay(time.Millisecond))
		check(m.LockContext(ctx))
		add()
		if !must(m.UnlockContext(ctx)) {
			panic("the lock was lost")
		}
	})
	return append(said, c.Exists(ctx, "redsync:lock").Val())
}

// An owner's lock is its own, and can be kept longer.
func redsyncOwners(ctx context.Context, addr string) any {
	rs, c := newRedsync(addr)
	defer c.Close()
	mine := rs.NewMutex("redsync:owned", redsync.WithExpiry(long))
	other := rs.NewMutex("redsync:owned", redsync.WithExpiry(long), redsync.WithTries(2), redsync.WithRetryDelay(time.Millisecond))
	check(mine.LockContext(ctx))
	said := []any{c.Get(ctx, "redsync:owned").Val() == mine.Value(), c.PTTL(ctx, "redsync:owned").Val() > long/2}
	said = append(said, kind(other.TryLockContext(ctx)), kind(other.LockContext(ctx)), must(mine.ValidContext(ctx)))
	check(c.PExpire(ctx, "redsync:owned", long/2).Err())
	said = append(said, must(mine.ExtendContext(ctx)), c.PTTL(ctx, "redsync:owned").Val() > long/2)
	said = append(said, must(mine.UnlockContext(ctx)), c.Exists(ctx, "redsync:owned").Val(), failing(mine.UnlockContext(ctx)))
	check(other.LockContext(ctx))
	return append(said, failing(mine.ExtendContext(ctx)), must(other.UnlockContext(ctx)))
}

// kind is an error without what differs between runs.
func kind(err error) string {
	if err == nil {
		return "none"
	}
	first, _, _ := strings.Cut(err.Error(), ",")
	return first
}

// A lock runs out by itself, and its owner is told.
func redsyncExpiry(ctx context.Context, addr string) any {
	rs, c := newRedsync(addr)
	defer c.Close()
	short := rs.NewMutex("redsync:short", redsync.WithExpiry(80*time.Millisecond))
	check(short.LockContext(ctx))
	next := rs.NewMutex("redsync:short", redsync.WithExpiry(long), redsync.WithTries(1<<30), redsync.WithRetryDelay(time.Millisecond))
	check(next.LockContext(ctx))
	extended, _ := short.ExtendContext(ctx)
	given, _ := short.UnlockContext(ctx)
	return []any{extended, given, must(next.UnlockContext(ctx))}
}

// redislock's locks carry a word of their owner's.
func redislockOwners(ctx context.Context, addr string) any {
	c := redis.NewClient(&redis.Options{Addr: addr})
	defer c.Close()
	locker := redislock.New(c)
	patient := &redislock.Options{RetryStrategy: redislock.LinearBackoff(time.Millisecond)}
	said := addTogether(ctx, c, "redislock:number", func(add func()) {
		lock := must(locker.Obtain(ctx, "redislock:lock", long, patient))
		add()
		check(lock.Release(ctx))
	})
	lock := must(locker.Obtain(ctx, "redislock:owned", long, &redislock.Options{Metadata: "by me"}))
	_, err := locker.Obtain(ctx, "redislock:owned", long, nil)
	said = append(said, kind(err), lock.Metadata(), must(lock.TTL(ctx)) > long/2)
	check(lock.Refresh(ctx, 2*long, nil))
	said = append(said, must(lock.TTL(ctx)) > long, kind(lock.Release(ctx)), kind(lock.Release(ctx)), kind(lock.Refresh(ctx, long, nil)))
	short := must(locker.Obtain(ctx, "redislock:short", 50*time.Millisecond, nil))
	until(func() bool { return c.Exists(ctx, "redislock:short").Val() == 0 })
	return append(said, kind(short.Release(ctx)), c.Exists(ctx, "redislock:owned", "redislock:short").Val())
}

// rueidislock's owners are told by invalidations of what becomes of their locks.
// Waiters ask again here: version 1.0.79 may forget one who waits to be told.
func rueidisLocks(ctx context.Context, addr string) any {
	c := redis.NewClient(&redis.Options{Addr: addr})
	defer c.Close()
	var lockers []rueidislock.Locker
	for range 2 {
		lockers = append(lockers, must(rueidislock.NewLocker(rueidislock.LockerOption{
			ClientOption: rueidis.ClientOption{InitAddress: []string{addr}}, KeyMajority: 1, NoLoopTracking: true,
			KeyValidity: long, TryNextAfter: long,
		})))
	}
	var turn atomic.Int64
	said := addTogether(ctx, c, "rueidislock:number", func(add func()) {
		locker := lockers[turn.Add(1)%2]
		for {
			_, cancel, err := locker.TryWithContext(ctx, "work")
			if err == nil {
				add()
				cancel()
				return
			}
			if !errors.Is(err, rueidislock.ErrNotLocked) {
				panic(err)
			}
		}
	})
	mine, cancel, err := lockers[0].WithContext(ctx, "owned")
	check(err)
	_, _, err = lockers[1].TryWithContext(ctx, "owned")
	said = append(said, kind(err), c.Exists(ctx, "rueidislock:0:owned").Val())
	check(c.Set(ctx, "rueidislock:0:owned", "another's", long).Err())
	<-mine.Done()
	said = append(said, fmt.Sprint(mine.Err()), c.Get(ctx, "rueidislock:0:owned").Val())
	cancel()
	for _, l := range lockers {
		l.Close()
	}
	return said
}
