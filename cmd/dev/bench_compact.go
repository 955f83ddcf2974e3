package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/troupedb/troupe/resp"
)

// compactCmd measures whether memory is given back: after FLUSHALL, and after most of mixed data is
// deleted at random, beside a fresh server that was loaded with what remains.
type compactCmd struct {
	contest
	Keys int           `help:"Strings among the mixed data; the other types follow." default:"100000"`
	Seed uint64        `help:"Seed of the lengths, and of what is deleted." default:"1"`
	Wait time.Duration `help:"How long RSS may take to fall." default:"60s"`
}

// compactFigures is what one server holds, in bytes of RSS.
type compactFigures struct {
	Server  string        `json:"server"`
	Empty   int64         `json:"rss_empty"`
	Full    int64         `json:"rss_full"`
	Flushed int64         `json:"rss_after_flushall"`
	Thinned int64         `json:"rss_after_deleting"`
	Fresh   int64         `json:"rss_fresh_with_the_rest"`
	Took    time.Duration `json:"nanoseconds_until_it_had_fallen"`
	Longest string        `json:"longest_turn_us"`
}

// What is given back is expected to leave at most this beside a fresh server's RSS.
const (
	barRest      = 1.15
	barRestExtra = 32 << 20
)

// Run measures both servers, one after the other, and prints.
func (c *compactCmd) Run(ctx context.Context) error {
	if c.Keys < 200 {
		return errors.New("--keys takes numbers from 200")
	}
	troupe, redis, leave, err := c.enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	troupe.args = append(troupe.args, "--enable-debug-command", "local")
	redis.args = append(redis.args, "--activedefrag", "no")
	where := machine()
	var both []compactFigures
	for _, p := range []program{troupe, redis} {
		f, err := c.measure(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
		both = append(both, f)
	}
	if c.JSON {
		return printJSON(os.Stdout, both)
	}
	fmt.Printf("%s\nMB of RSS, once it has stopped falling; of mixed data a tenth remains, chosen at random.\n\n", where)
	return printCompact(both)
}

func (c *compactCmd) measure(ctx context.Context, p program) (f compactFigures, err error) {
	f.Server = p.name
	all, rest := mixed{keys: c.Keys, seed: c.Seed}, mixed{keys: c.Keys, seed: c.Seed, rest: true}
	err = withServer(ctx, p, func(s *server) error {
		return s.withLoad(func(l *link, before int64) (err error) {
			if f.Empty = before; l.pour(all.load) != nil {
				return errors.New("the data could not be loaded")
			}
			if f.Full, err = settledBytes(s.pid); err != nil {
				return err
			}
			if _, err = l.ask("FLUSHALL"); err == nil {
				f.Flushed, _, err = s.fallenBytes(c.Wait)
			}
			return err
		})
	})
	if err == nil {
		err = withServer(ctx, p, func(s *server) error { return c.measureThinning(s, &f) })
	}
	if err == nil {
		err = withServer(ctx, p, func(s *server) error {
			return s.withLoad(func(l *link, _ int64) (err error) {
				if err = l.pour(rest.load); err == nil {
					f.Fresh, _, err = s.fallenBytes(c.Wait)
				}
				return err
			})
		})
	}
	return f, err
}

// measureThinning loads all, deletes most of it, and waits. Troupe is told to compact only then, so that
// its longest turn is one of that.
func (c *compactCmd) measureThinning(s *server, f *compactFigures) error {
	all := mixed{keys: c.Keys, seed: c.Seed}
	return s.withLoad(func(l *link, _ int64) (err error) {
		if s.name == "troupe" {
			if _, err = l.ask("CONFIG", "SET", "activedefrag", "no"); err != nil {
				return err
			}
		}
		if err = l.pour(all.load); err == nil {
			err = l.pour(all.thin)
		}
		if err == nil && s.name == "troupe" {
			if _, err = askDebug(l, "TURNS", "ON"); err == nil {
				_, err = l.ask("CONFIG", "SET", "activedefrag", "yes")
			}
		}
		if err != nil {
			return err
		}
		if f.Thinned, f.Took, err = s.fallenBytes(c.Wait); err != nil || s.name != "troupe" {
			return err
		}
		turns, err := askDebug(l, "TURNS")
		for _, line := range replyLines(turns) {
			if longest, found := strings.CutPrefix(line, "longest  "); found {
				f.Longest = longest
			}
		}
		return err
	})
}

// fallenBytes is the least RSS that is read until it has not fallen for some seconds, and how long it took
// to come there.
func (s *server) fallenBytes(most time.Duration) (least int64, took time.Duration, err error) {
	const still, every = 10 * time.Second, 50 * time.Millisecond
	begin := time.Now()
	for time.Since(begin) < most && time.Since(begin)-took < still {
		now, err := residentBytes(s.pid)
		if err != nil {
			return 0, 0, err
		}
		if least == 0 || now < least-least/200 {
			least, took = now, time.Since(begin)
		}
		time.Sleep(every)
	}
	return least, took, nil
}

// pour sends the commands that a source appends, pipelined; an error among the answers ends it.
func (l *link) pour(source func(yield func(words ...string) bool)) (err error) {
	pending := 0
	flush := func() bool {
		if err = l.send(); err != nil {
			return false
		}
		for ; pending > 0 && err == nil; pending-- {
			var reply resp.Reply
			if reply, err = l.read(); err == nil && reply.IsError() {
				err = fmt.Errorf("loading: %s", reply.Str())
			}
		}
		return err == nil
	}
	source(func(words ...string) bool {
		l.out = appendCommand(l.out, words...)
		if pending++; pending < loadBatch {
			return true
		}
		return flush()
	})
	if err == nil {
		flush()
	}
	return err
}

func printCompact(both []compactFigures) error {
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	row := func(words string, of func(*compactFigures) int64, bar string) {
		fmt.Fprintf(table, "%s\t%.0f\t%.0f\t%s\n", words, float64(of(&both[0]))/(1<<20), float64(of(&both[1]))/(1<<20), bar)
	}
	within := func(now, fresh int64) string {
		return verdict(float64(now) <= barRest*float64(fresh)+barRestExtra) + " ≤15% + 32 MB above fresh"
	}
	ours := &both[0]
	fmt.Fprintln(table, "\ttroupe\tredis\tbar")
	row("fresh and empty", func(f *compactFigures) int64 { return f.Empty }, "–")
	row("full", func(f *compactFigures) int64 { return f.Full }, "–")
	row("after FLUSHALL", func(f *compactFigures) int64 { return f.Flushed }, within(ours.Flushed, ours.Empty))
	row("after deleting 90 %", func(f *compactFigures) int64 { return f.Thinned }, within(ours.Thinned, ours.Fresh))
	row("fresh with the rest", func(f *compactFigures) int64 { return f.Fresh }, "–")
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Printf("\ntroupe's RSS had fallen after %.1f s; its longest turn meanwhile took %s µs of CPU\n", ours.Took.Seconds(), ours.Longest)
	return nil
}
