package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"
)

// speedCmd measures each command in each shape of traffic.
type speedCmd struct {
	contest
	Commands []string `arg:"" optional:"" enum:"${speedCommands}" help:"Commands: ${speedCommands}; none is get, set and mset."`
	Pipeline []int    `help:"Commands a link sends at once; one shape a number." default:"1,1,16,512"`
	Links    []int    `help:"Links of each shape, in the order of --pipeline; the last one counts for the rest." default:"1,50,50,8"`
	Size     []int    `help:"Bytes of a value." default:"16"`
	Rounds   int      `help:"Rounds of a shape; a figure is their median." default:"5"`
	Seconds  float64  `help:"Length of a round for each server." default:"2"`
	Keys     int      `help:"Keys the commands are spread over." default:"100000"`
}

// measure is one server's part of one round.
type measure struct {
	rate     float64 // operations a second
	cpu      float64 // microseconds of the server's CPU an operation
	p50, p99 float64 // milliseconds
	resident float64 // bytes, after the round
	busy     float64 // the generator's share of a core
}

// Run measures and prints.
func (c *speedCmd) Run(ctx context.Context) error {
	if err := c.check(); err != nil {
		return err
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	where := machine()
	results, failed := c.measureAll(ctx, troupe, redis)
	if len(results) == 0 {
		return failed
	}
	if c.JSON {
		return errors.Join(printJSON(os.Stdout, results), failed)
	}
	return errors.Join(printSpeed(os.Stdout, where, results), failed)
}

// measureAll gives the results of all shapes; if one fails, those before it and the error.
func (c *speedCmd) measureAll(ctx context.Context, troupe, redis program) ([]speedResult, error) {
	var results []speedResult
	for _, s := range c.shapes() {
		fmt.Fprintf(os.Stderr, "%s: %d rounds\n", s, c.Rounds)
		ours, theirs, err := c.compare(ctx, s, troupe, redis)
		if err != nil {
			return results, fmt.Errorf("%s: %w", s, err)
		}
		results = append(results, newSpeedResult(s, ours, theirs))
	}
	return results, nil
}

func (c *speedCmd) check() error {
	if slices.Min(c.Pipeline) < 1 || slices.Min(c.Links) < 1 || slices.Min(c.Size) < 1 {
		return errors.New("--pipeline, --links and --size take numbers from 1")
	}
	if c.Rounds < 1 || c.Keys < 1 || c.Seconds <= 0 {
		return errors.New("--rounds and --keys take numbers from 1, --seconds a time")
	}
	return nil
}

// shapes is every command with every pipeline and every size.
func (c *speedCmd) shapes() []shape {
	names := c.Commands
	switch {
	case len(names) == 0:
		names = []string{"get", "set", "mset"}
	case slices.Contains(names, "all"):
		names = workloadNames()
	}
	var out []shape
	for _, name := range names {
		for i, pipeline := range c.Pipeline {
			links := c.Links[min(i, len(c.Links)-1)]
			if workloadOf(name).slow && pipeline*links > 1 {
				continue
			}
			for _, size := range c.Size {
				out = append(out, shape{Command: name, Pipeline: pipeline, Links: links, Size: size, Keys: c.Keys})
			}
		}
	}
	return out
}

// compare runs the rounds. Only one server is alive at a time, and who goes first alternates, so that a
// machine that grows slower or faster meanwhile does so for both.
func (c *speedCmd) compare(ctx context.Context, s shape, troupe, redis program) (ours, theirs []measure, err error) {
	for round := range c.Rounds {
		order := []program{troupe, redis}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, p := range order {
			m, err := c.measureFresh(ctx, s, p)
			if err != nil {
				return nil, nil, fmt.Errorf("%s: %w", p.name, err)
			}
			if p.name == troupe.name {
				ours = append(ours, m)
			} else {
				theirs = append(theirs, m)
			}
		}
	}
	return ours, theirs, nil
}

// measureFresh is one server's part of a round: start, preload, a short run that warms it up and tells how
// many commands fill the time, then the run that counts.
func (c *speedCmd) measureFresh(ctx context.Context, s shape, p program) (measure, error) {
	srv, err := start(ctx, p)
	if err != nil {
		return measure{}, err
	}
	defer srv.stop()
	if fill := workloadOf(s.Command).fill; fill != nil {
		if err := preload(srv.port, fill(s)); err != nil {
			return measure{}, err
		}
	}
	if err := srv.offers(s); err != nil {
		return measure{}, err
	}
	work := workloadOf(s.Command)
	const warmSeconds = 0.3
	guess := 10_000.0
	if work.slow {
		guess = 3
	}
	warm, err := srv.warm(ctx, s, wholeBatches(guess, s))
	if err == nil {
		warm, err = srv.warm(ctx, s, wholeBatches(warm.rate*warmSeconds, s))
	}
	if err != nil {
		return measure{}, fmt.Errorf("%w; the server's last words:\n%s", err, srv.lastWords())
	}
	count := wholeBatches(warm.rate*c.Seconds, s)
	if err := srv.refill(s, count); err != nil {
		return measure{}, err
	}
	return srv.measure(ctx, s, count)
}

// warm runs count commands that do not count.
func (s *server) warm(ctx context.Context, sh shape, count int) (traffic, error) {
	if err := s.refill(sh, count); err != nil {
		return traffic{}, err
	}
	return runLoad(ctx, s.port, sh, count)
}

// refill gives count commands that take something away as much to take.
func (s *server) refill(sh shape, count int) error {
	if work := workloadOf(sh.Command); work.drain != nil {
		return preload(s.port, work.drain(sh, count))
	}
	return nil
}

// wholeBatches rounds a number of commands up to full pipelines on every link: redis-benchmark sends
// no part of one, so the number it is told is then the number it sends.
func wholeBatches(count float64, s shape) int {
	batch := s.Pipeline * s.Links
	return (int(count)/batch + 1) * batch
}

// offers tells whether the server answers the shape's command without an error, which
// redis-benchmark would count as an operation like any other.
func (s *server) offers(sh shape) error {
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	_, err = l.ask(workloadOf(sh.Command).sample(sh, 0)...)
	return err
}

// measure runs count commands and reads what they cost.
func (s *server) measure(ctx context.Context, sh shape, count int) (measure, error) {
	before, err := cpuTime(s.pid)
	if err != nil {
		return measure{}, err
	}
	seen, err := runLoad(ctx, s.port, sh, count)
	if err != nil {
		return measure{}, fmt.Errorf("%w; the server's last words:\n%s", err, s.lastWords())
	}
	after, err := cpuTime(s.pid)
	if err != nil {
		return measure{}, err
	}
	resident, err := residentBytes(s.pid)
	return measure{
		rate:     seen.rate,
		cpu:      float64(after-before) / float64(time.Microsecond) / float64(count),
		p50:      float64(seen.p50) / float64(time.Millisecond),
		p99:      float64(seen.p99) / float64(time.Millisecond),
		resident: float64(resident),
		busy:     seen.busy,
	}, err
}
