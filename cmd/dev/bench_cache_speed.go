package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// fullResult is what being full costs those who write: medians of rounds.
type fullResult struct {
	Shape string `json:"shape"`
	// Rate and CPU are Troupe's at its limit, as ratios to redis-server's at its limit; P99 is Troupe's at the
	// limit as a ratio to its own without one, Theirs the same of redis-server.
	Rate   spread `json:"throughput_ratio"`
	CPU    spread `json:"cpu_ratio"`
	P99    spread `json:"p99_ratio"`
	Theirs spread `json:"redis_p99_ratio"`
	Bar    string `json:"bar"`
}

// cacheReport is all that is measured.
type cacheReport struct {
	Hits  []hitResult  `json:"hits"`
	Speed []fullResult `json:"speed"`
}

// fullShapes are how is written to the full servers.
func (c *cacheCmd) fullShapes() []shape {
	keys := 20 * c.Keys
	return []shape{
		{Command: "set", Pipeline: 16, Links: 50, Size: c.Size, Keys: keys},
		{Command: "set", Pipeline: 1, Links: 50, Size: c.Size, Keys: keys},
	}
}

// full is a server of which so many keys fit, and one without a limit.
type full struct{ limited, free *server }

func (f *full) stop() {
	f.limited.stop()
	f.free.stop()
}

// fill starts the two, and fills the one with a limit.
func (c *cacheCmd) fill(ctx context.Context, p program) (f full, err error) {
	if f.free, err = start(ctx, p); err != nil {
		return f, err
	}
	if f.limited, err = start(ctx, p); err != nil {
		f.free.stop()
		return f, err
	}
	l, err := dial(f.limited.port, "")
	if err == nil {
		defer l.close()
		one := &player{link: l, value: fmt.Sprintf("%0*d", c.Size, 0), fits: int64(c.Keys)}
		err = one.setLimit("allkeys-lru")
	}
	if err != nil {
		f.stop()
		return full{}, err
	}
	return f, nil
}

// fullSpeed writes to both servers, with a limit and without, round by round.
func (c *cacheCmd) fullSpeed(ctx context.Context, troupe, redis program) (results []fullResult, err error) {
	ours, err := c.fill(ctx, troupe)
	if err != nil {
		return nil, err
	}
	defer ours.stop()
	theirs, err := c.fill(ctx, redis)
	if err != nil {
		return nil, err
	}
	defer theirs.stop()
	for _, s := range c.fullShapes() {
		var rounds [4][]measure
		for i := range c.Rounds + 1 {
			fmt.Fprintf(os.Stderr, "%s at the limit, round %d\n", s, i)
			for k, one := range []*server{ours.limited, theirs.limited, ours.free, theirs.free} {
				m, err := writeSome(ctx, one, s, c.Writes)
				if err != nil {
					return nil, err
				}
				if i > 0 { // the first fills them
					rounds[k] = append(rounds[k], m)
				}
			}
		}
		results = append(results, newFullResult(s, rounds))
	}
	return results, nil
}

// writeSome is one server's part of one round. One without a limit begins empty, as it would not stay
// comparable.
func writeSome(ctx context.Context, s *server, sh shape, count int) (measure, error) {
	count /= 1 + 9/sh.Pipeline
	before, err := cpuTime(s.pid)
	if err != nil {
		return measure{}, err
	}
	t, err := runLoad(ctx, s.port, sh, count)
	if err != nil {
		return measure{}, err
	}
	after, err := cpuTime(s.pid)
	if err != nil {
		return measure{}, err
	}
	return measure{rate: t.rate, cpu: (after - before).Seconds() * 1e6 / float64(count), p99: t.p99.Seconds() * 1e3, busy: t.busy}, nil
}

func newFullResult(s shape, rounds [4][]measure) fullResult {
	ratio := func(a, b int, of func(measure) float64) spread {
		return spreadOf(ratios(each(rounds[a], of), each(rounds[b], of)))
	}
	rate := func(m measure) float64 { return m.rate }
	p99 := func(m measure) float64 { return m.p99 }
	r := fullResult{
		Shape: s.String(), Rate: ratio(0, 1, rate), CPU: ratio(0, 1, func(m measure) float64 { return m.cpu }),
		P99: ratio(0, 2, p99), Theirs: ratio(1, 3, p99),
	}
	bars := []bar{{"p99", false, 2}}
	if s.Pipeline > 1 {
		bars = append(bars, bar{"thr", true, 1.3})
	}
	r.Bar = judge(bars, func(name string) float64 {
		return map[string]float64{"thr": r.Rate.Median, "p99": r.P99.Median}[name]
	})
	return r
}

func printCache(w io.Writer, where string, c *cacheCmd, report cacheReport) error {
	fmt.Fprintf(w, "%s\n", where)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	if report.Hits != nil {
		fmt.Fprintf(w, "Hit ratios in %%, %d keys fit of %d; lost: writes answered OK that could not be read back right after.\n\n", c.Keys, c.Keys*c.Times)
		fmt.Fprintln(table, "policy\texponent\tTroupe\tredis-server\tristretto\tkeys at the end\tlost\tbar")
		for _, r := range report.Hits {
			fmt.Fprintf(table, "%s\t%.1f\t%.2f\t%.2f\t%.2f\t%d, %d\t%d, %d, %d\t%s\n", r.Policy, r.Skew, r.Troupe, r.Redis, r.Ristretto,
				r.OursHeld, r.TheirsHeld, r.Lost[0], r.Lost[1], r.Lost[2], r.Bar)
		}
		if err := table.Flush(); err != nil || report.Speed == nil {
			return err
		}
		fmt.Fprintln(w)
	}
	fmt.Fprintf(w, "SET at the limit (allkeys-lru): throughput and CPU beside redis-server at its limit; p99 beside the same server's without one.\n\n")
	fmt.Fprintln(table, "shape\tthroughput\tCPU\tp99\tredis-server's p99\tbar")
	for _, r := range report.Speed {
		fmt.Fprintf(table, "%s\t%.2f (%.2f–%.2f)\t%.2f\t%.2f (%.2f–%.2f)\t%.2f\t%s\n", r.Shape,
			r.Rate.Median, r.Rate.Min, r.Rate.Max, r.CPU.Median, r.P99.Median, r.P99.Min, r.P99.Max, r.Theirs.Median, r.Bar)
	}
	return table.Flush()
}
