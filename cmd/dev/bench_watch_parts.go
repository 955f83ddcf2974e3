package main

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// fanFramesMin is how many frames a second all readers together are expected to decode.
const fanFramesMin = 500_000

func (c *watchCmd) lasting() time.Duration { return time.Duration(c.Seconds * float64(time.Second)) }

// fan measures one hot key that everybody watches: frames that the readers decode, evaluations for a round of
// them (each link told once by each query), the server's CPU.
func (c *watchCmd) fan(ctx context.Context, p program) ([]watchFigure, error) {
	var f figures
	for range c.Rounds {
		err := withServer(ctx, p, func(s *server) error { return c.fanRound(s, &f) })
		if err != nil {
			return f.rows, err
		}
	}
	return f.rows, nil
}

func (c *watchCmd) fanRound(s *server, f *figures) error {
	a, err := s.open(c.Links, func(int) [][]string { return c.queries(hotKey) })
	if err != nil {
		return err
	}
	defer a.close()
	a.listen()
	var seq int64
	if _, err := c.writeHot(s, &seq, c.lasting()/4); err != nil {
		return err
	}
	cost := s.meter()
	counters, err := s.watchTotals()
	if err != nil {
		return err
	}
	frames, begin := a.frames.Load(), time.Now()
	writes, err := c.writeHot(s, &seq, c.lasting())
	if err != nil {
		return err
	}
	seconds, told := time.Since(begin).Seconds(), float64(a.frames.Load()-frames)
	micros, err := cost()
	if err != nil {
		return err
	}
	after, err := s.watchTotals()
	if err != nil {
		return err
	}
	round := float64(c.Links * c.Queries)
	f.add("fan: frames decoded", "a second", told/seconds, c.wideBars()...)
	f.add("fan: evaluations a round", "", (after.evaluations-counters.evaluations)*round/max(after.pushes-counters.pushes, 1),
		bar{"evaluations", false, float64(c.Queries) * 1.05})
	f.add("fan: rounds", "a second", told/round/seconds)
	f.add("fan: writes meanwhile", "a second", float64(writes)/seconds)
	f.add("fan: server CPU a frame", "µs", micros/max(told, 1))
	f.add("fan: server CPU", "cores", micros/1e6/seconds)
	return a.err()
}

// wideBars are those of a wide fan-out: with few watchers a round takes what its messages take.
func (c *watchCmd) wideBars() []bar {
	if c.Links*c.Queries < 10_000 {
		return nil
	}
	return []bar{{"frames", true, fanFramesMin}}
}

// meter starts to count the server's CPU time; what it returns gives it in microseconds.
func (s *server) meter() func() (micros float64, err error) {
	before, failed := cpuTime(s.pid)
	return func() (float64, error) {
		after, err := cpuTime(s.pid)
		if failed != nil {
			err = failed
		}
		return float64(after-before) / float64(time.Microsecond), err
	}
}

// latency measures, at half the rate of writes that the fan allows, how long after the reply to a write the
// readers have its state.
func (c *watchCmd) latency(ctx context.Context, p program) ([]watchFigure, error) {
	var f figures
	for range c.Rounds {
		err := withServer(ctx, p, func(s *server) error { return c.latencyRound(s, &f) })
		if err != nil {
			return f.rows, err
		}
	}
	return f.rows, nil
}

func (c *watchCmd) latencyRound(s *server, f *figures) error {
	var seq int64
	full, err := s.open(c.Links, func(int) [][]string { return c.queries(hotKey) })
	if err != nil {
		return err
	}
	full.listen()
	if _, err = c.writeHot(s, &seq, c.lasting()/4); err == nil {
		full.frames.Store(0)
		_, err = c.writeHot(s, &seq, c.lasting())
	}
	rate := float64(full.frames.Load()) / float64(c.Links*c.Queries) / c.Seconds
	full.close()
	if err != nil {
		return err
	}
	return c.paced(s, seq, rate/2, f)
}

// paced writes so many times a second and times what the readers of new links get.
func (c *watchCmd) paced(s *server, seq int64, rate float64, f *figures) error {
	a, err := s.open(c.Links, func(int) [][]string { return c.queries(hotKey) })
	if err != nil {
		return err
	}
	defer a.close()
	writes := max(int(rate*c.Seconds), 1)
	a.begin, a.first, a.replied = time.Now(), seq+1, make([]atomic.Int64, writes)
	a.listen()
	if err := c.writeAt(s, a, rate); err != nil {
		return err
	}
	time.Sleep(afterLast)
	a.mu.Lock()
	defer a.mu.Unlock()
	if len(a.late) == 0 {
		return fmt.Errorf("no push came of %d writes", writes)
	}
	slices.Sort(a.late)
	ms := func(q float64) float64 { return float64(quantile(a.late, q)) / float64(time.Millisecond) }
	f.add("latency: writes", "a second", rate)
	f.add("latency: reply to push, p50", "ms", ms(0.50))
	f.add("latency: reply to push, p99", "ms", ms(0.99))
	f.add("latency: pushes of one write", "", float64(len(a.late))/float64(writes))
	return a.err()
}

// afterLast is how long the pushes of the last write are waited for.
const afterLast = 200 * time.Millisecond

// writeAt writes the numbers that the audience waits for, so many a second, one at a time.
func (c *watchCmd) writeAt(s *server, a *audience, rate float64) error {
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	for n := range a.replied {
		time.Sleep(time.Until(a.begin.Add(time.Duration(float64(n) / rate * float64(time.Second)))))
		if _, err := l.ask("SET", hotKey, hotValue(a.first+int64(n), c.Size)); err != nil {
			return err
		}
		a.replied[n].Store(int64(time.Since(a.begin)))
	}
	return nil
}
