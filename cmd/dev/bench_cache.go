package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// cacheCmd measures Troupe as a cache: how much of a trace it hits, beside redis-server with the same
// policy and as many keys, and beside ristretto; and what being full costs those who write.
type cacheCmd struct {
	contest
	Keys     int       `help:"Keys that fit." default:"100000"`
	Times    int       `help:"The trace has so many times more keys." default:"10"`
	Requests int       `help:"Requests of the trace; the second half counts." default:"3000000"`
	Rate     int       `help:"Requests a second, at most: access clocks are in seconds, so both are to have as many of these." default:"80000"`
	Skew     []float64 `help:"The exponents of the traces." default:"0.8,1.0,1.2"`
	Size     int       `help:"Bytes of a value." default:"100"`
	Seed     uint64    `help:"Of the traces." default:"1"`
	Rounds   int       `help:"Rounds of what is measured in time; a figure is their median." default:"5"`
	Writes   int       `help:"Writes of a round." default:"1000000"`
	Hits     bool      `help:"Only the hit ratios."`
	Speed    bool      `help:"Only what is measured in time."`
}

// Run measures and prints.
func (c *cacheCmd) Run(ctx context.Context) error {
	if c.Keys < 1000 || c.Times < 2 || c.Requests < 2 || c.Rounds < 1 || c.Writes < 1000 {
		return errors.New("--keys and --writes take numbers from 1000, --times and --requests from 2, --rounds from 1")
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	where := machine()
	report := cacheReport{}
	if !c.Speed {
		if report.Hits, err = c.hitRatios(ctx, troupe, redis); err != nil {
			return err
		}
	}
	if !c.Hits {
		if report.Speed, err = c.fullSpeed(ctx, troupe, redis); err != nil {
			return err
		}
	}
	if c.JSON {
		return printJSON(os.Stdout, report)
	}
	return printCache(os.Stdout, where, c, report)
}

// cachePolicies are what both servers are measured with.
var cachePolicies = []string{"allkeys-lru", "allkeys-lfu"}

// hitResult is one trace under one policy: hit ratios in percent, and how many keys there were at the end.
type hitResult struct {
	Policy    string  `json:"policy"`
	Skew      float64 `json:"skew"`
	Troupe    float64 `json:"troupe_percent"`
	Redis     float64 `json:"redis_percent"`
	Ristretto float64 `json:"ristretto_percent"`
	// OursHeld and TheirsHeld are the keys at the end; Lost are writes that were answered OK and could not be
	// read back right after, of Troupe, of redis-server and of ristretto.
	OursHeld   int64  `json:"troupe_keys"`
	TheirsHeld int64  `json:"redis_keys"`
	Lost       [3]int `json:"lost"`
	Bar        string `json:"bar"`
}

func (c *cacheCmd) hitRatios(ctx context.Context, troupe, redis program) (results []hitResult, err error) {
	dir, err := os.MkdirTemp("", "troupe-trace-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	ristretto, err := buildModule(ctx, dir, "cachebench")
	if err != nil {
		return nil, err
	}
	for _, skew := range c.Skew {
		trace := makeTrace(c.Keys*c.Times, c.Requests, skew, c.Seed)
		file := filepath.Join(dir, "trace")
		if err := trace.write(file); err != nil {
			return nil, err
		}
		theirs, err := askRistretto(ctx, ristretto, file, c.Keys)
		if err != nil {
			return nil, err
		}
		for _, policy := range cachePolicies {
			fmt.Fprintf(os.Stderr, "%s, exponent %.1f\n", policy, skew)
			r := hitResult{Policy: policy, Skew: skew, Ristretto: theirs.percent(), Lost: [3]int{2: theirs.Refused}}
			ours, err := c.play(ctx, troupe, policy, trace)
			if err != nil {
				return nil, err
			}
			other, err := c.play(ctx, redis, policy, trace)
			if err != nil {
				return nil, err
			}
			r.Troupe, r.OursHeld, r.Lost[0] = ours.percent(), ours.held, ours.Refused
			r.Redis, r.TheirsHeld, r.Lost[1] = other.percent(), other.held, other.Refused
			r.Bar = judge(r.bars(), r.figure)
			results = append(results, r)
		}
	}
	return results, nil
}

// bars: no more than two points below redis-server; with what counts uses, not below ristretto.
func (r *hitResult) bars() []bar {
	bars := []bar{{"redis", true, -2}}
	if r.Policy == "allkeys-lfu" {
		bars = append(bars, bar{"ristretto", true, 0})
	}
	return bars
}

func (r *hitResult) figure(name string) float64 {
	return r.Troupe - map[string]float64{"redis": r.Redis, "ristretto": r.Ristretto}[name]
}
