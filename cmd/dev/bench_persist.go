package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
)

// persistCmd measures what is kept on disk: snapshots, starts from them and from the journal, and what a
// snapshot costs those who write meanwhile. Both servers write to the same disk, one at a time.
type persistCmd struct {
	contest
	Keys    int     `help:"Keys that are kept." default:"2000000"`
	Rounds  int     `help:"Rounds; a figure is their median." default:"3"`
	Seconds float64 `help:"Length of each write load." default:"3"`
	Hash    int     `help:"Megabytes of the hash during whose snapshot turns are measured; 0 leaves that out." default:"1024"`
}

// persistMeasure is one server's part of a round.
type persistMeasure struct {
	SaveRate  float64 `json:"bgsave_keys_per_second"`
	SaveCPU   float64 `json:"bgsave_cpu_us_per_key"`
	FromSave  startUp `json:"start_from_snapshot"`
	FromLog   startUp `json:"start_from_log"`
	Plain     float64 `json:"p99_ms"`
	Saving    float64 `json:"p99_ms_during_bgsave"`
	Resident  float64 `json:"rss_before_bgsave"`
	PeakRatio float64 `json:"rss_peak_ratio"`
}

// startUp is a start with data: seconds until the server served, and its CPU seconds until then.
type startUp struct {
	Took float64 `json:"seconds"`
	CPU  float64 `json:"cpu_seconds"`
}

// turnMeasure is how long, in milliseconds of CPU, the longest turn of a shard was under a write load on a
// large hash.
type turnMeasure struct {
	Megabytes int     `json:"hash_mb"`
	Plain     float64 `json:"longest_ms"`
	Saving    float64 `json:"longest_ms_during_bgsave"`
}

// Run measures and prints.
func (c *persistCmd) Run(ctx context.Context) error {
	if c.Keys < 1000 || c.Rounds < 1 || c.Seconds <= 0 || c.Hash < 0 {
		return errors.New("--keys takes a number from 1000, --rounds one from 1, --seconds a time, --hash a size")
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	where := machine()
	var r persistResult
	for round := range c.Rounds {
		order := []program{troupe, redis}
		if round%2 == 1 {
			slices.Reverse(order)
		}
		for _, p := range order {
			m, err := c.measure(ctx, p)
			if err != nil {
				return fmt.Errorf("%s: %w", p.name, err)
			}
			if p.name == troupe.name {
				r.Troupe = append(r.Troupe, m)
			} else {
				r.Redis = append(r.Redis, m)
			}
		}
	}
	if c.Hash > 0 {
		if r.Turns, err = c.measureTurns(ctx, troupe); err != nil {
			return fmt.Errorf("a large hash: %w", err)
		}
	}
	if c.JSON {
		return printJSON(os.Stdout, r)
	}
	return r.print(os.Stdout, where, c.Keys)
}

// measure is one server's part of a round.
func (c *persistCmd) measure(ctx context.Context, p program) (m persistMeasure, err error) {
	steps := []struct {
		words      string
		appendonly string
		run        func(context.Context, *server, *persistMeasure) error
	}{
		{"snapshots", "no", c.measureSnapshots},
		{"a log", "yes", c.measureLog},
	}
	for _, step := range steps {
		fmt.Fprintf(os.Stderr, "%s: %s\n", p.name, step.words)
		err := withServer(ctx, p.keeping(step.appendonly), func(s *server) error {
			if err := c.fill(s); err != nil {
				return err
			}
			return step.run(ctx, s, &m)
		})
		if err != nil {
			return m, fmt.Errorf("%s: %w", step.words, err)
		}
	}
	return m, nil
}

// keeping is the program with a log of all changes, which is never rewritten, or without.
func (p program) keeping(appendonly string) program {
	p.args = slices.Clone(p.args)
	p.args[slices.Index(p.args, "--appendonly")+1] = appendonly
	p.args = append(p.args, "--auto-aof-rewrite-percentage", "0")
	if p.name == "troupe" {
		p.args = append(p.args, "--enable-debug-command", "local")
	}
	return p
}

// fill sets all keys, to those that the write loads set anew.
func (c *persistCmd) fill(s *server) error {
	l, err := dial(s.port, "")
	if err != nil {
		return err
	}
	defer l.close()
	return l.load(c.Keys, func(out []byte, i int) []byte {
		return appendCommand(out, "SET", fmt.Sprintf("key:%012d", i), fmt.Sprintf("value:%010d", i))
	})
}

// measureSnapshots measures BGSAVE, a start from its file, and what it costs writers.
func (c *persistCmd) measureSnapshots(ctx context.Context, s *server, m *persistMeasure) error {
	took, cpu, err := s.save(ctx)
	if err != nil {
		return err
	}
	m.SaveRate = float64(c.Keys) / took.Seconds()
	m.SaveCPU = cpu.Seconds() * 1e6 / float64(c.Keys)
	if m.FromSave, err = s.again(ctx); err != nil {
		return err
	}
	if err := c.measureWriters(ctx, s, m); err != nil {
		return err
	}
	return c.measurePeak(ctx, s, m)
}

// measureLog measures a start from the log of all changes.
func (c *persistCmd) measureLog(ctx context.Context, s *server, m *persistMeasure) (err error) {
	m.FromLog, err = s.again(ctx)
	if err != nil {
		return err
	}
	return s.holds(c.Keys)
}

// measureWriters measures how long writes take without and during snapshots, which follow one another.
func (c *persistCmd) measureWriters(ctx context.Context, s *server, m *persistMeasure) error {
	sh := shape{Command: "set", Pipeline: 1, Links: 50, Size: 16, Keys: c.Keys}
	warm, err := runLoad(ctx, s.port, sh, wholeBatches(10_000, sh))
	if err != nil {
		return err
	}
	count := wholeBatches(warm.rate*c.Seconds, sh)
	plain, err := runLoad(ctx, s.port, sh, count)
	if err != nil {
		return err
	}
	stop := s.saveOverAndOver(ctx)
	saving, err := runLoad(ctx, s.port, sh, count)
	m.Plain, m.Saving = plain.p99.Seconds()*1e3, saving.p99.Seconds()*1e3
	return errors.Join(err, stop())
}

// measurePeak measures how much more memory a snapshot takes while as much is written as can be.
func (c *persistCmd) measurePeak(ctx context.Context, s *server, m *persistMeasure) error {
	stop, err := s.write(ctx, c.Keys, "SET", "key:"+anyKey, "value:"+anyKey)
	if err != nil {
		return err
	}
	before, err := s.peakDuring(func() error { return pause(ctx, c.Seconds) })
	if err != nil {
		return errors.Join(err, stop())
	}
	peak, err := s.peakDuring(func() error {
		_, _, err := s.save(ctx)
		return err
	})
	m.Resident, m.PeakRatio = float64(before), float64(peak)/float64(before)
	return errors.Join(err, stop())
}
