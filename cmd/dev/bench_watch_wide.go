package main

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"time"
)

// The measurements of collections and of many queries.

const (
	boardKey     = "board"
	boardMembers = 100_000
	boardRange   = 100 // members that are watched

	boardFramesMin = 150_000 // whole states a second
	deltaFramesMin = 400_000

	distinctPerLink = 100
	distinctWrites  = 10_000 // a second
	distinctBytes   = 1024   // of RSS a watch, at most
)

// board measures a leaderboard of which everybody watches the top as whole states, deltas the same as deltas.
func (c *watchCmd) board(ctx context.Context, p program) ([]watchFigure, error) {
	return c.boards(ctx, p, boardPart{"board", nil, bar{"frames", true, boardFramesMin}})
}

func (c *watchCmd) deltas(ctx context.Context, p program) ([]watchFigure, error) {
	return c.boards(ctx, p, boardPart{"deltas", []string{"DELTA"}, bar{"frames", true, deltaFramesMin}})
}

// boardPart is how the leaderboard is watched.
type boardPart struct {
	name    string
	options []string
	least   bar
}

func (c *watchCmd) boards(ctx context.Context, p program, part boardPart) ([]watchFigure, error) {
	var f figures
	for range c.Rounds {
		err := withServer(ctx, p, func(s *server) error {
			if err := fillBoard(s); err != nil {
				return err
			}
			return c.boardRound(s, &f, part)
		})
		if err != nil {
			return f.rows, err
		}
	}
	return f.rows, nil
}

func member(n int) string { return "player:" + strconv.Itoa(n) }

func fillBoard(s *server) error {
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	const part = 1000
	for from := 0; from < boardMembers; from += part {
		words := []string{"ZADD", boardKey}
		for n := from; n < from+part; n++ {
			words = append(words, strconv.Itoa(n), member(n))
		}
		if _, err := l.ask(words...); err != nil {
			return err
		}
	}
	return nil
}

func (c *watchCmd) boardRound(s *server, f *figures, part boardPart) error {
	a, err := s.open(c.Links, func(int) (all [][]string) {
		for i := range c.Queries {
			query := append(append([]string{"OBSERVE"}, part.options...), "ZRANGE", boardKey, "0", strconv.Itoa(boardRange-1+i), "WITHSCORES")
			all = append(all, query)
		}
		return all
	})
	if err != nil {
		return err
	}
	defer a.close()
	a.decode = skipFrame
	a.listen()
	if _, err := c.moveMembers(s, c.lasting()/4); err != nil {
		return err
	}
	cost, frames, begin := s.meter(), a.frames.Load(), time.Now()
	writes, err := c.moveMembers(s, c.lasting())
	if err != nil {
		return err
	}
	seconds, told := time.Since(begin).Seconds(), float64(a.frames.Load()-frames)
	micros, err := cost()
	if err != nil {
		return err
	}
	var bars []bar
	if c.wideBars() != nil {
		bars = []bar{part.least}
	}
	f.add(part.name+": frames decoded", "a second", told/seconds, bars...)
	f.add(part.name+": writes meanwhile", "a second", float64(writes)/seconds)
	f.add(part.name+": server CPU a frame", "µs", micros/max(told, 1))
	return a.err()
}

// moveMembers gives members of the watched range other scores in it, as fast as it goes.
func (c *watchCmd) moveMembers(s *server, lasting time.Duration) (writes int, err error) {
	l, err := dial(s.port, "")
	if err != nil {
		return 0, err
	}
	defer l.close()
	for begin := time.Now(); time.Since(begin) < lasting; writes += c.Pipeline {
		for range c.Pipeline {
			l.out = appendCommand(l.out, "ZADD", boardKey, fmt.Sprintf("%.3f", rand.Float64()*boardRange), member(rand.IntN(boardRange)))
		}
		if err := l.send(); err != nil {
			return writes, err
		}
		for range c.Pipeline {
			if _, err := l.read(); err != nil {
				return writes, err
			}
		}
	}
	return writes, nil
}

// distinct measures very many distinct queries, over whose keys the writes are spread.
func (c *watchCmd) distinct(ctx context.Context, p program) ([]watchFigure, error) {
	var f figures
	for range c.Rounds {
		if err := withServer(ctx, p, func(s *server) error { return c.distinctRound(s, &f) }); err != nil {
			return f.rows, err
		}
	}
	return f.rows, nil
}

func spreadKey(n int) string { return "spread:" + strconv.Itoa(n) }

func (c *watchCmd) distinctRound(s *server, f *figures) error {
	idle, err := s.open(c.Links, func(int) [][]string { return nil })
	if err != nil {
		return err
	}
	before, err := settledBytes(s.pid)
	if err != nil {
		return err
	}
	idle.close()
	a, err := s.open(c.Links, func(i int) (all [][]string) {
		for n := range distinctPerLink {
			all = append(all, []string{"GET.WATCH", spreadKey(i*distinctPerLink + n)})
		}
		return all
	})
	if err != nil {
		return err
	}
	defer a.close()
	after, err := settledBytes(s.pid)
	if err != nil {
		return err
	}
	writes := int(distinctWrites * c.Seconds)
	a.begin, a.first, a.replied = time.Now(), 1, make([]atomic.Int64, writes)
	a.listen()
	if err := c.writeSpread(s, a); err != nil {
		return err
	}
	time.Sleep(afterLast)
	covered, err := s.coveredTotal()
	if err != nil {
		return err
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if covered != float64(writes) {
		return fmt.Errorf("%d writes, and pushes that stand for %.0f", writes, covered)
	}
	slices.Sort(a.late)
	watches := float64(c.Links * distinctPerLink)
	f.add("distinct: watches", "", watches)
	f.add("distinct: RSS a watch", "B", float64(after-before)/watches, bar{"bytes", false, distinctBytes})
	f.add("distinct: writes", "a second", float64(writes)/(float64(a.replied[writes-1].Load())/1e9))
	f.add("distinct: reply to push, p50", "ms", float64(quantile(a.late, 0.50))/1e6)
	f.add("distinct: reply to push, p99", "ms", float64(quantile(a.late, 0.99))/1e6, bar{"p99", false, 10})
	return a.err()
}

// writeSpread writes keys that are watched, a few at once, at the pace of distinctWrites.
func (c *watchCmd) writeSpread(s *server, a *audience) error {
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	keys := c.Links * distinctPerLink
	for n := 0; n < len(a.replied); {
		time.Sleep(time.Until(a.begin.Add(time.Duration(float64(n) / distinctWrites * float64(time.Second)))))
		batch := min(c.Pipeline, len(a.replied)-n)
		for i := range batch {
			l.out = appendCommand(l.out, "SET", spreadKey(rand.IntN(keys)), hotValue(int64(n+i+1), c.Size))
		}
		if err := l.send(); err != nil {
			return err
		}
		for range batch {
			if _, err := l.read(); err != nil {
				return err
			}
			a.replied[n].Store(int64(time.Since(a.begin)))
			n++
		}
	}
	return nil
}

func (s *server) coveredTotal() (float64, error) {
	l, err := dial(s.port, "")
	if err != nil {
		return 0, err
	}
	defer l.close()
	reply, err := l.ask("WATCHES", "STATS")
	return numberNamed(reply, "covered"), err
}
