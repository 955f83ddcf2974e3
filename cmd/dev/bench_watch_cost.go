package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// sideLoad is the traffic beside which watches are to cost nothing: writes of many keys that nobody watches.
var sideLoad = shape{Command: "set", Pipeline: 16, Links: 50, Size: 16, Keys: 100_000}

// watchRounds are what rounds have found, by name, with and without watches.
type watchRounds struct{ with, without []map[string]float64 }

// compareWatches runs rounds with and without watches, on fresh servers, in an order that alternates. measure is told
// which it is and adds what it finds to one of the two lists.
func (c *watchCmd) compareWatches(ctx context.Context, p program, measure func(s *server, watched bool) (map[string]float64, error)) (r watchRounds, err error) {
	for round := range c.Rounds {
		order := []bool{true, false}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, watched := range order {
			err := withServer(ctx, p, func(s *server) error {
				figures, err := measure(s, watched)
				if watched {
					r.with = append(r.with, figures)
				} else {
					r.without = append(r.without, figures)
				}
				return err
			})
			if err != nil {
				return r, err
			}
		}
	}
	return r, nil
}

// ratio adds the ratio of each round, with ÷ without watches.
func (f *figures) ratio(name, of string, r watchRounds, bars ...bar) {
	for i := range r.with {
		f.add(name, "×", r.with[i][of]/r.without[i][of], bars...)
	}
}

// aside measures what watches cost writers that touch none of the watched keys. Both servers have the links.
func (c *watchCmd) aside(ctx context.Context, p program) ([]watchFigure, error) {
	r, err := c.compareWatches(ctx, p, func(s *server, watched bool) (map[string]float64, error) {
		a, err := s.open(c.Links, func(i int) [][]string {
			if !watched {
				return nil
			}
			return c.queries(fmt.Sprint("aside:", i))
		})
		if err != nil {
			return nil, err
		}
		defer a.close()
		resident, err := settledBytes(s.pid)
		if err != nil {
			return nil, err
		}
		costs, err := c.sideRound(ctx, s)
		if err == nil {
			costs["rss"] = float64(resident)
		}
		return costs, err
	})
	if err != nil {
		return nil, err
	}
	var f figures
	f.ratio("aside: CPU a write of other keys, with ÷ without watches", "cpu", r, bar{"cpu", false, 1.03})
	f.ratio("aside: throughput of those writes", "rate", r)
	for i := range r.without {
		f.add("aside: CPU a write without watches", "µs", r.without[i]["cpu"])
		f.add("aside: RSS a distinct query with its watch", "B", (r.with[i]["rss"]-r.without[i]["rss"])/float64(c.Links*c.Queries))
	}
	return f.rows, nil
}

func (c *watchCmd) sideRound(ctx context.Context, s *server) (map[string]float64, error) {
	if err := preload(s.port, fillStrings(sideLoad)); err != nil {
		return nil, err
	}
	warm, err := runLoad(ctx, s.port, sideLoad, wholeBatches(100_000, sideLoad))
	if err != nil {
		return nil, err
	}
	m, err := s.measure(ctx, sideLoad, wholeBatches(warm.rate*c.Seconds, sideLoad))
	return map[string]float64{"cpu": m.cpu, "rate": m.rate}, err
}

// deaf measures what watchers of the hot key cost its writer that never read what they are told.
func (c *watchCmd) deaf(ctx context.Context, p program) ([]watchFigure, error) {
	r, err := c.compareWatches(ctx, p, c.deafRound)
	if err != nil {
		return nil, err
	}
	var f figures
	f.ratio("deaf: throughput of the writer, with ÷ without watchers that never read", "rate", r, bar{"rate", true, 0.9})
	f.ratio("deaf: CPU a write", "cpu", r, bar{"cpu", false, 1.1})
	for i := range r.with {
		f.add("deaf: RSS a link grows by, watching against resting", "B", r.with[i]["rss"]-r.without[i]["rss"])
		f.add("deaf: unsent bytes a link", "B", r.with[i]["unsent"])
		f.add("deaf: CPU a write without watchers", "µs", r.without[i]["cpu"])
	}
	return f.rows, nil
}

func (c *watchCmd) deafRound(s *server, watched bool) (map[string]float64, error) {
	a, err := s.open(c.Links, func(int) [][]string {
		if !watched {
			return nil
		}
		return c.queries(hotKey)
	})
	if err != nil {
		return nil, err
	}
	defer a.close()
	before, err := residentBytes(s.pid)
	if err != nil {
		return nil, err
	}
	var seq int64
	if err := c.deafen(s, &seq); err != nil {
		return nil, err
	}
	cost, begin := s.meter(), time.Now()
	writes, err := c.writeHot(s, &seq, c.lasting())
	seconds := time.Since(begin).Seconds()
	micros, failed := cost()
	if err = errors.Join(err, failed); err != nil {
		return nil, err
	}
	after, err := residentBytes(s.pid)
	if err != nil {
		return nil, err
	}
	unsent, err := s.unsentBytes()
	links := float64(c.Links)
	return map[string]float64{
		"rate": float64(writes) / seconds, "cpu": micros / float64(writes),
		"rss": float64(after-before) / links, "unsent": unsent / links,
	}, err
}

// deafen writes until no link can take any more pushes, which takes as much as their sockets' buffers hold.
func (c *watchCmd) deafen(s *server, seq *int64) error {
	const most = 2 * time.Minute
	last := -1.0
	for begin := time.Now(); time.Since(begin) < most; {
		if _, err := c.writeHot(s, seq, c.lasting()/4); err != nil {
			return err
		}
		t, err := s.watchTotals()
		if err != nil || t.pushes == last {
			return err
		}
		last = t.pushes
	}
	return fmt.Errorf("after %v links still take pushes", most)
}

// unsentBytes is the sum of what waits for clients to read it, as CLIENT LIST tells.
func (s *server) unsentBytes() (sum float64, err error) {
	l, err := dial(s.port, "")
	if err != nil {
		return 0, err
	}
	defer l.close()
	reply, err := l.ask("CLIENT", "LIST")
	if err != nil {
		return 0, err
	}
	return sumFields(reply.Str(), "omem"), nil
}
