package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"text/tabwriter"
)

// memoryCmd measures what a key, a deadline and a connection cost in resident memory.
type memoryCmd struct {
	contest
	Keys  int    `help:"Keys of the main figure, of the overwriting and of the TTLs." default:"1000000"`
	Most  int    `help:"Keys up to which growth is sampled." default:"2200000"`
	Links int    `help:"Idle connections to open." default:"20000"`
	Seed  uint64 `help:"Seed of the lengths that are written over the values, and of the TTLs." default:"1"`
}

// memoryFigures is what one server needs, in bytes of RSS.
type memoryFigures struct {
	Server   string        `json:"server"`
	Before   float64       `json:"rss_before_load"`
	Growth   []memoryPoint `json:"growth"`
	AtKeys   float64       `json:"bytes_per_key"`
	Worst    memoryPoint   `json:"worst_bytes_per_key"`
	Churned  float64       `json:"bytes_per_key_after_overwriting"`
	Deadline float64       `json:"more_bytes_per_key_with_ttl"`
	Link     float64       `json:"bytes_per_idle_link"`
	Links    int           `json:"idle_links"`
}

// memoryPoint is the memory per key above the memory before the load, at a number of keys.
type memoryPoint struct {
	Keys   int     `json:"keys"`
	PerKey float64 `json:"bytes_per_key"`
}

// What the server is expected to keep, in bytes.
const (
	barBefore   = 40 << 20
	barAtKeys   = 64
	barAnywhere = 72 // from worstFrom keys on, and after overwriting
	barDeadline = 20
	barLink     = 20 << 10
	worstFrom   = 250_000
)

// Run measures both servers, one after the other, and prints.
func (c *memoryCmd) Run(ctx context.Context) error {
	if c.Keys < 1 || c.Most < worstFrom || c.Links < 1 {
		return fmt.Errorf("--keys and --links take numbers from 1, --most one from %d", worstFrom)
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	where := machine()
	var both []memoryFigures
	for _, p := range []program{troupe, redis} {
		figures, err := c.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		both = append(both, figures)
	}
	if c.JSON {
		return printJSON(os.Stdout, both)
	}
	fmt.Printf("%s\n%s", where, memoryLegend)
	return c.print(os.Stdout, both[0], both[1])
}

func (c *memoryCmd) measure(ctx context.Context, p program) (memoryFigures, error) {
	f := memoryFigures{Server: p.name}
	steps := []struct {
		words string
		run   func(*server, *memoryFigures) error
	}{
		{"growth", c.measureGrowth},
		{"overwriting", c.measureChurn},
		{"a TTL on every key", c.measureDeadlines},
		{"idle connections", c.measureLinks},
	}
	for _, step := range steps {
		fmt.Fprintf(os.Stderr, "%s: %s\n", p.name, step.words)
		if err := withServer(ctx, p, func(s *server) error { return step.run(s, &f) }); err != nil {
			return f, fmt.Errorf("%s: %w", step.words, err)
		}
	}
	return f, nil
}

// withServer runs a step against a server of its own.
func withServer(ctx context.Context, p program, step func(*server) error) error {
	s, err := start(ctx, p)
	if err != nil {
		return err
	}
	defer s.stop()
	return step(s)
}

const memoryLegend = `RSS above that before the load, for keys key:0000000… with 16-byte values; each reading once RSS has stopped falling.

`

func (c *memoryCmd) print(w io.Writer, troupe, redis memoryFigures) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	row := func(words, unit string, ours, theirs float64, bar string) {
		fmt.Fprintf(table, "%s\t%.1f %s\t%.1f %s\t%s\n", words, ours, unit, theirs, unit, bar)
	}
	fmt.Fprintln(table, "\ttroupe\tredis\tbar")
	row("before the load", "MB", troupe.Before/(1<<20), redis.Before/(1<<20), atMost(troupe.Before, barBefore, "40 MB"))
	for i, point := range troupe.Growth {
		if notable(point.Keys) {
			row(fmt.Sprintf("a key, at %d", point.Keys), "B", point.PerKey, redis.Growth[i].PerKey, "–")
		}
	}
	row(fmt.Sprintf("a key, at %d", c.Keys), "B", troupe.AtKeys, redis.AtKeys, atMost(troupe.AtKeys, barAtKeys, "64 B"))
	row(fmt.Sprintf("a key, worst (at %d : %d)", troupe.Worst.Keys, redis.Worst.Keys), "B",
		troupe.Worst.PerKey, redis.Worst.PerKey, atMost(troupe.Worst.PerKey, barAnywhere, "72 B"))
	row(fmt.Sprintf("a key, at %d, all overwritten %d times", c.Keys, churnRounds+1), "B",
		troupe.Churned, redis.Churned, atMost(troupe.Churned, barAnywhere, "72 B"))
	row("a key, more with a TTL", "B", troupe.Deadline, redis.Deadline, atMost(troupe.Deadline, barDeadline, "20 B"))
	row(fmt.Sprintf("an idle connection (of %d : %d)", troupe.Links, redis.Links), "KB",
		troupe.Link/(1<<10), redis.Link/(1<<10), atMost(troupe.Link, barLink, "20 KB"))
	return table.Flush()
}

func atMost(figure, limit float64, words string) string {
	return verdict(figure <= limit) + " ≤" + words
}
