package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// shape is how commands are sent: how many a link sends at once, over how many links, with which values,
// on how many keys.
type shape struct {
	Command  string `json:"command"`
	Pipeline int    `json:"pipeline"`
	Links    int    `json:"links"`
	Size     int    `json:"size"`
	Keys     int    `json:"keys"`
}

func (s shape) String() string {
	return fmt.Sprintf("%s P=%d c=%d %dB", strings.ToUpper(s.Command), s.Pipeline, s.Links, s.Size)
}

// traffic is what a load generator saw. Busy is the share of one core that it used itself: near 1 it was
// the bottleneck, and the throughput is its own.
type traffic struct {
	rate     float64
	p50, p99 time.Duration
	busy     float64
}

// runLoad sends count commands. One command at a time on one link is timed here, because
// redis-benchmark rounds latencies to 8 µs; all else is redis-benchmark's.
func runLoad(ctx context.Context, port int, s shape, count int) (traffic, error) {
	if s.Links == 1 && s.Pipeline == 1 {
		return pingPong(ctx, port, s, count)
	}
	return benchmark(ctx, []string{"-p", strconv.Itoa(port)}, s, count)
}

// benchmark has redis-benchmark send count commands to where the words of its line say.
func benchmark(ctx context.Context, where []string, s shape, count int) (traffic, error) {
	args := append(slices.Clone(where), "--csv",
		"-n", strconv.Itoa(count), "-c", strconv.Itoa(s.Links), "-P", strconv.Itoa(s.Pipeline), "-r", strconv.Itoa(s.Keys))
	args = append(args, workloadOf(s.Command).command(s)...)
	cmd := exec.CommandContext(ctx, "redis-benchmark", args...)
	begin := time.Now()
	out, err := cmd.Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		return traffic{}, fmt.Errorf("redis-benchmark %s: %w: %s", strings.Join(args, " "), err, failed.Stderr)
	}
	if err != nil {
		return traffic{}, err
	}
	t, err := parseBenchmark(string(out))
	used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	t.busy = used.Seconds() / time.Since(begin).Seconds()
	return t, err
}

// parseBenchmark reads the last row of `redis-benchmark --csv`, finding its columns by their names.
func parseBenchmark(text string) (traffic, error) {
	rows, err := csv.NewReader(strings.NewReader(text)).ReadAll()
	if err != nil {
		return traffic{}, fmt.Errorf("redis-benchmark's output: %w", err)
	}
	if len(rows) < 2 {
		return traffic{}, errors.New("redis-benchmark printed no result")
	}
	head, last := rows[0], rows[len(rows)-1]
	column := func(name string) float64 {
		at := slices.Index(head, name)
		if at < 0 {
			err = fmt.Errorf("redis-benchmark printed no column %s", name)
			return 0
		}
		value, bad := strconv.ParseFloat(last[at], 64)
		if bad != nil {
			err = fmt.Errorf("redis-benchmark's %s: %w", name, bad)
		}
		return value
	}
	t := traffic{rate: column("rps"), p50: fromMS(column("p50_latency_ms")), p99: fromMS(column("p99_latency_ms"))}
	return t, err
}

func fromMS(ms float64) time.Duration { return time.Duration(ms * float64(time.Millisecond)) }

// pingPong sends count commands one after the other and times each. It runs on one processor of Go's, so
// that no idle one spins beside the server.
func pingPong(ctx context.Context, port int, s shape, count int) (traffic, error) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	l, err := dial(port, "")
	if err != nil {
		return traffic{}, err
	}
	defer l.close()
	took := make([]time.Duration, 0, count)
	work := workloadOf(s.Command)
	usedBefore, _ := cpuTime(os.Getpid()) // busy is a hint: without it the round still counts
	begin := time.Now()
	for i := range count {
		sent := time.Now()
		if _, err := l.ask(work.sample(s, i)...); err != nil {
			return traffic{}, err
		}
		took = append(took, time.Since(sent))
		if i%1024 == 0 && ctx.Err() != nil {
			return traffic{}, ctx.Err()
		}
	}
	lasted := time.Since(begin).Seconds()
	usedAfter, _ := cpuTime(os.Getpid())
	slices.Sort(took)
	return traffic{
		rate: float64(count) / lasted,
		p50:  quantile(took, 0.50),
		p99:  quantile(took, 0.99),
		busy: (usedAfter - usedBefore).Seconds() / lasted,
	}, nil
}

// preload sends commands, pipelined; one that fails ends it.
func preload(port int, all script) (err error) {
	l, err := dial(port, "")
	if err != nil {
		return err
	}
	defer l.close()
	sent := 0
	flush := func() {
		if err == nil && sent > 0 {
			err = l.send()
		}
		for ; err == nil && sent > 0; sent-- {
			_, err = l.read()
		}
	}
	all(func(words ...string) {
		if err != nil {
			return
		}
		l.out = appendCommand(l.out, words...)
		if sent++; sent == loadBatch {
			flush()
		}
	})
	flush()
	if err != nil {
		return fmt.Errorf("loading: %w", err)
	}
	return nil
}
