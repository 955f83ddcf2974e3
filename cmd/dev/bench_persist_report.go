package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"text/tabwriter"
)

// persistResult is all that was measured, by rounds.
type persistResult struct {
	Troupe []persistMeasure `json:"troupe"`
	Redis  []persistMeasure `json:"redis"`
	Turns  turnMeasure      `json:"turns"`
}

// persistRow is a figure of both servers, or one that is ours alone.
type persistRow struct {
	words string
	unit  string
	of    func(persistMeasure) float64
	bar   bar // of the ratio ours : theirs, or of our own figure if own is set; none if its limit is 0
	own   bool
}

// persistRows are the lines of the table. Speeds of starts are keys a second, so that more is better.
func persistRows(keys int) []persistRow {
	perSecond := func(of func(persistMeasure) startUp) func(persistMeasure) float64 {
		return func(m persistMeasure) float64 { return float64(keys) / of(m).Took / 1e3 }
	}
	cpu := func(of func(persistMeasure) startUp) func(persistMeasure) float64 {
		return func(m persistMeasure) float64 { return of(m).CPU * 1e6 / float64(keys) }
	}
	snapshot := func(m persistMeasure) startUp { return m.FromSave }
	log := func(m persistMeasure) startUp { return m.FromLog }
	none := bar{}
	return []persistRow{
		{"BGSAVE", "k keys/s", func(m persistMeasure) float64 { return m.SaveRate / 1e3 }, bar{"", true, 1.5}, false},
		{"BGSAVE, CPU", "µs/key", func(m persistMeasure) float64 { return m.SaveCPU }, none, false},
		{"start from a snapshot", "k keys/s", perSecond(snapshot), bar{"", true, 2}, false},
		{"start from a snapshot, CPU", "µs/key", cpu(snapshot), none, false},
		{"start from the log", "k keys/s", perSecond(log), bar{"", true, 2}, false},
		{"start from the log, CPU", "µs/key", cpu(log), none, false},
		{"p99 of a write load", "ms", func(m persistMeasure) float64 { return m.Plain }, none, false},
		{"p99 during BGSAVE", "ms", func(m persistMeasure) float64 { return m.Saving }, none, false},
		{"p99 during BGSAVE : without", "", func(m persistMeasure) float64 { return m.Saving / m.Plain }, bar{"", false, 1.5}, true},
		{"RSS under writes", "MB", func(m persistMeasure) float64 { return m.Resident / (1 << 20) }, none, false},
		{"peak RSS during BGSAVE : before", "", func(m persistMeasure) float64 { return m.PeakRatio }, bar{"", false, 1.1}, true},
	}
}

const persistLegend = `Medians of the rounds, troupe : redis, and of their ratios (least–most). A bar is of the ratio, or if the line is one
itself, of ours. The log was written by one SET a key and never rewritten. The write load of the p99 is 50 links with one
SET at a time; that of the RSS 50 links with 16. What a child of redis-server does not share counts with it.

`

// turnMax is how many milliseconds of CPU a turn may take.
const turnMax = 2

func (r *persistResult) print(w io.Writer, where string, keys int) error {
	fmt.Fprintf(w, "%d keys. %s\n%s", keys, strings.Replace(where, " both without persistence;", "", 1), persistLegend)
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "\ttroupe : redis\tratio\tbar")
	for _, row := range persistRows(keys) {
		ours, theirs := values(r.Troupe, row.of), values(r.Redis, row.of)
		ratio := spreadOf(ratios(ours, theirs))
		verdict := "–"
		if row.bar.limit > 0 {
			figure := ratio.Median
			if row.own {
				figure = spreadOf(ours).Median
			}
			verdict = judge([]bar{row.bar}, func(string) float64 { return figure })
		}
		fmt.Fprintf(table, "%s\t%s %s\t%s\t%s\n", row.words, pair("%.2f", spreadOf(ours), spreadOf(theirs), 1), row.unit, ranged(ratio), verdict)
	}
	if t := r.Turns; t.Megabytes > 0 {
		fmt.Fprintf(table, "longest turn, a hash of %d MB is written to\t%.2f ms\t\t–\n", t.Megabytes, t.Plain)
		fmt.Fprintf(table, "the same during BGSAVE\t%.2f ms\t\t%s\n", t.Saving, atMost(t.Saving, turnMax, "2 ms"))
	}
	return table.Flush()
}

func values(rounds []persistMeasure, of func(persistMeasure) float64) (all []float64) {
	for _, m := range rounds {
		all = append(all, of(m))
	}
	return all
}

// fieldBytes is the length of a value in the large hash.
const fieldBytes = 1000

// measureTurns measures the turns of shards while a large hash is written to and saved.
func (c *persistCmd) measureTurns(ctx context.Context, p program) (t turnMeasure, err error) {
	fmt.Fprintf(os.Stderr, "%s: a hash of %d MB\n", p.name, c.Hash)
	t.Megabytes = c.Hash
	fields := c.Hash << 20 / fieldBytes
	err = withServer(ctx, p.keeping("no"), func(s *server) error {
		if err := fillHash(s, fields); err != nil {
			return err
		}
		l, err := dial(s.port, "")
		if err != nil {
			return err
		}
		defer l.close()
		stop, err := s.write(ctx, fields, "HSET", "hash", "field:"+anyKey, strings.Repeat("y", fieldBytes))
		if err != nil {
			return err
		}
		t.Plain, err = c.longestTurn(l, func() error { return pause(ctx, c.Seconds) })
		if err == nil {
			t.Saving, err = c.longestTurn(l, func() error {
				_, _, err := s.save(ctx)
				return err
			})
		}
		if failed := stop(); err == nil {
			err = failed
		}
		return err
	})
	return t, err
}

// fillHash makes a hash of that many fields, of values that can't be compressed.
func fillHash(s *server, fields int) error {
	random := rand.New(rand.NewPCG(1, 1))
	value := make([]byte, fieldBytes)
	return preload(s.port, func(visit func(...string)) {
		for from := 0; from < fields; from += perCommand {
			words := []string{"HSET", "hash"}
			for i := from; i < min(from+perCommand, fields); i++ {
				for at := range value {
					value[at] = byte(random.Uint32())
				}
				words = append(words, fmt.Sprintf("field:%012d", i), string(value))
			}
			visit(words...)
		}
	})
}

// longestTurn is the longest turn of a shard during something, in milliseconds of CPU: the median of the
// rounds, as whatever interrupts a thread counts as its CPU.
func (c *persistCmd) longestTurn(l *link, something func() error) (ms float64, err error) {
	var all []float64
	for range c.Rounds {
		for _, words := range []string{"ON", "RESET"} {
			if _, err := l.ask("DEBUG", "TURNS", words); err != nil {
				return 0, err
			}
		}
		if err := something(); err != nil {
			return 0, err
		}
		longest, err := l.turn()
		if err != nil {
			return 0, err
		}
		all = append(all, longest)
	}
	return spreadOf(all).Median, nil
}

// turn is the longest turn that the server has measured, in milliseconds.
func (l *link) turn() (ms float64, err error) {
	turns, err := l.ask("DEBUG", "TURNS")
	items := turns.Items()
	for i := 0; i+1 < len(items); i += 2 {
		if items[i].Str() == "longest" {
			ms = float64(items[i+1].Int()) / 1e3
		}
	}
	return ms, err
}
